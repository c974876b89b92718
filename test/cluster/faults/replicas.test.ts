/** Two replicas behind one address, which passes over those that do not listen, as a Service does: one of them ends under load. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  type AdmissionServer,
  type CertificateFiles,
  installWebhooks,
  startAdmission,
  writeCertificate,
} from '../admission-server.ts'
import { useCluster } from '../cluster.ts'
import { startLoad } from '../load.ts'
import { guarded, MINUTE, type Replicas, startReplicas } from '../replicas.ts'
import { namespace } from '../resources.ts'
import { layWire, type Wire } from '../wire.ts'

const cluster = useCluster({ objects: [namespace('sluice-system')] })
const { kubectl } = cluster
let certificate: CertificateFiles
let servers: AdmissionServer[] = []
let wire: Wire | undefined
let shared: Replicas | undefined

beforeAll(async () => {
  certificate = await writeCertificate(cluster.folder)
})
afterEach(async () => {
  for (const server of servers) await server.stop()
  await wire?.stop()
  await shared?.stop()
  servers = []
  wire = undefined
  shared = undefined
})

const start = (port = 0) => startAdmission([...certificate.flags, '--standalone'], { port })

/** Two processes behind one address, and an API server that fails closed or open. */
async function startBoth(failurePolicy: 'Fail' | 'Ignore'): Promise<void> {
  servers = [await start(), await start()]
  wire = await layWire(...servers.map(({ port }) => `https://127.0.0.1:${port}`))
  await installWebhooks(kubectl, {
    port: Number(new URL(wire.url).port),
    authority: certificate.authority,
    failurePolicy,
  })
  await guarded(kubectl)
}

const LANES = 6

test('killed: at most the calls that it was processing fail, and none later', async () => {
  await startBoth('Fail')
  const load = startLoad(cluster)
  await load.grow(LANES)
  await servers[0]?.stop('SIGKILL')
  await load.grow(LANES)
  const lost = load.refusals.length
  expect(lost).toBeLessThanOrEqual(LANES)
  for (const refusal of load.refusals) expect(refusal).toContain('failed calling webhook')
  await load.grow(LANES)
  servers[0] = await start(servers[0]?.port)
  await load.grow(LANES)
  expect((await load.stop()).length).toBe(lost)
})

test('killed with failurePolicy Ignore: no call fails', async () => {
  await startBoth('Ignore')
  const load = startLoad(cluster)
  await load.grow(LANES)
  await servers[1]?.stop('SIGKILL')
  await load.grow(LANES)
  expect(await load.stop()).toEqual([])
})

test('told to stop, one after the other, and started again: no call fails', async () => {
  await startBoth('Fail')
  const load = startLoad(cluster)
  await load.grow(LANES)
  for (const index of [0, 1]) {
    const old = servers[index]
    expect(await old?.stop()).toBe(0)
    await load.grow(1)
    servers[index] = await start(old?.port)
    await load.grow(1)
  }
  expect(await load.stop()).toEqual([])
})

test('drained as in a cluster, where it still listens for three seconds: no call fails', async () => {
  shared = await startReplicas(cluster, { begins: [Date.now(), Date.now()], failurePolicy: 'Fail' })
  await shared.advance(MINUTE)
  await guarded(kubectl)
  const load = startLoad(cluster)
  await load.grow(LANES)
  const stopped = shared.all[0]?.stop(3000)
  await load.grow(2)
  await stopped
  await load.grow(2)
  expect(await load.stop()).toEqual([])
})
