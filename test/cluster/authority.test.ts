/**
 * The authority of our own replaced under load: two replicas that serve over one address, with clocks a minute apart,
 * and an API server that fails closed. Clocks begin so far back that what is made at the end is valid now.
 */
import { connect } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { bundleOf, LIVES } from '../../src/cluster/certificates/certificates.ts'
import { keepCertificates } from '../../src/cluster/certificates/keep-certificates.ts'
import { readSecret } from '../../src/cluster/certificates/secret.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { createAuthority, issueServing, pemBlocks, readCertificate } from '../../src/http/authority.ts'
import type { TlsMaterial } from '../../src/http/listen.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { createReviewer } from '../../src/servers/admission/reviewer.ts'
import { serveAdmission } from '../../src/servers/admission/serve.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { unknownWorld } from '../subjects.ts'
import { installWebhooks } from './admission-server.ts'
import { createClock } from './clock.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { type Load, startLoad } from './load.ts'
import { applyCrds, limit, namespace, policy, until } from './resources.ts'
import { ADMIN } from './users.ts'
import { layWire, type Wire } from './wire.ts'

const MINUTE = 60_000
const HOST = '127.0.0.1'
const NAMES = ['127.0.0.1', 'localhost']
const SECRET = { namespace: 'sluice-system', name: 'sluice-admission-tls' }

let plane: ControlPlane
let kubectl: Kubectl
let wire: Wire
let replicas: readonly Replica[] = []

beforeAll(async () => {
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await applyCrds(kubectl, ['ratelimitpolicies'])
  await must(kubectl('apply -f -', [namespace('sluice-system')]))
})
afterEach(async () => {
  for (const { stop } of replicas) await stop()
  await wire.stop()
  await must(kubectl('delete validatingwebhookconfigurations,mutatingwebhookconfigurations --all'))
  await must(kubectl('delete secret sluice-admission-tls -n sluice-system'))
})
afterAll(() => plane.stop())

type Replica = Awaited<ReturnType<typeof startReplica>>

const silent = () => {}
const log = { debug: silent, info: silent, warn: silent, error: silent }

/** A server with a certificate that nobody trusts until it has the one of the Secret. */
async function startReplica(begin: number) {
  const own = { from: Date.now() - MINUTE, until: Date.now() + 60 * MINUTE }
  const reviewer = createReviewer(DEFAULT_PROJECT, { rules: RULES, systems: SYSTEMS })
  const view = { world: unknownWorld(), synced: true, notSynced: [] }
  const serving = await serveAdmission({
    ...{ host: HOST, port: 0, healthPort: 0, log, metrics: createMetrics('0.1.0') },
    material: await issueServing(await createAuthority('nobody', own), NAMES, own),
    reviewer: () => reviewer,
    world: () => view,
    notReady: () => undefined,
    now: () => performance.now(),
    wallClock: Date.now,
  })
  const time = createClock(begin)
  const served: TlsMaterial[] = []
  const failures: string[] = []
  const keeper = keepCertificates({
    kubeconfig: clusterOfFile(plane.kubeconfig(ADMIN)),
    clock: time.clock,
    secret: SECRET,
    configurations: { validating: ['sluice-validating'], mutating: ['sluice-mutating'] },
    names: NAMES,
    serve(material) {
      served.push(material)
      serving.useCertificate(material)
    },
    failed: (reason) => failures.push(reason),
  })
  const stop = async () => {
    keeper.stop()
    await serving.stop({ drain: 0, grace: 1000 })
  }
  return { port: serving.port, time, served, failures, stop }
}

/** Starts two replicas behind one address, the second with a clock that goes a minute fast. */
async function startAll(begin: number, failurePolicy: 'Fail' | 'Ignore'): Promise<void> {
  replicas = [await startReplica(begin), await startReplica(begin + MINUTE)]
  wire = await layWire(...replicas.map(({ port }) => `https://${HOST}:${port}`))
  await installWebhooks(kubectl, { port: Number(new URL(wire.url).port), failurePolicy })
  await settled()
}

