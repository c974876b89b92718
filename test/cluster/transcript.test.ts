/** docs/admission.md shows what kubectl says: `SLUICE_RECORD=1 npm run test:cluster` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { gateway, route } from './resources.ts'

const PAGE = join(import.meta.dirname, '../../docs/admission.md')
const BLOCK = /(<!-- transcript: .*-->\n```console\n)([\s\S]*?)(```\n<!-- end of transcript -->)/
const LINES = ['kubectl apply -f mixed.yaml', 'kubectl apply -f coffee.yaml', 'kubectl apply -f coffee-by-uri.yaml']

const cluster = useCluster({ objects: [gateway('edge'), route('HTTPRoute', 'cafe', 'edge')] })
useWebhook(cluster)

test('the transcript on the page is what kubectl says', async () => {
  const folder = createFolder()
  const page = readFileSync(PAGE, 'utf8')
  for (const [, text = '', name = ''] of page.matchAll(/```yaml\n(# ([\w-]+\.yaml)\n[\s\S]*?)```/g))
    writeFileSync(join(folder, name), text)
  const said: string[] = []
  for (const line of LINES) {
    const [, ...words] = line.split(' ')
    const { stdout, stderr } = await cluster.kubectl(
      words.map((word) => (word.endsWith('.yaml') ? join(folder, word) : word)),
    )
    said.push(`$ ${line}\n${stdout}${stderr}`.replaceAll(`${folder}/`, ''))
  }
  const transcript = said.join('\n')
  if (process.env.SLUICE_RECORD)
    writeFileSync(
      PAGE,
      page.replace(BLOCK, (_, head, _old, tail) => head + transcript + tail),
    )
  else expect(BLOCK.exec(page)?.[2]).toBe(transcript)
  expect(transcript).toContain('the key changes from')
})
