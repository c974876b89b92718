/**
 * Whether a policy is accepted, over all its targets. Source: specification of RateLimitPolicy, "States and transitions";
 * NGINX Gateway Fabric, which looks at one target after the other, in any order.
 *
 * Policies are compared on one target at a time, so those on a Gateway never conflict with those on a route, and a target
 * that does not exist, or that belongs to another controller, is not looked at. A policy that is rejected on one target is rejected on all of them, and rejects no
 * other from then on.
 */
import { cachedByLatestTwo, cachedByThree } from '../../world/cache.ts'
import { isOutOfSight, stateOfTarget } from '../force/owner.ts'
import type { OwnLookups } from '../lookups/lookups.ts'
import type { NamedTarget, PolicyView } from '../objects/policy.ts'
import {
  byMode,
  type Conflict,
  type ConflictMode,
  isAssumption,
  participates,
  type Ranked,
  rank,
  resolveConflicts,
  settingsOf,
  type TargetClaims,
  targetClaims,
} from './precedence.ts'

/** What decides about conflicts: the policies, and whether their targets exist. */
export type ConflictLookups = Pick<OwnLookups, 'policies' | 'gateways' | 'routes'>

/** A conflict and the target on which it occurs. */
export type TargetConflict = Conflict & NamedTarget

/** Whether a policy is accepted, from all its conflicts. */
export type ConflictOutcome =
  | { readonly state: 'accepted' }
  /** The conflicts with policies that are preferred to it and are accepted. */
  | { readonly state: 'rejected'; readonly conflicts: readonly TargetConflict[] }
  /** Every policy that is preferred to it may itself be rejected on another target: the order of targets decides. */
  | { readonly state: 'undetermined'; readonly chains: readonly ConflictChain[] }

/** A is preferred to B, B is preferred to C: the conflict of C with B, and `next`, the conflict of B with A. */
type ConflictChain = { readonly conflict: TargetConflict; readonly next: TargetConflict }

const ACCEPTED = { state: 'accepted' } as const

/** The outcomes that are known in one state of the policies and of their targets. */
const knownOutcomes = byMode(() =>
  cachedByThree(
    (_policies: OwnLookups['policies'], _gateways: OwnLookups['gateways'], _routes: OwnLookups['routes']) =>
      new Map<PolicyView, ConflictOutcome>(),
  ),
)

/** Decides whether a policy is accepted. One that the API server rejects takes no part, and so has no conflict. */
export function outcomeOf(policy: PolicyView, lookups: ConflictLookups, mode: ConflictMode): ConflictOutcome {
  const { policies, gateways, routes } = lookups
  if (isAlone(policies, policy)) return ACCEPTED
  const known = knownOutcomes[mode](policies, gateways, routes)
  if (!known.has(policy)) {
    const contest = contestOf(policy, lookups)
    // Also those that take no part are known now: none of them starts the contest again.
    for (const member of contest.members) known.set(member, ACCEPTED)
    for (const [member, outcome] of resolve(contest, lookups, mode)) known.set(member, outcome)
  }
  return known.get(policy) ?? ACCEPTED
}

/** True where no other policy has any of the targets of this one, which is the usual case. Several rules ask. */
const isAlone = cachedByLatestTwo(
  (policies: OwnLookups['policies'], { namedTargets, identity: { namespace } }: PolicyView): boolean =>
    namedTargets.every(({ kind, name }) => policies.targeting(kind, namespace, name).items.length < 2),
)

/** Policies that share targets, directly or through others, and the targets that they share. */
type Contest = { readonly members: ReadonlySet<PolicyView>; readonly targets: ReadonlySet<string> }

const keyOf = ({ kind, name }: Pick<NamedTarget, 'kind' | 'name'>): string => `${kind}/${name}`

/** Everything that can decide about a policy. All of it is in its namespace. */
function contestOf(policy: PolicyView, lookups: ConflictLookups): Contest {
  const { namespace } = policy.identity
  const members = new Set([policy])
  const targets = new Set<string>()
  for (const { namedTargets } of members)
    for (const { kind, name } of namedTargets) {
      if (targets.has(keyOf({ kind, name })) || isOutOfSight(stateOfTarget(lookups, kind, namespace, name))) continue
      targets.add(keyOf({ kind, name }))
      for (const other of lookups.policies.targeting(kind, namespace, name).items) members.add(other)
    }
  return { members, targets }
}

