/**
 * Which of two policies is preferred, and the conflicts on one target. Source: specification of RateLimitPolicy, "States
 * and transitions".
 *
 * The older policy is preferred; if both were created in the same second, the one whose name comes first. Only policies
 * that the API server accepts take part.
 */
import { compareText } from '../../text/order.ts'
import { type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'
import { apiRejection } from '../schema/acceptance.ts'

/**
 * When two policies conflict: both set the same field of `dryRun`, `logLevel` and `rejectCode` (values are not
 * compared), or the preferred policy sets any of the three.
 */
export type ConflictMode = 'same-field' | 'any-field'

/**
 * What decides which policy is preferred: `age`, or the `name` of two of the same age. Where creation times are not known
 * it is an assumption: `dated`, only the preferred policy has a creation time; `assumed`, neither has one, so the order
 * of names decides.
 */
export type PrecedenceReason = 'age' | 'name' | 'dated' | 'assumed'

/** Why the preferred policy is preferred, in the words of every command. */
export const PRECEDENCE: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'was created in the same second and comes first by name',
  dated: 'is the only one of the two with a creation time',
  assumed: 'comes first by name (creation times are not known)',
}

/** True for a reason that is not certain, because a creation time is not known. */
export const isAssumption = (reason: PrecedenceReason): boolean => reason === 'assumed' || reason === 'dated'

/** A conflict on one target, from the side of the policy that is rejected. */
export type Conflict = {
  readonly preferred: PolicyView
  /** The fields that both set; in mode `any-field` those that the preferred policy sets. Never empty. */
  readonly fields: readonly SharedSetting[]
  readonly decidedBy: PrecedenceReason
}

/** The shared settings that a policy sets: `dryRun: false` counts, `null` does not. */
export const settingsOf = (policy: PolicyView): readonly SharedSetting[] =>
  SHARED_SETTINGS.filter((field) => policy[field].value !== undefined)

/** True for a policy that can conflict with others: it has a name, and the API server accepts it. */
export const participates = (policy: PolicyView): boolean =>
  policy.identity.name !== undefined && apiRejection(policy) === undefined

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** When a policy was created, in whole seconds since 1970, or undefined where that is not known. */
export function createdAt({ metadata: { creationTimestamp } }: PolicyView): number | undefined {
  const { value } = creationTimestamp
  const milliseconds = value !== undefined && RFC_3339.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

/** A policy with what decides about it, in this order. One without a creation time counts as created after all that have one. */
export type Ranked = {
  readonly policy: PolicyView
  readonly seconds: number | undefined
  readonly isOld: boolean
  readonly name: string
}

/** `sign` is negative where the first policy is preferred. */
type Order = { readonly sign: number; readonly decidedBy: PrecedenceReason }

function compareRanks(a: Ranked, b: Ranked): Order {
  const byName = compareText(a.name, b.name)
  if (a.seconds !== undefined && b.seconds !== undefined) {
    const byTime = a.seconds - b.seconds
    return byTime === 0 ? { sign: byName, decidedBy: 'name' } : { sign: byTime, decidedBy: 'age' }
  }
  const byTime = Number(a.seconds === undefined) - Number(b.seconds === undefined)
  const byExistence = Number(b.isOld) - Number(a.isOld)
  const isCertain = byExistence !== 0 && (byTime === 0 || byTime > 0 === byExistence > 0)
  const assumption = byTime === 0 ? 'assumed' : 'dated'
  return { sign: byTime || byExistence || byName, decidedBy: isCertain ? 'age' : assumption }
}

/** True for policies that existed before a change; it decides where creation times are not known. */
type ExistedBefore = (policy: PolicyView) => boolean

/** The policies that take part, the preferred one first. */
export const rank = (policies: readonly PolicyView[], existedBefore: ExistedBefore): readonly Ranked[] =>
  policies
    .filter(participates)
    .map((policy) => ({
      policy,
      seconds: createdAt(policy),
      isOld: existedBefore(policy),
      name: policy.identity.name ?? '',
    }))
    .sort((a, b) => compareRanks(a, b).sign)

/** The policies on one target that set a field and may still be accepted there, as far as the ranking has been looked at. */
export type TargetClaims = {
  /** The conflicts of the next policy of the ranking, one for each policy that is preferred to it and may be accepted. */
  conflictsOf(candidate: Ranked): readonly Conflict[]
  /** Adds the claims of a policy that may be accepted on this target. */
  add(holder: Ranked): void
}

/** Starts without claims. */
export function targetClaims(mode: ConflictMode): TargetClaims {
  const holders = new Map<SharedSetting, readonly Ranked[]>()
  return {
    conflictsOf(candidate) {
      const compared = mode === 'any-field' ? SHARED_SETTINGS : settingsOf(candidate.policy)
      const preferred = new Set(compared.flatMap((field) => holders.get(field) ?? []))
      return [...preferred].map((holder) => ({
        preferred: holder.policy,
        fields: compared.filter((field) => holders.get(field)?.includes(holder)),
        decidedBy: compareRanks(holder, candidate).decidedBy,
      }))
    },
    add(holder) {
      for (const field of settingsOf(holder.policy)) holders.set(field, [...(holders.get(field) ?? []), holder])
    },
  }
}

/** The result of comparing the policies on one target alone. */
type ConflictResolution = {
  /** The policies that take part, the preferred one first. */
  readonly ranking: readonly PolicyView[]
  /** The conflicts of each rejected policy: one for each policy that is preferred to it. */
  readonly conflicts: ReadonlyMap<PolicyView, readonly Conflict[]>
}

const nothingExisted = () => false

/**
 * Decides between the policies on one target, as if it were their only one. They are looked at in order of precedence:
 * each is rejected where it conflicts with one that was accepted before it. A rejected policy does not cause another one
 * to be rejected.
 */
export function resolveConflicts(
  policies: readonly PolicyView[],
  mode: ConflictMode,
  existedBefore: ExistedBefore = nothingExisted,
): ConflictResolution {
  const ranked = rank(policies, existedBefore)
  const claims = targetClaims(mode)
  const conflicts = new Map<PolicyView, readonly Conflict[]>()
  for (const candidate of ranked) {
    const own = claims.conflictsOf(candidate)
    if (own.length === 0) claims.add(candidate)
    else conflicts.set(candidate.policy, own)
  }
  return { ranking: ranked.map(({ policy }) => policy), conflicts }
}

/** One value for each mode, such as a cache of what depends on the mode. */
export const byMode = <Value>(make: (mode: ConflictMode) => Value): Readonly<Record<ConflictMode, Value>> => ({
  'same-field': make('same-field'),
  'any-field': make('any-field'),
})
