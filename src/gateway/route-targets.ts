/** The routes that a policy targets, as far as they are in sight. */
import { type ParentGateway, parentGateways } from './attachment.ts'
import type { RouteView } from './attachments.ts'
import type { Lookup, Neighbours } from './neighbours.ts'
import { isRouteKind, namesOtherNamespace, type PolicyView, type RouteKind, type TargetView } from './policy.ts'

/** What finds routes and what decides on their attachment. */
export type RoutesAround = Pick<Neighbours, 'gateways' | 'namespaces'> & {
  readonly routes: { get(kind: RouteKind, namespace: string | undefined, name: string): Lookup<RouteView> }
}

/** A target that is a route and was found. */
export type RouteTarget = {
  readonly target: TargetView
  readonly kind: RouteKind
  readonly name: string
  readonly route: RouteView
}

/** The routes among a policy's targets that are found, each with its place in the policy. */
export function routeTargets(policy: PolicyView, { routes }: Pick<RoutesAround, 'routes'>): readonly RouteTarget[] {
  const { namespace } = policy.identity
  return policy.targets.flatMap((target) => {
    const [kind, name] = [target.kind.value, target.name.value]
    if (!kind || !isRouteKind(kind) || name === undefined || namesOtherNamespace(target, policy.identity)) return []
    const route = routes.get(kind, namespace, name)
    return route.state === 'found' ? [{ target, kind, name, route: route.value }] : []
  })
}

/** A route that a policy targets, and a Gateway that certainly takes it. */
export type AttachedTarget = RouteTarget & { readonly gateway: ParentGateway }

/** The Gateways that certainly take a route of this policy's targets; a Gateway comes once for each of its routes. */
export const attachedTargets = (policy: PolicyView, around: RoutesAround): readonly AttachedTarget[] =>
  routeTargets(policy, around).flatMap((target) =>
    parentGateways(target.route, around)
      .filter(({ attachment }) => attachment.state === 'attached')
      .map((gateway) => ({ ...target, gateway })),
  )
