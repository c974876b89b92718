/** How the limits and settings of a route interact with those of its Gateway. Source: specification of RateLimitPolicy, items 6 to 8; nginx, limit_req_dry_run. */

import { shadows } from '../../nginx/bucket.ts'
import { type ConflictLookups, outcomeOf } from '../conflicts/outcome.ts'
import type { ConflictMode } from '../conflicts/precedence.ts'
import type { LimitView, PlacedLimit, PolicyView, RouteKind } from '../objects/policy.ts'
import { attachmentOf, parentGateways } from '../routing/attachment.ts'
import {
  type AttachedRouteLookups,
  type AttachedTarget,
  attachedTargets,
  type RouteLookups,
  routeTargets,
} from '../routing/targets.ts'
import type { Composition, EffectiveModes } from './effective.ts'
import { gatewayName, type Level, levelOn } from './level.ts'

/**
 * How the `dryRun` of a route has another effect than its author can have intended:
 * - `spill`: `true` on a route without limits of its own switches off the limits of the Gateway;
 * - `outer-stays-dry`: `false` leaves the limits of the Gateway in dry run;
 * - `own-stays-dry`: `false` leaves even the route's own limits in the dry run of the Gateway.
 */
type DryRunMismatchKind = 'spill' | 'outer-stays-dry' | 'own-stays-dry'

/** The effect that the `dryRun` of a route has beside its intended one, given the policies on its Gateway and on itself. */
function dryRunMismatch(outer: Level, own: Level, composition: Composition): DryRunMismatchKind | undefined {
  const [isInherited, isOuterDry] = [composition === 'inherit', outer.dryRun?.value === true]
  if (own.dryRun?.value === true)
    return isInherited && own.limits.length === 0 && outer.limits.length > 0 && !isOuterDry ? 'spill' : undefined
  if (own.dryRun === undefined || !isOuterDry) return undefined
  if (isInherited && own.limits.length > 0) return 'own-stays-dry'
  return outer.limits.length > 0 ? 'outer-stays-dry' : undefined
}

/** A route on which the `dryRun` of a policy has an unintended effect, and the policy of the Gateway that is involved. */
type DryRunMismatch = AttachedTarget & {
  readonly mismatch: DryRunMismatchKind
  readonly outerPolicy: PolicyView | undefined
}

/** Every route and Gateway on which the `dryRun` of a policy has an unintended effect. */
export function dryRunMismatches(
  policy: PolicyView,
  lookups: RouteLookups & ConflictLookups,
  { composition, conflict }: EffectiveModes,
): readonly DryRunMismatch[] {
  if (policy.dryRun.value === undefined) return []
  return attachedTargets(policy, lookups, conflict).flatMap((target) => {
    const { own, outer } = target
    const mismatch = own.dryRun?.policy === policy ? dryRunMismatch(outer, own, composition) : undefined
    if (!mismatch) return []
    const outerPolicy = mismatch === 'spill' ? outer.limits[0]?.policy : outer.dryRun?.policy
    return [{ ...target, mismatch, outerPolicy }]
  })
}

/** A policy on a route whose limits the dry run of a Gateway switches off, as nothing on the route sets `dryRun`. */
type DryRoute = {
  readonly policy: PolicyView
  readonly kind: RouteKind
  readonly name: string
  readonly gateway: string
}

/**
 * The policies on routes that the `dryRun: true` of a policy on their Gateways switches off; with either composition a
 * setting that a route does not have is inherited. Routes of other namespaces belong to others.
 */
export function routesInDryRun(
  policy: PolicyView,
  lookups: AttachedRouteLookups & ConflictLookups,
  mode: ConflictMode,
): readonly DryRoute[] {
  const { namespace } = policy.identity
  if (policy.dryRun.value !== true) return []
  return policy.namedTargets.flatMap(({ kind, name: gateway }) => {
    const found = kind === 'Gateway' ? lookups.gateways.get(namespace, gateway) : undefined
    if (
      found?.state !== 'found' ||
      levelOn(gatewayName({ namespace, name: gateway }), lookups, mode).dryRun?.policy !== policy
    )
      return []
    return lookups.routes.attachedTo(found.value).items.flatMap((route): readonly DryRoute[] => {
      const { identity } = route
      if (identity.namespace !== namespace || attachmentOf(route, found.value, lookups.namespaces).state !== 'attached')
        return []
      const target = { ...identity, name: identity.name ?? '' }
      const own = levelOn(target, lookups, mode)
      const [first] = own.dryRun ? [] : own.limits
      return first ? [{ policy: first.policy, kind: identity.kind, name: target.name, gateway }] : []
    })
  })
}

/** A limit of a route that is never reached. */
type ShadowedLimit = {
  readonly limit: LimitView
  /** The limit of the Gateway that is always reached first. */
  readonly outer: PlacedLimit
  /** The name of the Gateway. */
  readonly gateway: string
}

/**
 * The limits of a policy that are never reached, because every request to its targets passes the same Gateway, which
 * has a tighter limit by the same key. Requests through a second Gateway, known or not, could reach them: then the list
 * is empty.
 */
export function shadowedLimits(
  policy: PolicyView,
  lookups: RouteLookups & ConflictLookups,
  mode: ConflictMode,
): readonly ShadowedLimit[] {
  const gateway = onlyGateway(policy, lookups)
  if (!gateway || outcomeOf(policy, lookups, mode).state !== 'accepted') return []
  const level = levelOn(gatewayName(gateway), lookups, mode)
  if (level.dryRun?.value === true) return []
  const tightest = level.tightest()
  return policy.limits.flatMap((limit) => {
    const outer = tightest.get(limit.key.value?.unquoted ?? '')
    return outer && shadows(outer.limit, limit) ? [{ limit, outer, gateway: gateway.name }] : []
  })
}

/** The one Gateway through which every request to the targets of a policy comes, or undefined. */
function onlyGateway(policy: PolicyView, lookups: RouteLookups) {
  const routes = routeTargets(policy, lookups)
  if (routes.length === 0 || routes.length < policy.targets.length) return undefined
  const parents = routes.flatMap(({ route }) => parentGateways(route, lookups))
  const serving = parents.filter(({ attachment, isForeign }) => !isForeign && attachment.state !== 'rejected')
  const isCertain = serving.every(({ attachment }) => attachment.state === 'attached')
  const gateways = new Map(serving.map((parent) => [`${parent.namespace}/${parent.name}`, parent]))
  return isCertain && gateways.size === 1 ? serving[0] : undefined
}
