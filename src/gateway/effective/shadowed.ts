/** Limits of a route that a tighter one of its Gateway makes idle. Source: specification of RateLimitPolicy, items 6 to 8. */

import { type ConflictMode, fateOf } from '../conflicts/precedence.ts'
import type { Neighbours } from '../lookups.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'
import { parentGateways } from '../routing/attachment.ts'
import { type RoutesAround, routeTargets } from '../routing/route-targets.ts'
import { gatewayName, levelOn, type PlacedLimit } from './level.ts'
import { shadows, tightestByKey } from './tightness.ts'

export type ShadowedLimit = {
  readonly limit: LimitView
  /** The limit that is always met first. */
  readonly outer: PlacedLimit
  readonly gateway: string
}

/**
 * The limits of a policy that are never met, as every request to its targets passes one and the same Gateway with a tighter
 * limit by the same key. Behind a second Gateway, known or not, they could be met: then none is reported.
 */
export function shadowedLimits(
  policy: PolicyView,
  around: RoutesAround & Pick<Neighbours, 'policies'>,
  mode: ConflictMode,
): readonly ShadowedLimit[] {
  const gateway = onlyGateway(policy, around)
  if (!gateway || fateOf(policy, around.policies, mode).state !== 'kept') return []
  const level = levelOn(gatewayName(gateway), around.policies, mode)
  if (level.dryRun?.value === true) return []
  const tightest = tightestByKey(level.limits)
  return policy.limits.flatMap((limit) => {
    const outer = tightest.get(limit.key.value?.unquoted ?? '')
    return outer && shadows(outer.limit, limit) ? [{ limit, outer, gateway: gateway.name }] : []
  })
}

/** The one Gateway through which every request to a policy's targets comes, or undefined. */
function onlyGateway(policy: PolicyView, around: RoutesAround) {
  const routes = routeTargets(policy, around)
  if (routes.length === 0 || routes.length < policy.targets.length) return undefined
  const parents = routes.flatMap(({ route }) => parentGateways(route, around))
  const serving = parents.filter(({ attachment }) => attachment.state !== 'refused')
  const isCertain = serving.every(({ attachment }) => attachment.state === 'attached')
  const gateways = new Map(serving.map((parent) => [`${parent.namespace}/${parent.name}`, parent]))
  return isCertain && gateways.size === 1 ? serving[0] : undefined
}
