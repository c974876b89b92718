/** What `sluice lint --print-config` prints is a settings file. Examples: `test/fixtures/cli/settings.txtar`. */
import { expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { readSettings } from '../../src/settings/file.ts'
import { createFolder } from '../files/folder.ts'
import { sluice } from './run.ts'

it('prints settings that can be read again, with the severity of every rule', async () => {
  const cwd = createFolder({ 'sluice.config.yaml': 'ruleset: "0.0"\nrules: { gateway/rate-syntax: warning }\n' })
  const { stdout } = await sluice(['lint', '--print-config', 'us/a.yaml'], { cwd })
  const ids = RULES.map(({ id }) => id)
  const outcome = readSettings(stdout, ids)
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems))
  const { ruleset, rules } = outcome.project.settings
  expect(ruleset).toBe('0.0')
  expect(Object.keys(rules).sort()).toEqual([...ids].sort())
  expect(rules).toMatchObject({ 'gateway/rate-syntax': 'warning', 'gateway/schema': 'error' })
  const later = RULES.filter(({ since }) => since !== undefined).map(({ id }) => rules[id])
  expect(new Set(later)).toEqual(new Set(later.length > 0 ? ['off'] : []))
})
