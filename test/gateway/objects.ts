/** Policies, Gateways and routes with defaults for everything that a test does not set, and worlds of them. */
import {
  type GatewayView,
  type RouteView,
  readGateway,
  readRoute,
} from '../../src/gateway/objects/gateways-and-routes.ts'
import { type LimitView, type PolicyView, type RouteKind, readPolicy } from '../../src/gateway/objects/policy.ts'
import type { Json, JsonObject } from '../../src/json/member.ts'
import { buildWorld, type Inhabitants, type WorldOptions } from '../../src/world/build.ts'
import type { World } from '../../src/world/world.ts'

type PolicyParts = {
  /** `Gateway shop`, `HTTPRoute coffee` */
  readonly on?: readonly string[]
  readonly settings?: JsonObject
  readonly limits?: readonly JsonObject[]
  readonly created?: string | undefined
  readonly namespace?: string | undefined
  readonly annotations?: JsonObject
}

/** A policy in namespace `shop` on HTTPRoute `coffee`, unless `parts` say otherwise. */
export function policy(name: string, parts: PolicyParts = {}): PolicyView {
  const { on = ['HTTPRoute coffee'], settings = {}, limits = [], created, annotations = {} } = parts
  const namespace = 'namespace' in parts ? parts.namespace : 'shop'
  return readPolicy({
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name, annotations, creationTimestamp: created ?? null, namespace: namespace ?? null },
    spec: {
      targetRefs: on.map((target) => {
        const [kind = '', targetName = '', other] = target.split(' ')
        return { group: 'gateway.networking.k8s.io', kind, name: targetName, ...(other ? { namespace: other } : {}) }
      }),
      rateLimit: { ...settings, local: { rules: limits } },
    },
  })
}

/** A limit by the address of the client. */
export const perClient = (rate: string, more: JsonObject = {}): JsonObject => ({
  key: '$binary_remote_addr',
  rate,
  ...more,
})

const HTTP = { name: 'http', port: 80, protocol: 'HTTP' }

/** A Gateway in namespace `shop` with these listeners; by default one for HTTP. */
export const gateway = (name: string, listeners: readonly JsonObject[] = [HTTP], namespace = 'shop'): GatewayView =>
  readGateway({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name, namespace },
    spec: { gatewayClassName: 'nginx', listeners },
  })

/** A route in namespace `shop` behind Gateway `shop`, unless `spec` says otherwise. */
export const route = (
  name: string,
  spec: JsonObject = {},
  kind: RouteKind = 'HTTPRoute',
  namespace = 'shop',
): RouteView =>
  readRoute(kind, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind,
    metadata: { name, namespace },
    spec: { parentRefs: [{ name: 'shop' }], ...spec },
  })

/** A world of these objects, closed by default. */
export const world = (inhabitants: Partial<Inhabitants>, options: Partial<WorldOptions> = {}): World =>
  buildWorld(
    {
      policies: [],
      gateways: [],
      routes: [],
      snippets: [],
      namespaces: [],
      proxies: [],
      gatewayClasses: [],
      ...inhabitants,
    },
    { closed: true, ...options },
  )

/** A policy with these members in `spec`, and a target. */
export const policyWith = (spec: JsonObject): PolicyView =>
  readPolicy({
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name: 'coffee', namespace: 'shop' },
    spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }], ...spec },
  })

/** A policy with these limits. */
export const policyOf = (...rules: readonly Json[]): PolicyView => policyWith({ rateLimit: { local: { rules } } })

/** A limit with these fields, and a key and a rate. */
export function limitOf(fields: JsonObject): LimitView {
  const [limit] = policyOf({ key: '$binary_remote_addr', rate: '10r/s', ...fields }).limits
  if (!limit) throw new Error('a policy of one limit has none')
  return limit
}
