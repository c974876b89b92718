/** Random worlds of policies on Gateways and routes, with mistakes of each sort, for the tests that compare verdicts. */
import fc from 'fast-check'
import type { FabricVersion } from '../../src/fabric/releases.ts'
import type { Json, JsonObject } from '../../src/json/member.ts'
import type { Contender } from './conflict-oracle.ts'
import { gateway, policy, route } from './manifests.ts'

/**
 * Who rejects a policy. `drops`: the API server drops a field; `later`: a placeholder makes its limit unknown.
 */
type Judge = 'nobody' | 'api-server' | 'nginx' | 'drops' | 'later'

/** The parts of a policy that a mistake changes. */
type Parts = {
  apiVersion: string
  metadata: JsonObject & { name: string }
  targetRefs: Json
  settings: JsonObject
  limit: JsonObject
}

type Mistake = readonly [judge: Judge, make: (parts: Parts) => Partial<Parts>]

const limit =
  (fields: JsonObject): Mistake[1] =>
  ({ limit: own }) => ({ limit: { ...own, ...fields } })
const settings =
  (fields: JsonObject): Mistake[1] =>
  (parts) => ({ settings: { ...parts.settings, ...fields } })
const targets =
  (change: (refs: JsonObject[]) => Json[]): Mistake[1] =>
  ({ targetRefs }) => ({ targetRefs: change(targetRefs as JsonObject[]) })
const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([member]) => member !== name))

const MISTAKES: readonly Mistake[] = [
  ['api-server', settings({ rejectCode: 200 })],
  ['api-server', settings({ rejectCode: '429' })],
  ['api-server', settings({ logLevel: 'loud' })],
  ['api-server', settings({ dryRun: 'yes' })],
  ['api-server', limit({ rate: '1R/S' })],
  ['api-server', limit({ rate: 10 })],
  ['api-server', ({ limit: own }) => ({ limit: without(own, 'rate') })],
  ['api-server', ({ limit: own }) => ({ limit: { ...without(own, 'rate'), Rate: '1r/s' } })],
  ['api-server', limit({ zoneSize: '10M' })],
  ['api-server', limit({ key: '$host uri' })],
  ['api-server', limit({ burst: -1 })],
  ['api-server', limit({ burst: 2 ** 31 })],
  ['api-server', limit({ burst: 5, delay: 0, noDelay: true })],
  ['api-server', targets((refs) => [...refs, ...refs.slice(0, 1)])],
  [
    'api-server',
    targets((refs) => [...refs, { ...refs[0], kind: refs[0]?.kind === 'Gateway' ? 'HTTPRoute' : 'Gateway' }]),
  ],
  ['api-server', targets((refs) => refs.map((ref) => without(ref, 'group')))],
  ['api-server', targets((refs) => [...refs, { ...refs[0], kind: 'Service' }])],
  [
    'api-server',
    targets((refs) => [...refs, ...Array.from({ length: 16 }, (_, i) => ({ ...refs[0], name: `more-${i}` }))]),
  ],
  ['api-server', () => ({ apiVersion: 'gateway.nginx.org/v1' })],
  ['api-server', () => ({ apiVersion: 'gateway.nginx.com/v1alpha1' })],
  ['api-server', ({ metadata }) => ({ metadata: { ...metadata, labels: { tier: 1 } } })],
  ['nginx', limit({ rate: '0r/s' })],
  ['nginx', limit({ zoneSize: '1g' })],
  ['nginx', limit({ zoneSize: '1k' })],
  ['nginx', limit({ key: '$nope' })],
  ['nginx', limit({ key: '"$host' })],
  ['drops', limit({ tempo: 1 })],
  ['drops', settings({ reject_code: 429 })],
  ['later', limit({ rate: `\${RATE}` })],
]

/** A policy of a random world. */
export type RandomPolicy = Contender & {
  readonly judge: Judge
  readonly object: JsonObject
  /** The targets as they are written, also those that do not exist. */
  readonly written: readonly string[]
  readonly namespace: string
}

const TIMES = [
  ...['2025-01-01T00:00:00Z', '2025-01-01T00:00:00.7Z', '2025-01-01T01:00:00+01:00'],
  ...['2025-01-01T00:00:01Z', '2025-03-01T00:00:00Z'],
]

/** The targets of random policies; those called `gone` do not exist. */
const TARGETS: Readonly<Record<'routes' | 'gateways', readonly string[]>> = {
  routes: ['HTTPRoute/coffee', 'HTTPRoute/tea', 'GRPCRoute/chat', 'HTTPRoute/gone'],
  gateways: ['Gateway/edge', 'Gateway/inner', 'Gateway/gone'],
}

