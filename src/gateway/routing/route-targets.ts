/** The routes that a policy targets, as far as they are in sight. */

import type { ConflictMode } from '../conflicts/precedence.ts'
import { gatewayName, type Level, levelOn } from '../effective/level.ts'
import type { Lookup, Neighbours } from '../lookups.ts'
import type { GatewayView, RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type NamedTarget, type PolicyView, type RouteKind } from '../objects/policy.ts'
import { type ParentGateway, parentGateways } from './attachment.ts'

/** What finds routes and what decides on their attachment. */
export type RoutesAround = Pick<Neighbours, 'gateways' | 'namespaces'> & {
  readonly routes: {
    /** True where not a single one is in sight. */
    readonly isEmpty?: boolean
    get(kind: RouteKind, namespace: string | undefined, name: string): Lookup<RouteView>
  }
}

/** A target that is a route and was found. */
export type RouteTarget = NamedTarget & { readonly kind: RouteKind; readonly route: RouteView }

/** The routes among a policy's targets that are found, each with its place in the policy. */
export function routeTargets(policy: PolicyView, { routes }: Pick<RoutesAround, 'routes'>): readonly RouteTarget[] {
  if (routes.isEmpty) return NONE
  return policy.namedTargets.flatMap(({ target, kind, name }) => {
    const route = isRouteKind(kind) ? routes.get(kind, policy.identity.namespace, name) : undefined
    return isRouteKind(kind) && route?.state === 'found' ? [{ target, kind, name, route: route.value }] : []
  })
}

const NONE: readonly never[] = []

/** A route that a policy targets, behind a Gateway that certainly takes it, and the policies on both. */
export type AttachedTarget = RouteTarget & {
  readonly gateway: ParentGateway
  readonly own: Level
  readonly outer: Level
}

/** Where a policy holds: its routes, once for each Gateway that certainly takes them. Empty for a policy that loses. */
export function attachedTargets(
  policy: PolicyView,
  around: RoutesAround & Pick<Neighbours, 'policies'>,
  mode: ConflictMode,
): readonly AttachedTarget[] {
  const { namespace } = policy.identity
  return routeTargets(policy, around).flatMap((found) => {
    const own = levelOn({ kind: found.kind, namespace, name: found.name }, around.policies, mode)
    if (!own.kept.has(policy)) return []
    return parentGateways(found.route, around)
      .filter(({ attachment }) => attachment.state === 'attached')
      .map((gateway) => ({ ...found, gateway, own, outer: levelOn(gatewayName(gateway), around.policies, mode) }))
  })
}

/** The Gateways in sight that a policy works on: its targets, and those that certainly take its routes; each once. */
export function gatewaysOf(policy: PolicyView, around: RoutesAround): readonly GatewayView[] {
  const { namespace } = policy.identity
  const targeted = policy.namedTargets.flatMap(({ kind, name }) =>
    kind === 'Gateway' ? [around.gateways.get(namespace, name)] : [],
  )
  const serving = routeTargets(policy, around).flatMap(({ route }) =>
    parentGateways(route, around).flatMap(({ gateway, attachment }) =>
      attachment.state === 'attached' ? [gateway] : [],
    ),
  )
  return [...new Set([...targeted, ...serving].flatMap((found) => (found.state === 'found' ? [found.value] : [])))]
}

/** The first of several things that happen behind one Gateway: further routes make no further mistake. */
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
