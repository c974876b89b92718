/** What `sluice lint --fix --dry-run` prints is what the real `patch` takes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sluice } from '../cli/run.ts'
import { createFolder, WRONG } from '../files/folder.ts'

it('patch takes the diff, and makes of the files what --fix makes of them', async () => {
  const texts = {
    'plain.yaml': WRONG,
    'with space/é.yaml': WRONG,
    'crlf.yaml': WRONG.replaceAll('\n', '\r\n'),
    'no-end.yaml': WRONG.replace(/\n {8}burst[\s\S]*$/, ''),
  }
  const [patched, fixed] = [createFolder(texts), createFolder(texts)]
  const { stdout } = await sluice(['lint', '--fix', '--dry-run'], { cwd: patched })
  const ran = spawnSync('patch', ['-p1', '--binary'], { cwd: patched, encoding: 'utf8', input: stdout })
  expect(ran).toMatchObject({ status: 0, stderr: '' })
  await sluice(['lint', '--fix'], { cwd: fixed })
  for (const file of Object.keys(texts))
    expect(readFileSync(join(patched, file))).toEqual(readFileSync(join(fixed, file)))
})