/** The objects around the policies. */
export const SURROUNDINGS = [
  gateway('edge'),
  gateway('inner'),
  route('coffee', { rules: [{ matches: [{ path: { value: '/coffee' } }] }] }),
  route('tea', {
    parentRefs: [{ name: 'edge' }, { name: 'inner' }],
    rules: [{ matches: [{ path: { value: '/tea' } }] }],
  }),
  route('chat', { parentRefs: [{ name: 'inner' }] }, 'GRPCRoute'),
]

const optional = <Value>(values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })

const policyOn = (
  on: typeof TARGETS,
  namespaces: readonly string[],
  mistake: fc.Arbitrary<Mistake | undefined>,
): fc.Arbitrary<RandomPolicy> =>
  fc
    .record({
      name: fc.constantFrom('a', 'a-1', 'a10', 'a9', 'b', 'b.1', 'c', 'z'),
      namespace: fc.constantFrom(...namespaces),
      targets: fc.oneof(
        fc.subarray([...on.routes], { minLength: 1, maxLength: 3 }),
        fc.subarray([...on.gateways], { minLength: 1, maxLength: 2 }),
      ),
      created: fc.option(fc.constantFrom(...TIMES), { nil: undefined, freq: 3 }),
      dryRun: optional([true, false, null]),
      logLevel: optional(['warn', 'info']),
      rejectCode: optional([429, 503]),
      mistake,
    })
    .map(({ name, namespace, targets: on, created, mistake, ...written }) => {
      const set = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)) as JsonObject
      const metadata = created === undefined ? { name, namespace } : { name, namespace, creationTimestamp: created }
      const good = policy(metadata, on, set) as JsonObject & { metadata: Parts['metadata']; spec: { targetRefs: Json } }
      const parts: Parts = {
        apiVersion: 'gateway.nginx.org/v1alpha1',
        metadata: good.metadata,
        targetRefs: good.spec.targetRefs,
        settings: set,
        limit: { key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' },
      }
      const {
        apiVersion,
        metadata: named,
        targetRefs,
        settings: own,
        limit: rule,
      } = { ...parts, ...mistake?.[1](parts) }
      return {
        name,
        created,
        settings: set,
        judge: mistake?.[0] ?? 'nobody',
        written: on,
        namespace,
        targets: on.filter((target) => !target.endsWith('/gone')),
        object: {
          apiVersion,
          kind: 'RateLimitPolicy',
          metadata: named,
          spec: { targetRefs, rateLimit: { ...own, local: { rules: [rule] } } },
        },
      }
    })

/** Policies of different names. */
export const randomPolicies: fc.Arbitrary<readonly RandomPolicy[]> = fc.uniqueArray(
  policyOn(TARGETS, ['shop'], optional(MISTAKES)),
  { selector: ({ name }) => name, minLength: 2, maxLength: 7 },
)

const API = 'gateway.networking.k8s.io/v1'
const kindOf = (kind: string, name: string, namespace: string | undefined, spec: JsonObject): JsonObject => ({
  apiVersion: API,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec,
})

/** Classes by name; `nowhere` is in no world. */
const CLASSES = {
  nginx: 'gateway.nginx.org/nginx-gateway-controller',
  second: 'gateway.nginx.org/second-controller',
  envoy: 'gateway.envoyproxy.io/gatewayclass-controller',
  istio: 'istio.io/gateway-controller',
} as const

