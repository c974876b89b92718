/** Lookups of routes, of both kinds. */
import type { JsonObject } from '../../json/member.ts'
import type { Identity } from '../../kubernetes/metadata.ts'
import { cachedBy, cachedByParts, cachedByTwo } from '../../world/cache.ts'
import type { Namespace } from '../../world/identities.ts'
import { ABSENT, found, type Lookup } from '../../world/lookup.ts'
import { type Change, changeOf, type Grouping, nameAfterBuild, replaced } from '../../world/objects.ts'
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

/** Routes by the Gateways and ListenerSets that they name. */
const BY_PARENT: Grouping<RouteView> = { isOwn: false, keysOf: parentsOf }

/** The routes of both kinds that name a parent; the same list for the same two. */
const joined = cachedByTwo((http: readonly RouteView[], grpc: readonly RouteView[]) => [...http, ...grpc])

/** The routes of a Gateway and its ListenerSets, each once; the same list for the same lists. */
const united = cachedByParts<GatewayView, readonly RouteView[], readonly RouteView[]>((lists) => [
  ...new Set(lists.flat()),
])

/** How the lookups of routes are made. */
export const ROUTES: LookupSpec<Routes> = {
  kinds: ['HTTPRoute', 'GRPCRoute'],
  needsClosedWorld: true,
  make(objects) {
    const http = objects.of(HTTP_ROUTE)
    const grpc = objects.of(GRPC_ROUTE)
    const ofKind = (kind: RouteKind) => (kind === 'HTTPRoute' ? http : grpc)
    const indexOf = (kind: RouteKind) => ofKind(kind).index()
    const naming = ({ kind, namespace, name }: Identity): readonly RouteView[] => {
      if (!namespace) return NONE
      const own = http.by(BY_PARENT).at(kind, namespace, name)
      const others = grpc.by(BY_PARENT).at(kind, namespace, name)
      return own && others ? joined(own, others) : (own ?? others ?? NONE)
    }
    const attached = cachedBy((gateway: GatewayView): readonly RouteView[] => {
      const { identity, sets = NONE, refusedSets = NONE } = gateway
      return sets.length + refusedSets.length === 0
        ? naming(identity)
        : united(gateway, [identity, ...sets, ...refusedSets].map(naming))
    })
    return {
      isEmpty: http.isEmpty && grpc.isEmpty,
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
