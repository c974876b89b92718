/** How the dryRun of a route and that of its Gateway miss each other. Source: nginx, limit_req_dry_run. */

import type { Neighbours } from '../lookups.ts'
import type { PolicyView } from '../objects/policy.ts'
import { type AttachedTarget, attachedTargets, type RoutesAround } from '../routing/route-targets.ts'
import type { Composition, EffectiveOptions } from './effective.ts'
import type { Level } from './level.ts'

/**
 * How the `dryRun` of a route misses what its author can have meant:
 * - `spill`: `true` without limits of the route's own switches off those of the Gateway;
 * - `outer-stays-dry`: `false` leaves the limits of the Gateway in dry run;
 * - `own-stays-dry`: `false` leaves even the route's own limits in the dry run of the Gateway.
 */
export type DryRunMishap = 'spill' | 'outer-stays-dry' | 'own-stays-dry'

/** What the `dryRun` of a route comes to, given the policies on its Gateway and on itself. */
export function dryRunMishap(outer: Level, own: Level, composition: Composition): DryRunMishap | undefined {
  const [isInherited, isOuterDry] = [composition === 'inherit', outer.dryRun?.value === true]
  if (own.dryRun?.value === true)
    return isInherited && own.limits.length === 0 && outer.limits.length > 0 && !isOuterDry ? 'spill' : undefined
  if (own.dryRun === undefined || !isOuterDry) return undefined
  if (isInherited && own.limits.length > 0) return 'own-stays-dry'
  return outer.limits.length > 0 ? 'outer-stays-dry' : undefined
}

/** Where the `dryRun` of a policy misses, and the Gateway's policy that it meets there. */
export type DryRunMiss = AttachedTarget & { readonly mishap: DryRunMishap; readonly met: PolicyView | undefined }

/** Every place where the `dryRun` of a policy misses what its author can have meant. */
export function dryRunMisses(
  policy: PolicyView,
  around: RoutesAround & Pick<Neighbours, 'policies'>,
  { composition, conflict }: EffectiveOptions,
): readonly DryRunMiss[] {
  if (policy.dryRun.value === undefined) return []
  return attachedTargets(policy, around, conflict).flatMap((target) => {
    const { own, outer } = target
    const mishap = own.dryRun?.policy === policy ? dryRunMishap(outer, own, composition) : undefined
    if (!mishap) return []
    return [{ ...target, mishap, met: mishap === 'spill' ? outer.limits[0]?.policy : outer.dryRun?.policy }]
  })
}
