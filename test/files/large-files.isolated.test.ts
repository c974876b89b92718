/** Large files are never held whole: in a process of its own, as others share their memory. */
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collect } from './collect.ts'
import { createFolder, policy } from './folder.ts'

test('large files are searched, and reported where they name a judged kind', async () => {
  const folder = createFolder({ 'other.yaml': 'kind: ConfigMap\n', 'policy.yaml': 'kind: ConfigMap\n' })
  for (const name of ['other.yaml', 'policy.yaml']) truncateSync(join(folder, name), 200 * 1024 * 1024)
  writeFileSync(join(folder, 'policy.yaml'), policy(), { flag: 'a' })
  const before = process.memoryUsage().rss
  expect((await collect(folder)).sources).toMatchObject([
    { file: 'policy.yaml', text: '', problem: { code: 'unreadable', reason: 'too large: 200.0 MiB; split it' } },
  ])
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024)
})
