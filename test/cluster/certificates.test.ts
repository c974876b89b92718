import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchBundles } from '../../src/cluster/certificates/ca-bundle.ts'
import { bundleOf, LIVES, serviceNames } from '../../src/cluster/certificates/certificates.ts'
import { keepCertificates } from '../../src/cluster/certificates/keep-certificates.ts'
import { readSecret } from '../../src/cluster/certificates/secret.ts'
import { type Clock, systemClock } from '../../src/cluster/client/clock.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { pemBlocks } from '../../src/http/authority.ts'
import type { TlsMaterial } from '../../src/http/listen.ts'
import { createClock, type MovedClock } from './clock.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { until } from './resources.ts'
import { ROBOT } from './users.ts'

const cluster = useCluster()
const { kubectl, store, read } = cluster
const keepers: { stop(): void }[] = []

beforeAll(async () => {
  const shipped = ['namespace', 'access'].flatMap((name) => ['-f', join(MANIFESTS, `${name}.yaml`)])
  await must(kubectl(['apply', ...shipped]))
  await must(kubectl('create clusterrolebinding robots --clusterrole=sluice-admission --group=robots'))
  await must(kubectl('create rolebinding robots -n sluice-system --role=sluice-admission --group=robots'))
})
afterAll(() => {
  for (const keeper of keepers) keeper.stop()
})

/** The replicas have the rights of the manifests and no others. */
const MANIFESTS = join(import.meta.dirname, '../../webhook-config/base')

const CONFIGURATIONS = { validating: ['sluice-validating'], mutating: ['sluice-mutating'] }

/** The webhook configurations as manifests have them: without authorities. */
const manifests = () =>
  (['Validating', 'Mutating'] as const).map((kind) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: `sluice-${kind.toLowerCase()}` },
    webhooks: ['one', 'two'].map((name) => ({
      name: `${name}.sluice.policy`,
      clientConfig: { service: { namespace: 'sluice-system', name: 'sluice-admission', path: `/${name}` } },
      rules: [{ apiGroups: ['x.sluice.policy'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
    })),
  }))

/** A replica, and what it has served so far. */
function startReplica(clock: Clock) {
  const served: TlsMaterial[] = []
  const failures: string[] = []
  const repairs: (readonly [object: string, times: number])[] = []
  const kubeconfig = clusterOfFile(cluster.kubeconfig(ROBOT))
  const keeper = keepCertificates({
    kubeconfig,
    clock,
    secret: { namespace: 'sluice-system', name: 'sluice-admission-tls' },
    configurations: CONFIGURATIONS,
    names: serviceNames('sluice-admission', 'sluice-system'),
    serve: (material) => served.push(material),
    failed: (reason) => failures.push(reason),
    repaired: (object, times) => repairs.push([object, times]),
  })
  keepers.push(keeper)
  return { served, failures, repairs, keeper, kubeconfig }
}

const stored = async () => readSecret(await read('secret sluice-admission-tls -n sluice-system'))

/** The authorities that the API server trusts, of every webhook. */
async function trusted(): Promise<readonly string[]> {
  const kinds = 'validatingwebhookconfigurations/sluice-validating mutatingwebhookconfigurations/sluice-mutating'
  const { items } = await read(`${kinds}`)
  return items.flatMap((item: { webhooks: { clientConfig: { caBundle?: string } }[] }) =>
    item.webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()),
  )
}

/** Waits until a replica has looked at everything and waits for its clock. */
const settled = (time: MovedClock) => until('a replica is done', time.isIdle)

test('replicas that start together serve one certificate, and the API server trusts it', async () => {
  await store(manifests())
  const times = [createClock(), createClock(), createClock()]
  const replicas = times.map(({ clock }) => startReplica(clock))
  for (const time of times) await settled(time)
  const [first] = replicas
  const material = first?.served[0]
  if (!material) throw new Error(`nothing is served: ${first?.failures}`)
  for (const { served, failures } of replicas)
    expect({ served, failures }).toEqual({ served: [material], failures: [] })
  expect(() => createSecureContext(material)).not.toThrow()
  const bundle = bundleOf(await stored())
  expect(await trusted()).toEqual([bundle, bundle, bundle, bundle])
})

