/** The command line of `npm run fuzz`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TARGETS } from '../../fuzz/targets.ts'
import { createFolder } from '../files/folder.ts'

const run = (...flags: readonly string[]) =>
  spawnSync(process.execPath, ['--expose-gc', 'fuzz/run.ts', ...flags], { encoding: 'utf8' })

it('shows targets and examples', () => {
  const { status, stdout } = run('--help')
  expect([status, stdout]).toEqual([0, expect.stringContaining('npm run fuzz -- --seed')])
  for (const { name } of TARGETS) expect(stdout).toContain(`  ${name} `)
})

it.each([
  [['--target', 'bselines'], 'no target "bselines"; did you mean "baselines"?'],
  [['--seconds', '0'], '--seconds is "0"; expected a whole number from 1 to 1000000'],
  [['--sede', '1'], "Unknown option '--sede'"],
])('rejects %j in one line', (flags, message) => {
  const { status, stderr } = run(...flags)
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(stderr).not.toMatch(/^\s+at /m)
})

it('prints the seed and a row for each target', () => {
  const { status, stdout } = run('--seconds', '1', '--seed', '7', '--target', 'baselines')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^seed 7$/m)
  expect(stdout).toMatch(/^\| baselines \| \d+ \| \d+ \| 0 \|$/m)
})

it('replays an input', () => {
  const find = JSON.stringify({ target: 'settings', what: '', detail: '', seed: 1, input: 'rules: {}\n' })
  const { status, stdout } = run('--replay', join(createFolder({ 'find.json': find }), 'find.json'))
  expect([status, stdout]).toEqual([0, expect.stringContaining('everything holds')])
})
