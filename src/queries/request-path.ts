/** Everything that a request meets on its way through one Gateway, as plain data. */

import type { ConflictOutcome, PrecedenceReason } from '../gateway/conflicts/precedence.ts'
import { tightestByKey } from '../gateway/effective/bucket.ts'
import type { EffectiveAt } from '../gateway/effective/effective.ts'
import type { PlacedLimit } from '../gateway/effective/level.ts'
import type { TargetKind } from '../gateway/objects/policy.ts'
import {
  answerLimit,
  type LimitAnswer,
  type LimitGlasses,
  type LimitPlace,
  limitPlace,
  type PolicyName,
  policyName,
} from './limit.ts'

/** A policy that lost to another on a target. `certain` is false where it depends on the order of targets. */
export type LossAnswer = {
  readonly policy: PolicyName
  readonly winner: PolicyName
  /** The settings that both have; of a strict reading those that the winner has. */
  readonly fields: readonly string[]
  /** What put the winner first: `assumed` where creation times are not known, so that names decide. */
  readonly by: PrecedenceReason
  readonly target: { readonly kind: TargetKind; readonly name: string }
  readonly certain: boolean
}

/** The lowest rate for one key. */
export type TightestAnswer = LimitPlace & {
  readonly key: string
  readonly rate: string
  readonly requestsPerSecond: number
}

export type StretchAnswer = {
  /** In the order in which nginx looks at them. */
  readonly limits: readonly LimitAnswer[]
  /** Limits of the Gateway that those of the route replace. */
  readonly lifted: readonly LimitPlace[]
  readonly lost: readonly LossAnswer[]
  /** What one key can do in the long run; limits in dry run and by an empty key do not count. */
  readonly tightest: readonly TightestAnswer[]
  /** The zones of these limits; `bytes` of shared memory in every proxy. */
  readonly memory: { readonly zones: number; readonly bytes: number }
  readonly complete: boolean
}

type Stretch = Pick<EffectiveAt, 'limits' | 'lifted' | 'notAccepted' | 'complete'>

/** Tells of everything on the way. */
export function answerStretch(
  { limits, lifted, notAccepted, complete }: Stretch,
  glasses: LimitGlasses,
): StretchAnswer {
  const answers = limits.map((limit) => answerLimit(limit, glasses))
  const zones = new Map(answers.flatMap(({ zone }) => (zone ? [[zone.name, zone.bytes]] : [])))
  const enforced = limits.filter(({ settings }) => !settings.dryRun.value)
  return {
    limits: answers,
    lifted: lifted.map(limitPlace),
    lost: notAccepted.flatMap(({ policy, outcome }) => answerLosses(policyName(policy), outcome)),
    tightest: [...tightestByKey(enforced)].map(answerTightest),
    memory: { zones: zones.size, bytes: [...zones.values()].reduce((sum, bytes) => sum + bytes, 0) },
    complete,
  }
}

function answerLosses(
  policy: PolicyName,
  outcome: Exclude<ConflictOutcome, { state: 'accepted' }>,
): readonly LossAnswer[] {
  const certain = outcome.state === 'rejected'
  const losses = outcome.state === 'rejected' ? outcome.conflicts : outcome.chains.map(({ conflict }) => conflict)
  return losses.map(({ preferred, fields, decidedBy, kind, name }) => ({
    policy,
    winner: policyName(preferred),
    fields,
    by: decidedBy,
    target: { kind, name },
    certain,
  }))
}

function answerTightest([key, placed]: readonly [string, PlacedLimit]): TightestAnswer {
  const { rate } = placed.limit
  return {
    key,
    rate: typeof rate.raw === 'string' ? rate.raw : '',
    requestsPerSecond: (rate.value?.thousandths ?? 0) / 1000,
    ...limitPlace(placed),
  }
}
