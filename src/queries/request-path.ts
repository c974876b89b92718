/** All limits that apply to a request on its way through one Gateway, as plain data. */

import type { ConflictOutcome } from '../gateway/conflicts/outcome.ts'
import type { PrecedenceReason } from '../gateway/conflicts/precedence.ts'
import type { EffectiveAt } from '../gateway/effective/effective.ts'
import { tightestByKey } from '../gateway/effective/tightest.ts'
import type { PlacedLimit, TargetKind } from '../gateway/objects/policy.ts'
import {
  describeLimit,
  type LimitContext,
  type LimitDescription,
  type LimitRef,
  limitRef,
  type PolicyName,
  policyName,
} from './limit.ts'

export { PRECEDENCE } from '../gateway/conflicts/precedence.ts'

/** Two policies on one target that set the same fields. */
export type PolicyConflict = {
  readonly rejected: PolicyName
  readonly preferred: PolicyName
  /** The settings in conflict: those that both policies set; in mode `any-field`, those that the preferred one sets. */
  readonly fields: readonly string[]
  /**
   * Why the other is preferred: its `age` or its `name`. Where creation times are unknown it is assumed: `dated`, only the
   * other has one; `assumed`, by its name.
   */
  readonly decidedBy: PrecedenceReason
  readonly target: { readonly kind: TargetKind; readonly name: string }
  /** False where the result depends on the order in which the controller evaluates targets. */
  readonly certain: boolean
}

/** The lowest rate for one key. */
type LowestRate = LimitRef & {
  /** The key as written. */
  readonly key: string
  /** The rate as written: `10r/s`. */
  readonly rate: string
  readonly requestsPerSecond: number
}

/** What applies to a request on its way through one Gateway. */
export type RequestPath = {
  /** In the order in which nginx evaluates them. */
  readonly limits: readonly LimitDescription[]
  /** Limits of the Gateway that the limits of the route replace. */
  readonly replaced: readonly LimitRef[]
  readonly conflicts: readonly PolicyConflict[]
  /** The rate that one value of a key can reach in the long run. Limits in dry run are not included. */
  readonly lowestRates: readonly LowestRate[]
  /** The number of zones, and their shared memory in bytes in each proxy. */
  readonly memory: { readonly zones: number; readonly bytes: number }
  /** False where objects that are unknown, or not certain, may change the result. */
  readonly complete: boolean
}

/** Describes what applies on one path. */
export function describeRequestPath(
  { limits, lifted, notAccepted, complete }: Pick<EffectiveAt, 'limits' | 'lifted' | 'notAccepted' | 'complete'>,
  context: LimitContext,
): RequestPath {
  const described = limits.map((limit) => describeLimit(limit, context))
  const zones = new Map(described.flatMap(({ zone, zoneBytes }) => (zoneBytes === null ? [] : [[zone, zoneBytes]])))
  const enforced = limits.filter(({ settings }) => !settings.dryRun.value)
  return {
    limits: described,
    replaced: lifted.map(limitRef),
    conflicts: notAccepted.flatMap(({ policy, outcome }) => describeConflicts(policyName(policy), outcome)),
    lowestRates: [...tightestByKey(enforced)].map(describeLowestRate),
    memory: { zones: zones.size, bytes: [...zones.values()].reduce((sum, bytes) => sum + bytes, 0) },
    complete,
  }
}

function describeConflicts(
  rejected: PolicyName,
  outcome: Exclude<ConflictOutcome, { state: 'accepted' }>,
): readonly PolicyConflict[] {
  const certain = outcome.state === 'rejected'
  const conflicts = outcome.state === 'rejected' ? outcome.conflicts : outcome.chains.map(({ conflict }) => conflict)
  return conflicts.map(({ preferred, fields, decidedBy, kind, name }) => ({
    rejected,
    preferred: policyName(preferred),
    fields,
    decidedBy,
    target: { kind, name },
    certain,
  }))
}

function describeLowestRate([key, placed]: readonly [string, PlacedLimit]): LowestRate {
  const { rate } = placed.limit
  return {
    key,
    rate: typeof rate.raw === 'string' ? rate.raw : '',
    requestsPerSecond: (rate.value?.thousandths ?? 0) / 1000,
    ...limitRef(placed),
  }
}
