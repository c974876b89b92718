/**
 * `sluice serve admission --workers 2` in front of a watched cluster: what all workers share, and what remains when one
 * ends, under load and with an API server that fails closed.
 */
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { pemBlocks } from '../../../src/http/authority.ts'
import { apiNames } from '../../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../../src/mesh/config.ts'
import { ALL_CASES, testAtNight } from '../../runs.ts'
import { reviewOf } from '../../servers/reviews.ts'
import {
  type AdmissionServer,
  type CertificateFiles,
  hasOtherClocks,
  installWebhooks,
  type Start,
  startAdmission,
  writeCertificate,
} from '../admission-server.ts'
import { configureClients } from '../client-certificates.ts'
import { useCluster } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { startLoad } from '../load.ts'
import { guarded, HOST } from '../replicas.ts'
import { gateway, namespace, policy, until } from '../resources.ts'
import { ADMIN } from '../users.ts'
import { layWire, type Wire } from '../wire.ts'

/** The port is the one for which the API server has a client certificate. */
const { folder, port, clients, strangers, flags: withClients } = await configureClients()
const cluster = useCluster({ flags: () => withClients })
const { kubectl, store, read } = cluster
let certificate: CertificateFiles
let servers: AdmissionServer[] = []
let wire: Wire | undefined

const path = (name: string): string => join(folder, name)

beforeAll(async () => {
  certificate = await writeCertificate(folder)
})
afterEach(async () => {
  for (const server of servers) await server.stop()
  await wire?.stop()
  servers = []
  wire = undefined
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts two workers that watch the cluster, and waits until both know it. */
async function start(flags: readonly string[] = certificate.flags, more: Start = {}): Promise<AdmissionServer> {
  copyFileSync(cluster.kubeconfig(ADMIN), path('kubeconfig'))
  const server = await startAdmission(['--workers', '2', '--kubeconfig', path('kubeconfig'), ...flags], more)
  servers.push(server)
  await until('all workers know the cluster', () => server.isSynced())
  return server
}

/** Sends the API server to it. */
async function install(
  to: { readonly port: number } = servers[0] ?? { port: 0 },
  { authority } = certificate,
): Promise<void> {
  await installWebhooks(kubectl, { port: to.port, authority, failurePolicy: 'Fail' })
  await guarded(kubectl)
}

const workersOf = ({ pid }: AdmissionServer): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** The value of a series; 0 where there is none yet. */
const metric = async (server: AdmissionServer, series: string): Promise<number> => {
  const line = (await server.metrics()).split('\n').find((text) => text.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
}
const listening = (server: AdmissionServer) => metric(server, 'sluice_workers_listening')
const logged = (server: AdmissionServer, words: string, seconds?: number) =>
  until(`the log has "${words}"`, () => server.log.some((line) => line.includes(words)), seconds)

type Sent = { readonly answer: string; readonly serial: string }

/** Sends a review over a new connection, which the next worker gets. */
const send = (
  to: { readonly port: number },
  object: object,
  identity: { readonly ca: string | Buffer; readonly cert?: Buffer; readonly key?: Buffer },
  path = '/validate',
): Promise<Sent> =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const target = { host: HOST, servername: 'localhost', port: to.port, path, agent: false } as const
    let serial = ''
    request({ ...target, ...identity, method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ answer: text, serial }))
    })
      .on('socket', (socket) =>
        socket.once('secureConnect', () => {
          serial = 'getPeerCertificate' in socket ? String(Object(socket).getPeerCertificate().serialNumber) : ''
        }),
      )
      .on('error', (error) => resolve({ answer: 'code' in error ? String(error.code) : error.message, serial }))
      .end(JSON.stringify(reviewOf({ object, namespace: 'default', name: 'one' })))
  })

const GOOD = policy('good', ['Gateway/edge'])
const SEVERAL = Array.from({ length: 6 }, (_, index) => index)

/** What several new connections get, one after the other; each worker gets some. */
async function sendSeveral(
  to: { readonly port: number },
  object: object = GOOD,
  identity: Parameters<typeof send>[2] = { ca: certificate.authority.cert },
  path?: string,
): Promise<readonly Sent[]> {
  const all: Sent[] = []
  for (const _ of SEVERAL) all.push(await send(to, object, identity, path))
  return all
}

const WARNED = 'sluice_admission_reviews_total{path="/validate",operation="CREATE",outcome="warned"}'
const LANES = 6

