/** The settings that `sluice init` writes. What else it does: `test/fixtures/cli/init.txtar`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { readSettings } from '../../src/settings/file.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { createFolder } from '../files/folder.ts'
import { sluice } from './run.ts'

const IDS = RULES.map(({ id }) => id)

async function written(): Promise<string> {
  const cwd = createFolder()
  await sluice(['init'], { cwd })
  return readFileSync(join(cwd, 'sluice.config.yaml'), 'utf8')
}

it('change nothing', async () =>
  expect(readSettings(await written(), IDS)).toEqual({ ok: true, project: DEFAULT_PROJECT }))

it('have only comments that are valid settings, too', async () => {
  const uncommented = (await written())
    .replace('rules: {}\n', 'rules:\n')
    .replace(/^# ((?:ruleset|worlds|overrides):|- | {2})/gm, '$1')
  expect(readSettings(uncommented, IDS)).toMatchObject({
    ok: true,
    project: {
      settings: { ruleset: expect.any(String), rules: { 'gateway/zone-size-implicit': 'warning' } },
      worlds: [{ name: 'eu' }, { name: 'us' }],
      overrides: [{ files: ['sandbox/**'] }],
    },
  })
})
