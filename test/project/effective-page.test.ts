/** The page about `sluice effective` names every member of its JSON. */
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

it.each(['HTTPRoute/coffee', 'Gateway/storefront'])('of %s', async (asked) => {
  const { stdout } = await runCommand(['effective', asked, 'examples/shop', '--format', 'json'])
  const names = [...new Set(memberNames(JSON.parse(stdout)))]
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}[]\``))).toEqual([])
})

it('shows commands that work', async () => {
  const { code } = await runCommand(['effective', 'HTTPRoute/coffee', 'examples/shop'])
  expect(code).toBe(0)
})
