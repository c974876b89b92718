/** The page about `sluice effective` names every member of its JSON, and shows its real output. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCommand } from '../../scripts/docs/run-command.ts'

const page = readFileSync(new URL('../../docs/effective.md', import.meta.url), 'utf8')

/** The names of all members of a value, at any depth. */
function memberNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(memberNames)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...memberNames(inner)])
}

it.each(['HTTPRoute/coffee', 'Gateway/storefront'])('names every member for %s', async (query) => {
  const { stdout } = await runCommand(['effective', query, 'examples/shop', '--format', 'json'])
  const names = [...new Set(memberNames(JSON.parse(stdout)))]
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}[]\``))).toEqual([])
})

it('shows commands that work, and the output of the first', async () => {
  const commands = [...page.matchAll(/^sluice (.+)$/gm)].map(([, argv = '']) => argv.split(' '))
  expect(commands).toHaveLength(3)
  for (const argv of commands) expect(await runCommand(argv)).toMatchObject({ code: 0, stderr: '' })
  const [first = []] = commands
  expect(page).toContain(`\n\`\`\`\n${(await runCommand(first)).stdout}\`\`\`\n`)
})
