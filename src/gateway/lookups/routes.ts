/** Lookups of routes, of both kinds. */
import type { JsonObject } from '../../json/member.ts'
import type { Identity } from '../../kubernetes/metadata.ts'
import { cachedBy, cachedByTwo } from '../../world/cache.ts'
import { type IdentityTable, type Namespace, tabulate } from '../../world/identities.ts'
import { ABSENT, found, type Lookup } from '../../world/lookup.ts'
import { type Change, changeOf, type KindObjects, nameAfterBuild, replaced } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import { type GatewayView, type RouteView, readRoute } from '../objects/gateways-and-routes.ts'
import type { RouteKind } from '../objects/policy.ts'
import { isFor, listenerSetKind, namesGateway } from '../routing/attachment.ts'
import { namesAfter, namespacesAfter } from './gateways.ts'
import type { Routes } from './lookups.ts'

/** HTTPRoutes as lookups read them. */
export const HTTP_ROUTE = {
  kind: 'HTTPRoute',
  read: (object: JsonObject, namespace?: string): RouteView => readRoute('HTTPRoute', object, namespace),
} as const

/** GRPCRoutes as lookups read them. */
export const GRPC_ROUTE = {
  kind: 'GRPCRoute',
  read: (object: JsonObject, namespace?: string): RouteView => readRoute('GRPCRoute', object, namespace),
} as const

/** One list where no route is attached: values derived from a list are cached by it. */
const NONE: readonly never[] = []

/** How the lookups of routes are made. */
export const ROUTES: LookupSpec<Routes> = {
  kinds: ['HTTPRoute', 'GRPCRoute'],
  needsClosedWorld: true,
  make(objects) {
    const http = objects.of(HTTP_ROUTE)
    const grpc = objects.of(GRPC_ROUTE)
    const ofKind = (kind: RouteKind) => (kind === 'HTTPRoute' ? http : grpc)
    const indexOf = (kind: RouteKind) => ofKind(kind).index()
    const naming = ({ kind, namespace, name }: Identity) =>
      (namespace && routesByParent(http, grpc).at(kind, namespace, name)) || NONE
    const attached = cachedBy(({ identity, sets = NONE, refusedSets = NONE }: GatewayView) => {
      const all = [identity, ...sets, ...refusedSets]
      return all.length === 1 ? naming(identity) : [...new Set(all.flatMap(naming))]
    })
    return {
      isEmpty: http.all().length + grpc.all().length === 0,
      get: (kind, namespace, name) => indexOf(kind).get(kind, namespace, name),
      namespacesOf: (kind, name) => indexOf(kind).namespacesOf(kind, name),
      namesIn: (kind, namespace) => indexOf(kind).namesIn(kind, namespace),
      nameAfterBuild: (kind, namespace, name) => nameAfterBuild(ofKind(kind), namespace, name),
      attachedTo: (gateway) => ({
        items: attached(gateway),
        complete: [http, grpc].every(({ closed, index }) => closed && index().allKnownIn(gateway.identity.namespace)),
      }),
    }
  },
  overlay(lookup, change) {
    const { before, after } = changeOf(change, HTTP_ROUTE) ?? changeOf(change, GRPC_ROUTE) ?? {}
    const changed = after ?? before
    return changed && changedRoutes(lookup, changed, after)
  },
  forTenant: (lookup) => ({ ...lookup, namespacesOf: (kind, name) => lookup.namespacesOf(kind, name).map(() => '') }),
}

type RouteObjects = KindObjects<RouteView>

/** The routes of each Gateway and ListenerSet that they name. */
const routesByParent = cachedByTwo(
  (http: RouteObjects, grpc: RouteObjects): IdentityTable<RouteView> =>
    tabulate((add) => {
      for (const route of [...http.index().unique, ...grpc.index().unique])
        for (const { kind, namespace, name } of parentsOf(route)) add(kind, namespace, name, route)
    }),
)

/** The Gateways and ListenerSets that a route names, each once. */
function parentsOf({ identity, parents }: RouteView) {
  const named = parents
    .filter((parent) => namesGateway(parent) || listenerSetKind(parent) !== undefined)
    .map(({ kind, namespace = identity.namespace, name }) => ({ kind, namespace, name }))
  return [...new Map(named.map((parent) => [`${parent.kind}/${parent.namespace}/${parent.name}`, parent])).values()]
}

function changedRoutes(lookup: Routes, changed: RouteView, after: Change<RouteView>['after']): Routes {
  const { identity } = changed
  const exists = after !== undefined
  const result: Lookup<RouteView> = after ? found(after) : ABSENT
  const lists = cachedBy((gateway: GatewayView) => {
    const isAttached = after?.parents.some((parent) => isFor(parent, identity.namespace, gateway)) ?? false
    return cachedBy((items: readonly RouteView[]) => replaced(items, changed, isAttached))
  })
  const isIt = (kind: RouteKind, namespace: Namespace, name: string) =>
    kind === identity.kind && namespace === identity.namespace && name === identity.name
  return {
    ...lookup,
    isEmpty: lookup.isEmpty && !exists,
    get: (kind, namespace, name) => (isIt(kind, namespace, name) ? result : lookup.get(kind, namespace, name)),
    namespacesOf(kind, name) {
      const known = lookup.namespacesOf(kind, name)
      return kind === identity.kind ? namespacesAfter(known, changed, name, exists) : known
    },
    namesIn(kind, namespace) {
      const known = lookup.namesIn(kind, namespace)
      return kind === identity.kind ? namesAfter(known, changed, namespace, exists) : known
    },
    attachedTo(gateway) {
      const { items, complete } = lookup.attachedTo(gateway)
      return { items: lists(gateway)(items), complete }
    },
  }
}