const settled = () => until('the replicas are done', () => replicas.every(({ time }) => time.isIdle()))

/** Moves all clocks, so that the slow one shows a moment. */
async function goTo(moment: number): Promise<void> {
  const [slow] = replicas
  const step = moment - (slow?.time.clock.now() ?? moment)
  for (const { time } of replicas) {
    time.advance(step)
    await settled()
  }
}

const BROKEN = policy('broken', ['Gateway/edge'], { local: { rules: [limit({ rate: '0r/s' })] } })
const guarded = () =>
  until('the webhook refuses', async () =>
    (await kubectl('apply --dry-run=server -f -', [BROKEN])).stderr.includes('rules[0].rate'),
  )

const stored = async () =>
  readSecret(JSON.parse(await must(kubectl('get secret sluice-admission-tls -n sluice-system -o json'))))

const trusted = async () =>
  Buffer.from(
    await must(
      kubectl('get validatingwebhookconfiguration sluice-validating -o jsonpath={.webhooks[0].clientConfig.caBundle}'),
    ),
    'base64',
  ).toString()

/** True where a client that trusts a bundle gets through to a replica. */
const isTrusted = ({ port }: Replica, ca: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: HOST, port, servername: 'localhost', ca: [...pemBlocks(ca)] }, () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })

const serials = () => replicas.map(({ served }) => served.at(-1)?.cert)

async function load(): Promise<Load> {
  const started = startLoad(plane)
  await started.grow()
  return started
}

test('a new authority comes and signs under load, and not one call fails', async () => {
  // Due twenty minutes before what two thirds of a life come to, as authorities begin an hour before they are made.
  const now = Date.now()
  await startAll(now - (LIVES.authority * 2) / 3, 'Fail')
  await goTo(now - 30 * MINUTE)
  await guarded()
  const [old] = (await stored()).authorities
  const before = serials()
  const running = await load()

  await goTo(now - 19 * MINUTE)
  const { authorities } = await stored()
  expect(authorities).toEqual([expect.not.objectContaining({ cert: old?.cert }), old])
  expect(await trusted()).toBe(bundleOf({ authorities, serving: undefined }))
  expect(serials()).toEqual(before)
  await running.grow()

  await goTo(now - 8 * MINUTE)
  const newest = authorities[0]?.cert ?? ''
  for (const cert of serials()) expect(readCertificate(cert ?? '')?.isSignedBy(newest)).toBe(true)
  await running.grow()
  for (const replica of replicas) expect(await isTrusted(replica, newest)).toBe(true)
  expect(await running.stop()).toEqual([])
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([])
})

test('the old authority goes under load, and not one call fails', async () => {
  const now = Date.now()
  const announced = now - LIVES.serving - LIVES.settling - 4 * MINUTE
  await startAll(announced + 19 * MINUTE - (LIVES.authority * 2) / 3, 'Fail')
  await goTo(announced)
  await goTo(announced + LIVES.settling + MINUTE)
  await goTo(now - 10 * MINUTE)
  expect((await stored()).authorities.length).toBe(2)
  await guarded()
  const running = await load()

  await goTo(now - 3 * MINUTE)
  const { authorities } = await stored()
  expect(authorities.length).toBe(1)
  expect(await trusted()).toBe(authorities[0]?.cert)
  await running.grow()
  expect(await running.stop()).toEqual([])
})

test('after the Secret was deleted calls may fail until every replica has looked; none is refused that may be ignored', async () => {
  await startAll(Date.now(), 'Ignore')
  await goTo(Date.now() + MINUTE)
  await guarded()
  const before = serials()
  const running = await load()
  await must(kubectl('delete secret sluice-admission-tls -n sluice-system'))
  for (const { time } of replicas) {
    time.advance(MINUTE)
    await settled()
    await running.grow()
  }
  expect(await running.stop()).toEqual([])
  for (const [index, cert] of serials().entries()) expect(cert).not.toBe(before[index])
  await guarded()
  for (const replica of replicas) expect(await isTrusted(replica, await trusted())).toBe(true)
})
