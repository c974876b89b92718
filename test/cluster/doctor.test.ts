/** `sluice doctor`: an installation is broken in every way, doctor says how and what to do, that is done, and doctor is content. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BASE } from '../../scripts/manifests/parts.ts'
import { findFaketime } from '../../scripts/provide.ts'
import { readSecret } from '../../src/cluster/certificates/secret.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { controllerInstallation, leaseName } from '../../src/installation/controller.ts'
import { NAMES } from '../../src/installation/object.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { freePorts } from '../free-ports.ts'
import { expected } from '../installation/expected.ts'
import { mountAccount, reachable } from '../packing/in-cluster.ts'
import { type AdmissionServer, canMount, hasOtherClocks, startAdmission } from './admission-server.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { CRD_FILES, namespace, until } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

const { controllerName } = apiNames()
const DAY = 24 * 3_600_000

describe.runIf(canMount && hasOtherClocks)('a cluster', () => {
  const cluster = useCluster({ objects: [namespace('patched', { [NAMES.mutateLabel]: 'enabled' })] })
  const { kubectl } = cluster
  const folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-'))
  let port = 0
  let server: AdmissionServer | undefined

  /** As the kubelet does: with the account, and with what is mounted. */
  async function start(): Promise<void> {
    const env = await mountAccount(folder, cluster, kubectl)
    const flags = ['--config', join(folder, 'etc/sluice', NAMES.configKey)]
    server = await startAdmission(flags, { port, container: { run: join(folder, 'var/run'), env } })
    await until('the webhook is ready', async () => (await server?.ready()) === 200)
    await until('the watches are synced', async () => (await server?.isSynced()) === true)
  }

  /** What `sluice manifests` prints, for a server on this machine. */
  async function reinstall(): Promise<string> {
    const objects = [...reachable(expected(), port), ...controllerInstallation(BASE)]
    await must(kubectl('apply --server-side --force-conflicts -f -', objects))
    return ''
  }

  /** Stores a certificate with so many days left, for a name; of the authority there is, or of another. */
  async function certificate(days = '', name = '', signer = ''): Promise<string> {
    const until = Date.now() + (Number(days) + 0.5) * DAY
    const [known] = readSecret(await cluster.read(`secret ${NAMES.tls} -n ${NAMES.namespace}`)).authorities
    const authority = signer || !known ? await createAuthority('other', { from: until - 365 * DAY, until }) : known
    const { cert, key } = await issueServing(authority, [name], { from: until - 365 * DAY, until })
    const data = { 'tls.crt': btoa(cert), 'tls.key': btoa(key) }
    await must(kubectl(['patch', 'secret', NAMES.tls, '-n', NAMES.namespace, '-p', JSON.stringify({ data })]))
    return ''
  }

  async function mounted(...words: readonly string[]): Promise<string> {
    writeFileSync(join(folder, 'etc/sluice', NAMES.configKey), words.join(' '))
    return ''
  }

  beforeAll(async () => {
    ;[port = 0] = await freePorts(1)
    await reinstall()
    await start()
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** `server stop`, `server start`, `server restart`: what a rollout does to its Pods. */
  async function act(how = ''): Promise<string> {
    if (how !== 'start') await server?.stop()
    if (how !== 'stop') await start()
    return ''
  }
  describeInCluster(cluster, 'doctor', {
    variables: {
      CRDS: Object.values(CRD_FILES).join(' -f '),
      LEASE_NAME: leaseName(controllerName, controllerName),
      FAKETIME_LIBRARY: findFaketime() ?? '',
    },
    words: { server: act, reinstall, certificate, mounted },
  })
})

test('docs/doctor.md shows what is recorded', () => {
  const [, said = ''] =
    /^-- \$ eventually said 'may not get'; lease; sluice doctor --quiet --\n(.*?)exit 1\n/ms.exec(
      read('../fixtures/cluster/doctor.txtar'),
    ) ?? []
  const page = read('../../docs/doctor.md')
  const wanted = page.replace(/```console\n.*?```/s, () => `\`\`\`console\n$ sluice doctor --quiet\n${said}\`\`\``)
  if (process.env.SLUICE_RECORD) writeFileSync(join(import.meta.dirname, '../../docs/doctor.md'), wanted)
  else expect(page).toBe(wanted)
  expect(said).toContain('failure  webhook/ca-bundle')
})