test('every worker judges with the cluster as it is, and the metrics are those of all', async () => {
  const server = await start()
  await install()
  expect([await server.ready(), await listening(server)]).toEqual([200, 2])
  const onNew = policy('on-new', ['Gateway/new'])
  const before = await metric(server, WARNED)
  for (const { answer } of await sendSeveral(server, onNew)) expect(answer).toContain('warnings')
  expect((await metric(server, WARNED)) - before).toBe(SEVERAL.length)
  await store([gateway('new')])
  await until('both workers know the Gateway', async () =>
    (await sendSeveral(server, onNew)).every(({ answer }) => !answer.includes('warnings')),
  )
  await until('the number of objects is that of one worker', async () => {
    const { items } = await read('gateways -A')
    return (await metric(server, 'sluice_watch_objects{kind="Gateway"}')) === items.length
  })
  await must(kubectl('delete gateways.gateway.networking.k8s.io new'))
  await until('both workers know that it is gone', async () =>
    (await sendSeveral(server, onNew)).every(({ answer }) => answer.includes('warnings')),
  )
})

testAtNight(
  'a worker that is killed loses the calls that it was processing, and its successor knows the cluster',
  async () => {
    const server = await start()
    await install()
    const load = startLoad(cluster)
    await load.grow(LANES)
    const [victim = 0] = workersOf(server)
    process.kill(victim, 'SIGKILL')
    await load.grow(LANES)
    // One call of each writer at the most; those that came last may have been sent to it, too.
    expect(load.refusals.length).toBeLessThanOrEqual(2 * LANES)
    for (const refusal of load.refusals) expect(refusal).toContain('failed calling webhook')
    const lost = load.refusals.length
    await logged(server, 'a worker listens in place of one that ended')
    await until('all workers know the cluster', () => server.isSynced())
    await load.grow(LANES)
    expect((await load.stop()).length).toBe(lost)
    expect([await listening(server), await server.ready(), workersOf(server).includes(victim)]).toEqual([2, 200, false])
    for (const { answer } of await sendSeveral(server, policy('on-none', ['Gateway/none'])))
      expect(answer).toContain('warnings')
  },
)

