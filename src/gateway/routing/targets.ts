/**
 * The routes that a policy targets, the Gateways on which it has an effect, and the locations that it shares with
 * routes that it does not target. Source: Gateway API, route rules; specification of RateLimitPolicy, targets.
 */

import { mayShareNamespace } from '../../kubernetes/metadata.ts'
import { cachedByLatestTwo, cachedByThree } from '../../world/cache.ts'
import type { Lookup } from '../../world/lookup.ts'
import type { ConflictLookups } from '../conflicts/outcome.ts'
import type { ConflictMode } from '../conflicts/precedence.ts'
import { gatewayName, type Level, levelOn } from '../effective/level.ts'
import type { AttachmentLookups, NamespaceLookup } from '../lookups/lookups.ts'
import type { GatewayView, RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type NamedTarget, type PolicyView, type RouteKind } from '../objects/policy.ts'
import { attachmentOf, isServing, labelsFor, type ParentGateway, parentGateways } from './attachment.ts'
import { type Location, locationsOf } from './matches.ts'

/** What finds routes and decides about their attachment. */
export type RouteLookups = AttachmentLookups & {
  readonly routes: {
    /** True where no route is known at all. */
    readonly isEmpty?: boolean
    get(kind: RouteKind, namespace: string | undefined, name: string): Lookup<RouteView>
  }
}

/** What also finds the routes that name a Gateway. */
export type AttachedRouteLookups = RouteLookups & {
  readonly routes: { attachedTo(gateway: GatewayView): { readonly items: readonly RouteView[] } }
}

/** A target that is a route and was found. */
type RouteTarget = NamedTarget & { readonly kind: RouteKind; readonly route: RouteView }

/** The routes among the targets of a policy that are found, each with its entry in the policy. */
export function routeTargets(policy: PolicyView, { routes }: Pick<RouteLookups, 'routes'>): readonly RouteTarget[] {
  if (routes.isEmpty) return NONE
  return policy.namedTargets.flatMap(({ target, kind, name }) => {
    const route = isRouteKind(kind) ? routes.get(kind, policy.identity.namespace, name) : undefined
    return isRouteKind(kind) && route?.state === 'found' ? [{ target, kind, name, route: route.value }] : []
  })
}

const NONE: readonly never[] = []

/** A route that a policy targets, behind a Gateway that certainly accepts it, and the policies on both. */
export type AttachedTarget = RouteTarget & {
  readonly gateway: ParentGateway
  readonly own: Level
  readonly outer: Level
}

/** Where a policy is in effect: its routes, once for each Gateway that certainly accepts them. Empty for a policy that is not accepted. */
export function attachedTargets(
  policy: PolicyView,
  lookups: RouteLookups & ConflictLookups,
  mode: ConflictMode,
): readonly AttachedTarget[] {
  const { namespace } = policy.identity
  return routeTargets(policy, lookups).flatMap((found) => {
    const own = levelOn({ kind: found.kind, namespace, name: found.name }, lookups, mode)
    if (!own.accepted.has(policy)) return []
    return parentGateways(found.route, lookups)
      .filter(isServing)
      .map((gateway) => ({ ...found, gateway, own, outer: levelOn(gatewayName(gateway), lookups, mode) }))
  })
}

/** The known Gateways that a policy affects: its targets, and those that certainly accept its routes; each once. */
export function gatewaysOf(policy: PolicyView, lookups: RouteLookups): readonly GatewayView[] {
  const { namespace } = policy.identity
  const targeted = policy.namedTargets.flatMap(({ kind, name }) =>
    kind === 'Gateway' ? [lookups.gateways.get(namespace, name)] : [],
  )
  const serving = routeTargets(policy, lookups).flatMap(({ route }) =>
    parentGateways(route, lookups).flatMap((parent) => (isServing(parent) ? [parent.gateway] : [])),
  )
  const found = [...targeted, ...serving].flatMap((one) => (one.state === 'found' ? [one.value] : []))
  return [...new Set(found)].filter((gateway) => lookups.gateways.ownerOf(gateway) !== 'foreign')
}

