/**
 * Conflicts between policies, and which policy is preferred. Source: specification of RateLimitPolicy, "States and
 * transitions".
 *
 * Policies are compared on one target at a time, so those on a Gateway never conflict with those on a route. The older
 * policy is preferred; if both were created in the same second, the one whose name comes first. A policy that is
 * rejected on one target is rejected on all of them.
 */
import { compareText } from '../../text/order.ts'
import { cachedByTwo } from '../../world/cache.ts'
import type { PolicyLookup } from '../lookups/lookups.ts'
import { type NamedTarget, type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'

/**
 * When two policies conflict: both set the same field of `dryRun`, `logLevel` and `rejectCode` (values are not
 * compared), or the preferred policy sets any of the three.
 */
export type ConflictMode = 'same-field' | 'any-field'

/** What decides which policy is preferred. `assumed`: creation times are not known, so the order of names decides. */
export type PrecedenceReason = 'age' | 'name' | 'assumed'

/** A conflict on one target, from the side of the policy that is rejected. */
export type Conflict = {
  readonly preferred: PolicyView
  /** The fields that both set; in mode `any-field` those that the preferred policy sets. Never empty. */
  readonly fields: readonly SharedSetting[]
  readonly decidedBy: PrecedenceReason
}

/** The result of comparing all policies on one target. */
type ConflictResolution = {
  /** The policies that participate, the preferred one first. */
  readonly ranking: readonly PolicyView[]
  /** The conflicts of each rejected policy: one for each policy that is preferred to it. */
  readonly conflicts: ReadonlyMap<PolicyView, readonly Conflict[]>
}

/** The shared settings that a policy sets: `dryRun: false` counts, `null` does not. */
export const settingsOf = (policy: PolicyView): readonly SharedSetting[] =>
  SHARED_SETTINGS.filter((field) => isSet(policy, field))

function isSet({ dryRun, logLevel, rejectCode }: PolicyView, field: SharedSetting): boolean {
  if (field === 'dryRun') return dryRun.value !== undefined
  if (field === 'logLevel') return logLevel.value !== undefined
  return Number.isInteger(rejectCode.value) && Number(rejectCode.value) >= 400 && Number(rejectCode.value) <= 599
}

/** True for a policy that can conflict with others: it has a name, and the API server accepts its shared settings. */
export const participates = (policy: PolicyView): boolean =>
  policy.identity.name !== undefined &&
  SHARED_SETTINGS.every((field) => policy[field].raw === undefined || isSet(policy, field))

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** When a policy was created, in whole seconds since 1970, or undefined where that is not known. */
export function createdAt({ metadata: { creationTimestamp } }: PolicyView): number | undefined {
  const { value } = creationTimestamp
  const milliseconds = value !== undefined && RFC_3339.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

/** What decides, in this order. A policy without a creation time counts as created after all that have one. */
type Rank = { readonly seconds: number | undefined; readonly isOld: boolean; readonly name: string }

/** `sign` is negative where the first policy is preferred. */
type Order = { readonly sign: number; readonly decidedBy: PrecedenceReason }

function compareRanks(a: Rank, b: Rank): Order {
  const byName = compareText(a.name, b.name)
  if (a.seconds !== undefined && b.seconds !== undefined) {
    const byTime = a.seconds - b.seconds
    return byTime === 0 ? { sign: byName, decidedBy: 'name' } : { sign: byTime, decidedBy: 'age' }
  }
  const byTime = Number(a.seconds === undefined) - Number(b.seconds === undefined)
  const byExistence = Number(b.isOld) - Number(a.isOld)
  const isCertain = byExistence !== 0 && (byTime === 0 || byTime > 0 === byExistence > 0)
  return { sign: byTime || byExistence || byName, decidedBy: isCertain ? 'age' : 'assumed' }
}

const rankOf = (policy: PolicyView, existedBefore: (policy: PolicyView) => boolean): Rank => ({
  seconds: createdAt(policy),
  isOld: existedBefore(policy),
  name: policy.identity.name ?? '',
})

const nothingExisted = () => false

/**
 * Decides between the policies on one target. They are looked at in order of precedence: each is rejected where it
 * conflicts with one that was accepted before it. A rejected policy does not cause another one to be rejected.
 * `existedBefore` is true for policies that existed before a change; it decides where creation times are not known.
 */
export function resolveConflicts(
  policies: readonly PolicyView[],
  mode: ConflictMode,
  existedBefore: (policy: PolicyView) => boolean = nothingExisted,
): ConflictResolution {
  const ranked = policies
    .filter(participates)
    .map((policy) => ({ policy, rank: rankOf(policy, existedBefore) }))
    .sort((a, b) => compareRanks(a.rank, b.rank).sign)
  /** The accepted policy that sets a field first. */
  const holders = new Map<SharedSetting, (typeof ranked)[number]>()
  const conflicts = new Map<PolicyView, readonly Conflict[]>()
  for (const candidate of ranked) {
    const own = settingsOf(candidate.policy)
    const compared = mode === 'any-field' ? SHARED_SETTINGS : own
    const preferred = new Set(compared.flatMap((field) => holders.get(field) ?? []))
    if (preferred.size === 0) for (const field of own) holders.set(field, candidate)
    else
      conflicts.set(
        candidate.policy,
        [...preferred].map((holder) => ({
          preferred: holder.policy,
          fields: compared.filter((field) => holders.get(field) === holder),
          decidedBy: compareRanks(holder.rank, candidate.rank).decidedBy,
        })),
      )
  }
  return { ranking: ranked.map(({ policy }) => policy), conflicts }
}

/** One value for each mode, such as a cache of what depends on the mode. */
export const byMode = <Value>(make: (mode: ConflictMode) => Value): Readonly<Record<ConflictMode, Value>> => ({
  'same-field': make('same-field'),
  'any-field': make('any-field'),
})

const resolutions = byMode((mode) =>
  cachedByTwo(
    (existedBefore: PolicyLookup['existedBefore'], items: readonly PolicyView[]): ConflictResolution =>
      resolveConflicts(items, mode, existedBefore),
  ),
)

/** {@link resolveConflicts}, computed once for each list of policies and each state before the change. */
export const conflictsAmong = (
  items: readonly PolicyView[],
  { existedBefore }: Pick<PolicyLookup, 'existedBefore'>,
  mode: ConflictMode,
): ConflictResolution => resolutions[mode](existedBefore, items)

/** A conflict and the target on which it occurs. */
export type TargetConflict = Conflict & NamedTarget

/** The conflicts in which a policy is not the preferred one, on each of its targets. */
export function conflictsOf(policy: PolicyView, policies: PolicyLookup, mode: ConflictMode): readonly TargetConflict[] {
  const { namespace } = policy.identity
  return policy.namedTargets.flatMap((named) => {
    const { items } = policies.targeting(named.kind, namespace, named.name)
    if (items.length < 2) return []
    const conflicts = conflictsAmong(items, policies, mode).conflicts.get(policy) ?? []
    return conflicts.map((conflict) => ({ ...conflict, ...named }))
  })
}

/** Whether a policy is accepted, from all its conflicts. */
export type ConflictOutcome =
  | { readonly state: 'accepted' }
  /** At least one policy that is preferred to it has no conflict of its own. */
  | { readonly state: 'rejected'; readonly conflicts: readonly TargetConflict[] }
  /** Every policy that is preferred to it is itself rejected on another target: the order of targets decides. */
  | { readonly state: 'undetermined'; readonly chains: readonly ConflictChain[] }

/** A is preferred to B, B is preferred to C: the conflict of C with B, and `next`, the conflict of B with A. */
type ConflictChain = { readonly conflict: TargetConflict; readonly next: TargetConflict }

const ACCEPTED = { state: 'accepted' } as const

/** True where no other policy has any of the targets of this one, which is the usual case. */
const isAlone = (policy: PolicyView, policies: PolicyLookup): boolean =>
  policy.namedTargets.every(
    ({ kind, name }) => policies.targeting(kind, policy.identity.namespace, name).items.length < 2,
  )

/** Decides whether a policy is accepted, over all its targets. */
export function outcomeOf(policy: PolicyView, policies: PolicyLookup, mode: ConflictMode): ConflictOutcome {
  if (isAlone(policy, policies)) return ACCEPTED
  const conflicts = conflictsOf(policy, policies, mode)
  if (conflicts.length === 0) return ACCEPTED
  const chains: ConflictChain[] = []
  const certain: TargetConflict[] = []
  for (const conflict of conflicts) {
    const [next] = conflictsOf(conflict.preferred, policies, mode)
    if (next) chains.push({ conflict, next })
    else certain.push(conflict)
  }
  return certain.length > 0 ? { state: 'rejected', conflicts: certain } : { state: 'undetermined', chains }
}

/** A policy that was accepted on a target before a change and is rejected after it. `target` is that of the changed policy. */
export type NewlyRejected = TargetConflict & { readonly rejected: PolicyView }

/**
 * The younger policies that are rejected because of a change of another policy, each once. Only policies that are known
 * to be younger count, not those that are assumed to be.
 */
export function newlyRejected(
  { policy, previous }: { readonly policy: PolicyView; readonly previous: PolicyView },
  policies: PolicyLookup,
  mode: ConflictMode,
): readonly NewlyRejected[] {
  if (hasSameClaims(policy, previous)) return []
  const { namespace } = policy.identity
  const all = policy.namedTargets.flatMap(({ target, kind, name }) => {
    const { items } = policies.targeting(kind, namespace, name)
    const now = conflictsAmong(items, policies, mode).conflicts
    const rejectedNow = [...now].flatMap(([rejected, conflicts]) => {
      const conflict = conflicts.find(({ preferred, decidedBy }) => preferred === policy && decidedBy !== 'assumed')
      return conflict ? [{ ...conflict, rejected, target, kind, name }] : []
    })
    if (rejectedNow.length === 0) return []
    const wasTarget = previous.namedTargets.some((other) => other.kind === kind && other.name === name)
    const before = resolveConflicts(
      items.flatMap((item) => (item !== policy ? [item] : wasTarget ? [previous] : [])),
      mode,
      policies.existedBefore,
    ).conflicts
    return rejectedNow.filter(({ rejected }) => !before.has(rejected))
  })
  return [...new Map(all.map((one) => [one.rejected, one])).values()]
}

/** True where two versions of a policy agree in everything that decides about conflicts. */
const hasSameClaims = (a: PolicyView, b: PolicyView): boolean =>
  isSameList(settingsOf(a), settingsOf(b), (left, right) => left === right) &&
  isSameList(a.namedTargets, b.namedTargets, (left, right) => left.kind === right.kind && left.name === right.name)

const isSameList = <Item>(a: readonly Item[], b: readonly Item[], isSame: (left: Item, right: Item) => boolean) =>
  a.length === b.length &&
  a.every((item, index) => {
    const other = b[index]
    return other !== undefined && isSame(item, other)
  })