/**
 * The outcome of every member. They are looked at in order of precedence, so that the outcome of those that are preferred
 * is known. A policy has claims on a target unless an accepted policy certainly rejects it there.
 */
function resolve(
  { members, targets }: Contest,
  { policies }: ConflictLookups,
  mode: ConflictMode,
): ReadonlyMap<PolicyView, ConflictOutcome> {
  const claims = new Map<string, TargetClaims>([...targets].map((target) => [target, targetClaims(mode)]))
  const outcomes = new Map<PolicyView, ConflictOutcome>()
  const isCertain = ({ preferred }: Conflict) => outcomes.get(preferred)?.state === 'accepted'
  for (const candidate of rank(
    [...members].filter((policy) => isFound(policy, policies)),
    policies.existedBefore,
  )) {
    const conflicts = conflictsOn(claims, candidate)
    outcomes.set(candidate.policy, outcomeFrom(conflicts, isCertain, outcomes))
    const lost = new Set(conflicts.filter(isCertain).map(keyOf))
    for (const target of candidate.policy.namedTargets)
      if (!lost.has(keyOf(target))) claims.get(keyOf(target))?.add(candidate)
  }
  return outcomes
}

/** False for a policy whose identity appears twice: which of the two will exist is not known. */
const isFound = (policy: PolicyView, { targeting }: ConflictLookups['policies']): boolean =>
  policy.namedTargets.some(({ kind, name }) => targeting(kind, policy.identity.namespace, name).items.includes(policy))

const conflictsOn = (claims: ReadonlyMap<string, TargetClaims>, candidate: Ranked): readonly TargetConflict[] =>
  candidate.policy.namedTargets.flatMap((named) =>
    (claims.get(keyOf(named))?.conflictsOf(candidate) ?? []).map((conflict) => ({ ...conflict, ...named })),
  )

function outcomeFrom(
  conflicts: readonly TargetConflict[],
  isCertain: (conflict: Conflict) => boolean,
  outcomes: ReadonlyMap<PolicyView, ConflictOutcome>,
): ConflictOutcome {
  if (conflicts.length === 0) return ACCEPTED
  const certain = conflicts.filter(isCertain)
  if (certain.length > 0) return { state: 'rejected', conflicts: certain }
  const chains = conflicts.flatMap((conflict) => {
    const next = firstConflict(outcomes.get(conflict.preferred))
    return next ? [{ conflict, next }] : []
  })
  return { state: 'undetermined', chains }
}

function firstConflict(outcome: ConflictOutcome | undefined): TargetConflict | undefined {
  if (outcome?.state === 'rejected') return outcome.conflicts[0]
  return outcome?.state === 'undetermined' ? outcome.chains[0]?.conflict : undefined
}

/** A policy that was accepted on a target before a change and is rejected after it. `target` is that of the changed policy. */
export type NewlyRejected = TargetConflict & { readonly rejected: PolicyView }

/**
 * The younger policies that are rejected because of a change of another policy, each once. Only policies that are known
 * to be younger count, not those that are assumed to be.
 */
export function newlyRejected(
  { policy, previous }: { readonly policy: PolicyView; readonly previous: PolicyView },
  lookups: ConflictLookups,
  mode: ConflictMode,
): readonly NewlyRejected[] {
  const { policies } = lookups
  if (
    isAlone(policies, policy) ||
    hasSameClaims(policy, previous) ||
    outcomeOf(policy, lookups, mode).state !== 'accepted'
  )
    return []
  const { namespace } = policy.identity
  const all = policy.namedTargets.flatMap(({ target, kind, name }) => {
    const { items } = policies.targeting(kind, namespace, name)
    if (items.length < 2 || isOutOfSight(stateOfTarget(lookups, kind, namespace, name))) return []
    const now = resolveConflicts(items, mode, policies.existedBefore).conflicts
    const rejectedNow = [...now].flatMap(([rejected, conflicts]) => {
      const conflict = conflicts.find(({ preferred, decidedBy }) => preferred === policy && !isAssumption(decidedBy))
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
  isSameList(a.namedTargets, b.namedTargets, (left, right) => left.kind === right.kind && left.name === right.name) &&
  participates(a) === participates(b)

const isSameList = <Item>(a: readonly Item[], b: readonly Item[], isSame: (left: Item, right: Item) => boolean) =>
  a.length === b.length &&
  a.every((item, index) => {
    const other = b[index]
    return other !== undefined && isSame(item, other)
  })
