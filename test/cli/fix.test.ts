/** `sluice lint --fix` on bytes and at moments that no transcript shows. Everything else: `test/fixtures/cli/fix.txtar`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

const RIGHT = policy()

it('a fixed file keeps its encoding', async () => {
  const wide = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
  const folder = createFolder({ 'a.yaml': wide(WRONG), 'b.yaml': wide(WRONG).swap16(), 'c.yaml': `\uFEFF${WRONG}` })
  const { stderr } = await sluice(['lint', '--fix'], { cwd: folder })
  expect(stderr).toContain('fixed 3 findings in 3 files\n')
  const bytes = ['a.yaml', 'b.yaml', 'c.yaml'].map((file) => readFileSync(join(folder, file)))
  expect(bytes).toEqual([wide(RIGHT), wide(RIGHT).swap16(), Buffer.from(`\uFEFF${RIGHT}`)])
})

it('a file that changes while it is judged is left as it is', async () => {
  const folder = createFolder({ 'a.yaml': WRONG })
  const changed = `${WRONG}# mine\n`
  let time = 0
  const now = () => {
    if (time++ === 2) writeFileSync(join(folder, 'a.yaml'), changed)
    return time
  }
  const { code, stderr } = await sluice(['lint', '--fix'], { cwd: folder, now, columns: 80 })
  expect([code, readFileSync(join(folder, 'a.yaml'), 'utf8')]).toEqual([2, changed])
  expect(stderr).toContain('sluice: a.yaml: changed while it was checked, so it is not fixed: run it again\n')
})

it.each([
  ['is no text', [Buffer.from(`${WRONG}# `), Uint8Array.of(0xff)]],
  ['is too large', Array.from({ length: 65 }, () => Buffer.alloc(1024 * 1024, WRONG))],
])('a standard input that cannot be passed on is not printed in part where it %s', async (_, stdin) => {
  const { code, stdout } = await sluice(['lint', '--fix', '-'], { stdin })
  expect([code === 0, stdout]).toEqual([false, ''])
})