test('manifests applied again leave the authorities alone', async () => {
  const before = await trusted()
  await store(manifests())
  await must(kubectl('apply -f - --server-side --force-conflicts --field-manager=gitops', manifests()))
  expect(await trusted()).toEqual(before)
})

test('configurations that are not there are not made', async () => {
  const time = createClock()
  await must(kubectl('delete validatingwebhookconfiguration sluice-validating'))
  const { failures } = startReplica(time.clock)
  await settled(time)
  expect(failures).toEqual([])
  expect((await kubectl('get validatingwebhookconfiguration sluice-validating')).code).toBe(1)
  await store(manifests())
  time.advance(60_000)
  await settled(time)
  expect(await trusted()).toEqual(Array(4).fill(bundleOf(await stored())))
})

test('a serving certificate is renewed at two thirds of its life, by the same authority', async () => {
  const time = createClock()
  const { served } = startReplica(time.clock)
  await settled(time)
  const before = await stored()
  time.advance(LIVES.serving * 0.6)
  await settled(time)
  expect(served.length).toBe(1)
  time.advance(LIVES.serving * 0.07)
  await settled(time)
  expect(served.length).toBe(2)
  expect((await stored()).authorities).toEqual(before.authorities)
})

test('a new authority is published before it signs, and the old one stays until nothing of it can be served', async () => {
  const time = createClock()
  const { served } = startReplica(time.clock)
  await settled(time)
  const [old] = (await stored()).authorities
  time.advance((LIVES.authority * 2) / 3)
  await settled(time)
  const told = await stored()
  expect(told.authorities.length).toBe(2)
  expect(told.authorities[1]).toEqual(old)
  expect(served.at(-1)).toEqual(told.serving)
  expect((await trusted()).map((bundle) => pemBlocks(bundle).length)).toEqual([2, 2, 2, 2])

  time.advance(LIVES.settling)
  await settled(time)
  const signed = await stored()
  expect(signed.serving).not.toEqual(told.serving)
  expect(signed.authorities).toEqual(told.authorities)

  time.advance(LIVES.serving)
  await settled(time)
  expect((await stored()).authorities).toEqual([told.authorities[0]])
  expect((await trusted()).map((bundle) => pemBlocks(bundle).length)).toEqual([1, 1, 1, 1])
})

test('a bundle that another client empties is seen at once, and written again more slowly each time', async () => {
  const time = createClock()
  const { keeper, repairs, kubeconfig } = startReplica(time.clock)
  await settled(time)
  const right = keeper.bundle() ?? ''
  const bundles = watchBundles(kubeconfig, { configurations: CONFIGURATIONS, clock: systemClock, changed: () => {} })
  try {
    for (const [index, pause] of [500, 1000, 2000].entries()) {
      await until('the watch knows the bundles', () => !bundles.hasOther(right))
      const path = '/webhooks/0/clientConfig/caBundle'
      await must(
        kubectl([
          ...['patch', 'mutatingwebhookconfiguration', 'sluice-mutating', '--type=json'],
          ...['-p', JSON.stringify([{ op: 'replace', path, value: '' }])],
        ]),
      )
      await until('the change is seen', () => bundles.hasOther(right), 30)
      keeper.bundleChanged()
      expect(time.waits()).toEqual([pause])
      time.advance(pause)
      await settled(time)
      expect(repairs).toEqual(
        Array.from({ length: index + 1 }, (_, turn) => ['MutatingWebhookConfiguration/sluice-mutating', turn + 1]),
      )
    }
    expect(await trusted()).toEqual(Array(4).fill(right))
  } finally {
    bundles.stop()
  }
})

test('without an API server it says so and goes on once there is one', async () => {
  await cluster.stopServer()
  const time = createClock()
  const { served, failures } = startReplica(time.clock)
  await settled(time)
  expect(served).toEqual([])
  expect(failures.length).toBe(1)
  await cluster.startServer()
  time.advance(5_000)
  await settled(time)
  expect(served.length).toBe(1)
})
