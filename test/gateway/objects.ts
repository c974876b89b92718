/** Objects around the part that a test is about, and worlds of them. */

import type { GatewayLookups } from '../../src/gateway/lookups/lookups.ts'
import { SNIPPETS_FILTER } from '../../src/gateway/lookups/variables.ts'
import {
  type GatewayView,
  type ListenerSetView,
  type RouteView,
  readGateway,
  readRoute,
} from '../../src/gateway/objects/gateways-and-routes.ts'
import { type LimitView, type PolicyView, type RouteKind, readPolicy } from '../../src/gateway/objects/policy.ts'
import type { GatewayClassView, ProxyView } from '../../src/gateway/objects/proxy.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import type { Json, JsonObject } from '../../src/json/member.ts'
import { NAMESPACE_KIND } from '../../src/world/namespaces.ts'
import { kindObjects, noObjects, type ObjectView, objectsByKind } from '../../src/world/objects.ts'
import { createWorld } from '../../src/world/world.ts'

type PolicyParts = {
  /** `Gateway shop`, `HTTPRoute coffee` */
  readonly on?: readonly string[]
  readonly settings?: JsonObject
  readonly limits?: readonly JsonObject[]
  readonly created?: string | undefined
  readonly namespace?: string | undefined
  readonly annotations?: JsonObject
}

/** A policy in namespace `shop` on HTTPRoute `coffee`, unless `parts` differ. */
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

/** A route in namespace `shop` behind Gateway `shop`, unless `spec` differs. */
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

/** Objects by kind; absent kinds have none. */
export type WorldObjects = {
  readonly policies?: readonly PolicyView[]
  readonly gateways?: readonly GatewayView[]
  readonly routes?: readonly RouteView[]
  readonly listenerSets?: readonly ListenerSetView[]
  /** SnippetsFilters. */
  readonly snippets?: readonly JsonObject[]
  readonly namespaces?: readonly JsonObject[]
  readonly proxies?: readonly ProxyView[]
  readonly gatewayClasses?: readonly GatewayClassView[]
}

/** A world of these, closed by default; `before` are the policies before the change. */
export function world(
  objects: WorldObjects,
  { closed = true, before = [] }: { readonly closed?: boolean; readonly before?: readonly PolicyView[] } = {},
): GatewayLookups {
  const { policies = [], gateways = [], routes = [], proxies = [], gatewayClasses = [], listenerSets = [] } = objects
  const views: Readonly<Record<string, readonly ObjectView[]>> = {
    RateLimitPolicy: policies,
    Gateway: gateways,
    HTTPRoute: routes.filter(({ identity }) => identity.kind === 'HTTPRoute'),
    GRPCRoute: routes.filter(({ identity }) => identity.kind === 'GRPCRoute'),
    ListenerSet: listenerSets.filter(({ identity }) => identity.kind === 'ListenerSet'),
    XListenerSet: listenerSets.filter(({ identity }) => identity.kind === 'XListenerSet'),
    NginxProxy: proxies,
    GatewayClass: gatewayClasses,
    SnippetsFilter: (objects.snippets ?? []).map((object) => SNIPPETS_FILTER.read(object)),
    Namespace: (objects.namespaces ?? []).map((object) => NAMESPACE_KIND.read(object)),
  }
  const known = new Map(
    Object.entries(views).map(([kind, items]) => {
      const earlier = kind === 'RateLimitPolicy' ? kindObjects<ObjectView>(before, { closed }) : undefined
      return [kind, kindObjects(items, { closed, before: earlier })]
    }),
  )
  return createWorld(
    [GATEWAY_SYSTEM],
    objectsByKind((kind) => known.get(kind) ?? noObjects(closed)),
  ).lookups
}

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
