/** `sluice mesh` and kubectl as clients of the API of the mesh, through a real API server: `test/fixtures/cluster/mesh*.txtar`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { meshRemoval } from '../../../scripts/manifests/mesh-chart.ts'
import { createFolder } from '../../files/folder.ts'
import { runCommands } from '../../in-shell.ts'
import { useCluster } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { until } from '../resources.ts'
import { describeInCluster, programs } from '../transcripts.ts'
import { ADMIN } from '../users.ts'
import { BASE, NAMESPACE, runInjectedPod, useMesh, WEB } from './mesh-servers.ts'

const cluster = useCluster()
const { kubectl, store } = cluster
useMesh(cluster, 1)

const removal = meshRemoval({ namespace: NAMESPACE, image: 'sluice:test' })
const job = removal.find(({ kind }) => kind === 'Job')
const { serviceAccountName, containers } = JSON.parse(JSON.stringify(job?.spec)).template.spec
const words: readonly string[] = containers[0].args

beforeAll(async () => {
  await store([...WEB, ...removal])
  await runInjectedPod(kubectl, 'web-1', '10.1.0.1')
  const services = () => must(kubectl(`get --raw ${BASE}/services`))
  await until('the Pod is known', async () => (await services()).includes('10.1.0.1'))
})

/** With the command line of the Job that the chart has, and its user. */
const removing = { REMOVAL: words.join(' ').replaceAll('/etc/sluice/', ''), REMOVER: serviceAccountName }
describeInCluster(cluster, 'mesh-objects', { variables: { CONFIG: `${BASE}/config`, CLEAR: `${BASE}/clear` } })
describeInCluster(cluster, 'mesh', { variables: { CONFIG: `${BASE}/config`, ...removing } })

const PAGE = resolve('docs/mesh.md')
const TRANSCRIPT = /(<!-- kubectl: .*-->\n```console\n)([\s\S]*?)(```\n<!-- end of kubectl -->)/

/** `SLUICE_RECORD=1` writes it anew. */
it('the transcript with kubectl in docs/mesh.md is what the programs print', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const shown = TRANSCRIPT.exec(page)?.[2] ?? ''
  const folder = createFolder()
  for (const [, name = '', text = ''] of page.matchAll(/<!-- file: (\S+) -->\n```yaml\n([\s\S]*?)```/g))
    writeFileSync(join(folder, name), text)
  const commands = shown.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
  const here = [`export KUBECONFIG=${cluster.kubeconfig(ADMIN)}`, ...commands]
  const [, ...said] = await runCommands(here, folder, [programs(), process.env.PATH].join(delimiter))
  const transcript = commands.map((command, index) => `$ ${command}\n${said[index] ?? ''}`).join('')
  if (process.env.SLUICE_RECORD)
    writeFileSync(
      PAGE,
      page.replace(TRANSCRIPT, (_, head, _old, tail) => head + transcript + tail),
    )
  else expect(transcript).toBe(shown)
  expect(transcript).toContain('first patch {"mtls":{"caTTL":"800h"}}')
})
