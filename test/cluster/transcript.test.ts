/** docs/admission.md shows what kubectl says: `SLUICE_RECORD=1 npm run test:cluster` writes it anew. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdmissionServer, installWebhooks, startAdmission, writeCertificate } from './admission-server.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { applyCrds, gateway, limit, policy, route, until } from './resources.ts'
import { ADMIN } from './users.ts'

const PAGE = join(import.meta.dirname, '../../docs/admission.md')
const BLOCK = /(<!-- transcript: .*-->\n```console\n)([\s\S]*?)(```\n<!-- end of transcript -->)/
const LINES = ['kubectl apply -f mixed.yaml', 'kubectl apply -f coffee.yaml', 'kubectl apply -f coffee-by-uri.yaml']

let plane: ControlPlane
let kubectl: Kubectl
let server: AdmissionServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-transcript-'))
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await applyCrds(kubectl)
  await must(kubectl('create -f -', [gateway('edge'), route('HTTPRoute', 'cafe', 'edge')]))
  const { flags, authority } = await writeCertificate(plane.folder)
  server = await startAdmission([...flags, '--kubeconfig', plane.kubeconfig(ADMIN)])
  await installWebhooks(kubectl, { port: server.port, authority })
  await until('the watches are synced', () => server.isSynced())
  const broken = policy('probe', ['Gateway/edge'], { local: { rules: [limit({ rate: '0r/s' })] } })
  await until(
    'the webhook is asked',
    async () => (await kubectl('apply --dry-run=server -f -', JSON.stringify(broken))).code !== 0,
  )
})
afterAll(async () => {
  await server.stop()
  await plane.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the transcript on the page is what kubectl says', async () => {
  const page = readFileSync(PAGE, 'utf8')
  for (const [, text = '', name = ''] of page.matchAll(/```yaml\n(# ([\w-]+\.yaml)\n[\s\S]*?)```/g))
    writeFileSync(join(folder, name), text)
  const said: string[] = []
  for (const line of LINES) {
    const [, ...words] = line.split(' ')
    const { stdout, stderr } = await kubectl(words.map((word) => (word.endsWith('.yaml') ? join(folder, word) : word)))
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