test('all workers answer their calls when the primary process is told to stop, and none remains', async () => {
  const server = await start()
  const other = await startAdmission([...certificate.flags, '--standalone'])
  servers.push(other)
  wire = await layWire(...servers.map((one) => `https://${HOST}:${one.port}`))
  await install({ port: Number(new URL(wire.url).port) })
  const load = startLoad(cluster)
  await load.grow(2 * LANES)
  const workers = workersOf(server)
  expect(await server.stop()).toBe(0)
  await load.grow(LANES)
  expect(await load.stop()).toEqual([])
  expect(server.log.at(-1)).toContain('stopped: all reviews have been answered')
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

testAtNight('a worker that cannot start is tried again less and less often, while the others serve', async () => {
  const server = await start()
  await install()
  const load = startLoad(cluster)
  await load.grow(LANES)
  renameSync(path('kubeconfig'), path('kubeconfig.away'))
  process.kill(workersOf(server)[0] ?? 0, 'SIGKILL')
  const delays = () =>
    server.log.flatMap((line) => (line.includes('another one will replace it') ? [JSON.parse(line).delay] : []))
  await until('it was tried several times', () => delays().length >= 5, 300)
  expect(delays().slice(0, 5)).toEqual([250, 500, 1000, 2000, 4000])
  const lost = load.refusals.length
  expect(lost).toBeLessThanOrEqual(LANES)
  await load.grow(LANES)
  expect([await listening(server), await server.ready()]).toEqual([1, 200])
  const reasons = server.log.flatMap((line) => (line.includes('will replace it') ? [JSON.parse(line).reason] : []))
  expect(reasons.at(-1)).toBe(`--kubeconfig ${path('kubeconfig')}: no such file or folder`)
  renameSync(path('kubeconfig.away'), path('kubeconfig'))
  await until('it has started', async () => (await listening(server)) === 2, 300)
  expect((await load.stop()).length).toBe(lost)
})

test('new settings and a new certificate reach all workers, and no call is lost', async () => {
  writeFileSync(path('settings.yaml'), '')
  const server = await start([...certificate.flags, '--config', path('settings.yaml')])
  await install()
  const load = startLoad(cluster)
  await load.grow(LANES)
  const bad = policy('bad', ['Gateway/edge'], { rejectCode: 200 })
  const allowed = async () => (await sendSeveral(server, bad)).map(({ answer }) => JSON.parse(answer).response.allowed)
  expect(new Set(await allowed())).toEqual(new Set([false]))
  writeFileSync(path('settings.yaml'), 'admission: { enforce: warn }\n')
  await until('all workers warn', async () => (await allowed()).every(Boolean))
  writeFileSync(path('settings.yaml'), 'admission: { enforced: deny }\n')
  await until('they are reported', async () => (await metric(server, 'sluice_settings_valid')) === 0)
  expect(new Set(await allowed())).toEqual(new Set([true]))
  writeFileSync(path('settings.yaml'), '')
  await until('all workers deny', async () => (await allowed()).every((isAllowed) => !isAllowed))
  const [old] = await sendSeveral(server)
  await writeCertificate(folder, certificate.authority)
  await until('all workers have the new certificate', async () => {
    const serials = new Set((await sendSeveral(server)).map(({ serial }) => serial))
    return serials.size === 1 && !serials.has(old?.serial ?? '')
  })
  await load.grow(LANES)
  expect(await load.stop()).toEqual([])
})

testAtNight('with --mesh all workers add the sidecar, by the configuration as it is', async () => {
  const server = await start([...certificate.flags, '--mesh'])
  const spec = { containers: [{ name: 'app', image: 'app:1' }] }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec }
  const adds = async () => {
    const sent = await sendSeveral(server, pod, { ca: certificate.authority.cert }, '/mutate-mesh-pods')
    return sent.map(({ answer }) => 'patch' in JSON.parse(answer).response)
  }
  await until('all workers add it', async () => (await adds()).every(Boolean))
  const injection = { isAutoInjectEnabled: false, enabledNamespaces: [], disabledNamespaces: [] }
  const data = { 'mesh-config.json': JSON.stringify({ ...initialConfig(apiNames()), injection }) }
  const metadata = { name: 'mesh-config', namespace: 'nginx-mesh' }
  const stored = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
  await store([namespace('nginx-mesh'), stored])
  await until('no worker adds it', async () => !(await adds()).some(Boolean))
  await must(kubectl('delete configmap mesh-config -n nginx-mesh'))
  await until('all workers add it again', async () => (await adds()).every(Boolean))
})

testAtNight('--client-ca holds for all workers, also for a new authority', async () => {
  copyFileSync(clients.authority, path('ca.crt'))
  const server = await start([...certificate.flags, '--client-ca', path('ca.crt')], { port })
  await install()
  const asks = async (one?: typeof clients) => {
    const own = one ? { cert: readFileSync(one.cert), key: readFileSync(one.key) } : {}
    const all = await sendSeveral(server, GOOD, { ca: certificate.authority.cert, ...own })
    return all.map(({ answer }) => answer.includes('"allowed":true'))
  }
  const [everyone, nobody] = [SEVERAL.map(() => true), SEVERAL.map(() => false)]
  expect([await asks(clients), await asks(strangers), await asks()]).toEqual([everyone, nobody, nobody])
  const load = startLoad(cluster)
  await load.grow(LANES)
  writeFileSync(path('ca.crt'), readFileSync(clients.authority, 'utf8') + readFileSync(strangers.authority, 'utf8'))
  await until('all workers know the other authority', async () => (await asks(strangers)).every(Boolean))
  await load.grow(LANES)
  expect([await asks(clients), await asks()]).toEqual([everyone, nobody])
  expect(await load.stop()).toEqual([])
  process.kill(workersOf(server)[0] ?? 0, 'SIGKILL')
  await logged(server, 'a worker listens in place of one that ended')
  expect([await asks(strangers), await asks()]).toEqual([everyone, nobody])
})

test.runIf(ALL_CASES && hasOtherClocks)(
  'a certificate of its own is renewed in all workers, and no call is lost',
  async () => {
    // Two thirds of its year were over a day ago.
    writeFileSync(path('clock'), `-${(365 * 2 * 24 * 3600) / 3 + 24 * 3600}s`)
    // The API server's own certificate does not begin so early, so this one watches no cluster.
    const server = await startAdmission(['--workers', '2', '--standalone'], { clock: path('clock') })
    servers.push(server)
    await logged(server, 'caBundle: ')
    const bundle = /caBundle: (\S+)/.exec(server.log.join('\n'))?.[1] ?? ''
    const authority = Buffer.from(bundle, 'base64').toString()
    expect(pemBlocks(authority)).toHaveLength(1)
    await install(server, { flags: [], authority: { cert: authority, key: '' } })
    const load = startLoad(cluster)
    await load.grow(LANES)
    const serials = async () =>
      new Set((await sendSeveral(server, GOOD, { ca: authority })).map(({ serial }) => serial))
    const [before] = [...(await serials())]
    const expiry = () => metric(server, 'sluice_certificate_expiry_timestamp_seconds')
    const first = await expiry()
    writeFileSync(path('clock'), '+0s')
    await logged(server, 'a new certificate is in use', 120)
    await load.grow(LANES)
    const after = await serials()
    expect([after.size, after.has(before ?? '')]).toEqual([1, false])
    expect(await expiry()).toBeGreaterThan(first)
    expect(await load.stop()).toEqual([])
  },
)