/** One of eight times another value. */
const mostly = <Value>(usual: Value, others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const from = fc.constantFrom<JsonObject | undefined>(
  ...[undefined, { from: 'Same' }, { from: 'None' }, ...Array.from({ length: 5 }, () => ({ from: 'All' }))],
  { from: 'Selector', selector: { matchLabels: { 'kubernetes.io/metadata.name': 'away' } } },
  { from: 'Selector', selector: { matchLabels: { team: 'tea' } } },
)

const listeners = fc
  .record({
    protocol: mostly('HTTP', ['HTTPS', 'TCP']),
    hostname: mostly(undefined, ['*.example', 'cafe.example']),
    kinds: mostly(undefined, [[{ kind: 'HTTPRoute' }], [{ kind: 'GRPCRoute' }]]),
    from,
  })
  .map(({ protocol, hostname, kinds, from: namespaces }): JsonObject => {
    const allowed = { ...(kinds ? { kinds } : {}), ...(namespaces ? { namespaces } : {}) }
    return { name: 'http', port: 80, protocol, ...(hostname ? { hostname } : {}), allowedRoutes: allowed }
  })

const classNames = fc.constantFrom('nginx', 'nginx', 'second', 'envoy', 'envoy', 'istio', 'nowhere')

const gateways = (name: string, namespace: string) =>
  fc
    .record({
      gatewayClassName: classNames,
      one: listeners,
      two: fc.option(listeners, { nil: undefined, freq: 2 }),
      allowedListeners: from,
    })
    .map(({ gatewayClassName, one, two, allowedListeners: namespaces }) =>
      kindOf('Gateway', name, namespace, {
        ...{ gatewayClassName, listeners: [one, ...(two ? [{ ...two, name: 'https', port: 443 }] : [])] },
        ...(namespaces ? { allowedListeners: { namespaces } } : {}),
      }),
    )

const parents = fc.subarray<JsonObject>(
  [
    ...[
      { name: 'edge', namespace: 'shop' },
      { name: 'inner', namespace: 'shop' },
      { name: 'hub', namespace: 'infra' },
    ],
    ...[{ name: 'gone' }, { name: 'edge', namespace: 'shop', sectionName: 'https' }],
    ...[
      { name: 'inner', namespace: 'shop', port: 80 },
      { name: 'set', namespace: 'shop', kind: 'ListenerSet' },
    ],
  ],
  { maxLength: 3 },
)

const routes = (kind: string, name: string, namespace: string) =>
  fc
    .record({ parentRefs: parents, hostname: optional(['cafe.example', 'tea.cafe.example', 'other.test']) })
    .map(({ parentRefs, hostname }) =>
      kindOf(kind, name, namespace, {
        parentRefs: parentRefs.map((parent) =>
          kind === 'GRPCRoute' ? { group: 'gateway.networking.k8s.io', ...parent } : parent,
        ),
        ...(hostname ? { hostnames: [hostname] } : {}),
        rules: [{ ...(kind === 'GRPCRoute' ? {} : { matches: [{ path: { value: `/${namespace}-${name}` } }] }) }],
      }),
    )

/** Gateways of several controllers, some of classes that are not known, routes that they take or not, and policies. */
export const randomPlaces = fc.record({
  policies: fc.uniqueArray(
    policyOn(
      { ...TARGETS, gateways: [...TARGETS.gateways, 'Gateway/hub'] },
      ['shop', 'shop', 'shop', 'away', 'infra'],
      mostly(undefined, MISTAKES),
    ),
    { selector: ({ namespace, name }) => `${namespace}/${name}`, minLength: 1, maxLength: 5 },
  ),
  around: fc
    .tuple(
      fc
        .subarray(Object.entries(CLASSES))
        .map((some) =>
          some.map(([name, controllerName]) => kindOf('GatewayClass', name, undefined, { controllerName })),
        ),
      fc.tuple(gateways('edge', 'shop'), gateways('inner', 'shop'), gateways('hub', 'infra')),
      fc.tuple(routes('HTTPRoute', 'coffee', 'shop'), routes('HTTPRoute', 'tea', 'shop')),
      fc.tuple(routes('GRPCRoute', 'chat', 'shop'), routes('HTTPRoute', 'tea', 'away')),
      fc.option(
        listeners.map((one) =>
          kindOf('ListenerSet', 'set', 'shop', {
            parentRef: { name: 'edge' },
            listeners: [{ ...one, name: 'extra', port: 81 }],
          }),
        ),
        { nil: undefined },
      ),
      fc.constantFrom(undefined, { team: 'tea' }, {}),
    )
    .map(([classes, some, own, others, set, labels]): readonly JsonObject[] => [
      ...[...classes, ...some, ...own, ...others, ...(set ? [set] : [])],
      ...(labels ? [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'away', labels } }] : []),
    ]),
  closedWorld: fc.boolean(),
  conflict: fc.constantFrom<'same-field' | 'any-field'>('same-field', 'any-field'),
  composition: fc.constantFrom<'stack' | 'inherit'>('stack', 'inherit'),
  fabricVersion: fc.constantFrom<FabricVersion>('2.4.0', '2.5.1', '2.6.2', '2.6.7', 'edge'),
  /** The route that is simulated. */
  simulated: fc.nat({ max: 3 }),
})

/** What {@link randomPlaces} makes. */
export type RandomPlaces = typeof randomPlaces extends fc.Arbitrary<infer Value> ? Value : never