/** The first item of each Gateway: further routes behind it repeat the same mistake. */
export function oncePerGateway<Item extends { readonly gateway: ParentGateway }>(
  items: readonly Item[],
): readonly Item[] {
  const seen = new Set<string>()
  return items.filter(({ gateway: { namespace, name } }) => {
    const key = `${namespace}/${name}`
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  })
}

const keyOf = ({ hostname, port, path }: Location): string => `${hostname}\n${port}\n${path}`

const locationsOn = (route: RouteView, gateway: GatewayView, namespaces: NamespaceLookup): readonly Location[] => {
  const attachment = attachmentOf(route, gateway, namespaces)
  return attachment.state === 'attached' ? locationsOf(route, attachment.listeners) : []
}

/** The keys of the locations of a route on a Gateway. */
const locationKeys = cachedByThree((namespaces: NamespaceLookup, gateway: GatewayView, route: RouteView) => [
  ...new Set(locationsOn(route, gateway, namespaces).map(keyOf)),
])

/** The routes at each location of one Gateway. */
type RoutesByLocation = ReadonlyMap<string, readonly RouteView[]>

const routesByLocation = cachedByThree(
  (namespaces: NamespaceLookup, gateway: GatewayView, routes: readonly RouteView[]): RoutesByLocation => {
    const found = new Map<string, RouteView[]>()
    for (const route of routes)
      for (const key of locationKeys(namespaces, gateway, route)) {
        const others = found.get(key)
        if (others) others.push(route)
        else found.set(key, [route])
      }
    return found
  },
)

/** A route that a policy targets, and a location of it at which another route answers that is not a target. */
export type SharedLocation = RouteTarget & {
  /** The name of the Gateway. */
  readonly gateway: string
  readonly location: Location
  readonly other: RouteView
  readonly on: GatewayView
}

/** True for a target of a policy, and for a route of another kind with its name, which counts as one in NGINX Gateway Fabric. */
export function isTargetOf({ namedTargets, identity: { namespace } }: PolicyView): (route: RouteView) => boolean {
  const targeted = new Set(namedTargets.map(({ name }) => name))
  return ({ identity }) =>
    targeted.has(identity.name ?? '') &&
    (identity.namespace === namespace || mayShareNamespace(identity.namespace, namespace))
}

/** The first shared location of each target. Two rules ask for them, one after the other. */
export const sharedLocations = (
  policy: PolicyView,
  { gateways, routes, namespaces }: AttachedRouteLookups,
): readonly SharedLocation[] => latestShared(policy, gateways)(routes, namespaces)

const latestShared = cachedByLatestTwo((policy: PolicyView, gateways: AttachedRouteLookups['gateways']) =>
  cachedByLatestTwo((routes: AttachedRouteLookups['routes'], namespaces: AttachedRouteLookups['namespaces']) =>
    findShared(policy, { gateways, routes, namespaces }),
  ),
)

function findShared(policy: PolicyView, lookups: AttachedRouteLookups): readonly SharedLocation[] {
  const targets = routeTargets(policy, lookups)
  if (targets.length === 0) return []
  const isTargeted = isTargetOf(policy)
  return targets.flatMap((found) => {
    for (const { gateway, isForeign } of parentGateways(found.route, lookups)) {
      if (gateway.state !== 'found' || isForeign) continue
      const { items } = lookups.routes.attachedTo(gateway.value)
      const namespaces = labelsFor(gateway.value.listeners, lookups.namespaces)
      const routes = routesByLocation(namespaces, gateway.value, items)
      for (const location of locationsOn(found.route, gateway.value, lookups.namespaces)) {
        const other = routes.get(keyOf(location))?.find((route) => !isTargeted(route))
        if (other) return [{ ...found, gateway: gateway.value.identity.name ?? '', location, other, on: gateway.value }]
      }
    }
    return []
  })
}
