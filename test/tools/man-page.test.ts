/** The manual page is one that man, groff and mandoc take without a warning, and names every command and flag. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { manPage } from '../../scripts/docs/man-page.ts'
import { COMMANDS } from '../../src/cli/core/commands.ts'
import { VERSION } from '../../src/cli/version/version.ts'

const page = await manPage(`## [${VERSION}] - 2026-01-31\n`)

const run = (program: string, ...parameters: readonly string[]) => {
  const { stdout, stderr, error } = spawnSync(program, parameters, { input: page, encoding: 'utf8' })
  if (error) throw error
  return { stdout, stderr }
}

it('is taken by mandoc without a warning', () => expect(run('mandoc', '-Tlint')).toEqual({ stdout: '', stderr: '' }))

it.each(['ascii', 'utf8'])('is taken by groff without a warning: %s', (device) =>
  expect(run('groff', '-ww', '-man', `-T${device}`).stderr).toBe(''),
)

it('is shown with every command and every flag, as the help has them', async () => {
  const { stdout } = run('mandoc', '-Tascii', '-Owidth=400')
  // Bold is a letter, a backspace, and the letter again.
  const shown = stdout
    .split('\b')
    .map((part, index, parts) => (index < parts.length - 1 ? part.slice(0, -1) : part))
    .join('')
  const commands = await Promise.all(COMMANDS.map((row) => row.load()))
  for (const { name, flags } of commands.flatMap((command) => [command, ...(command.parts ?? [])])) {
    const [, section = ''] = shown.split(new RegExp(`\\n   sluice ${name}(?![^ \\n])`))
    for (const [flag, { summary }] of Object.entries(flags)) {
      expect(section).toContain(`--${flag}`)
      expect(section).toContain(summary)
    }
  }
})

it('holds the version of the package, and no character beyond ASCII', () => {
  expect(page).toContain(`"2026-01-31" "sluice ${VERSION}"`)
  expect(page).toMatch(/^[\n\x20-\x7e]*$/)
  expect(readFileSync(new URL('../../man/sluice.1', import.meta.url), 'utf8')).toContain(`"sluice ${VERSION}"`)
})
