/**
 * Who wins between policies. Source: specification of RateLimitPolicy, "States and transitions".
 *
 * Policies are compared on one target at a time, so those on a Gateway never meet those on a route. The older one
 * wins; of the same second, the one whose name comes first. A loser is dropped whole, from all its targets.
 */
import type { PoliciesAround } from '../lookups.ts'
import { type NamedTarget, type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'

/**
 * When two policies conflict: both set one same field of `dryRun`, `logLevel` and `rejectCode` (values are not
 * compared), or the winner sets any of the three.
 */
export type ConflictMode = 'same-field' | 'any-field'

/** What put one policy before another. `assumed`: no times are known, so as if created together, by name. */
export type PrecedenceReason = 'age' | 'name' | 'assumed'

/** One policy dropped in favour of another on one target. */
export type Loss = {
  readonly winner: PolicyView
  /** What both set; in mode `any-field` what the winner sets. Never empty. */
  readonly fields: readonly SharedSetting[]
  readonly by: PrecedenceReason
}

/** What the policies on one target make of each other. */
export type Contest = {
  /** Those that take part, the first wins. */
  readonly ranking: readonly PolicyView[]
  /** Whom each of the dropped loses to: one loss for each winner. */
  readonly losses: ReadonlyMap<PolicyView, readonly Loss[]>
}

/** The shared settings that a policy sets: `dryRun: false` counts, `null` does not. */
export const settingsOf = (policy: PolicyView): readonly SharedSetting[] =>
  SHARED_SETTINGS.filter((field) => isSet(policy, field))

function isSet({ dryRun, logLevel, rejectCode }: PolicyView, field: SharedSetting): boolean {
  if (field === 'dryRun') return dryRun.value !== undefined
  if (field === 'logLevel') return logLevel.value !== undefined
  return Number.isInteger(rejectCode.value) && Number(rejectCode.value) >= 400 && Number(rejectCode.value) <= 599
}

/** Only valid policies take part: here, those that have a name and whose own settings the API server accepts. */
export const takesPart = (policy: PolicyView): boolean =>
  policy.identity.name !== undefined &&
  SHARED_SETTINGS.every((field) => policy[field].raw === undefined || isSet(policy, field))

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** Creation in whole seconds, or undefined where it is not known. */
export function createdAt({ metadata: { creationTimestamp } }: PolicyView): number | undefined {
  const { value } = creationTimestamp
  const milliseconds = value !== undefined && RFC_3339.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

/** What decides, in this order; a policy without a time counts as created later than all that have one. */
type Rank = { readonly seconds: number | undefined; readonly old: boolean; readonly name: string }

type Order = { readonly sign: number; readonly by: PrecedenceReason }

function compareRanks(a: Rank, b: Rank): Order {
  const byName = a.name < b.name ? -1 : a.name > b.name ? 1 : 0
  if (a.seconds !== undefined && b.seconds !== undefined) {
    const byTime = a.seconds - b.seconds
    return byTime === 0 ? { sign: byName, by: 'name' } : { sign: byTime, by: 'age' }
  }
  const hasTime = Number(a.seconds === undefined) - Number(b.seconds === undefined)
  const wasThere = Number(b.old) - Number(a.old)
  const by = wasThere !== 0 && (hasTime === 0 || hasTime > 0 === wasThere > 0) ? 'age' : 'assumed'
  return { sign: hasTime || wasThere || byName, by }
}

const rankOf = (policy: PolicyView, existedBefore: (policy: PolicyView) => boolean): Rank => ({
  seconds: createdAt(policy),
  old: existedBefore(policy),
  name: policy.identity.name ?? '',
})

const nobody = () => false

/**
 * Compares two policies: negative where the first one wins. `existedBefore` knows who was there before a change;
 * it decides where times are not known.
 */
export const compare = (a: PolicyView, b: PolicyView, existedBefore: (policy: PolicyView) => boolean = nobody): Order =>
  compareRanks(rankOf(a, existedBefore), rankOf(b, existedBefore))

/**
 * Decides among the policies on one target. From the first to the last, each is dropped where one that was kept
 * before it is in conflict with it; who is dropped drops nobody.
 */
export function resolve(
  policies: readonly PolicyView[],
  mode: ConflictMode,
  existedBefore: (policy: PolicyView) => boolean = nobody,
): Contest {
  const ranked = policies
    .filter(takesPart)
    .map((policy) => ({ policy, rank: rankOf(policy, existedBefore) }))
    .sort((a, b) => compareRanks(a.rank, b.rank).sign)
  const holders = new Map<SharedSetting, (typeof ranked)[number]>()
  const losses = new Map<PolicyView, readonly Loss[]>()
  for (const contender of ranked) {
    const own = settingsOf(contender.policy)
    const contested = mode === 'any-field' ? SHARED_SETTINGS : own
    const winners = new Set(contested.flatMap((field) => holders.get(field) ?? []))
    if (winners.size === 0) for (const field of own) holders.set(field, contender)
    else
      losses.set(
        contender.policy,
        [...winners].map((winner) => ({
          winner: winner.policy,
          fields: contested.filter((field) => holders.get(field) === winner),
          by: compareRanks(winner.rank, contender.rank).by,
        })),
      )
  }
  return { ranking: ranked.map(({ policy }) => policy), losses }
}

const contests = new WeakMap<readonly PolicyView[], Map<ConflictMode, Contest>>()

/** What the policies on a target make of each other; decided once for each list of policies. */
export function contestAmong(
  items: readonly PolicyView[],
  { existedBefore }: Pick<PoliciesAround, 'existedBefore'>,
  mode: ConflictMode,
): Contest {
  const known = contests.get(items) ?? new Map<ConflictMode, Contest>()
  const remembered = known.get(mode)
  if (remembered) return remembered
  const contest = resolve(items, mode, existedBefore)
  contests.set(items, known.set(mode, contest))
  return contest
}

/** A loss and the target on which it happens. */
export type TargetLoss = Loss & NamedTarget

/** Where a policy loses, and to whom. */
export function lossesOf(policy: PolicyView, policies: PoliciesAround, mode: ConflictMode): readonly TargetLoss[] {
  const { namespace } = policy.identity
  return policy.namedTargets.flatMap((named) => {
    const { items } = policies.targeting(named.kind, namespace, named.name)
    if (items.length < 2) return []
    const losses = contestAmong(items, policies, mode).losses.get(policy) ?? []
    return losses.map((loss) => ({ ...loss, ...named }))
  })
}

/** What becomes of a policy. */
export type Fate =
  | { readonly state: 'kept' }
  /** It loses to at least one policy that loses nowhere itself. */
  | { readonly state: 'dropped'; readonly losses: readonly TargetLoss[] }
  /** Whoever beats it is beaten elsewhere: the outcome depends on the order in which targets are looked at. */
  | { readonly state: 'undetermined'; readonly links: readonly ChainLink[] }

/** A beats B, B beats C: how C loses to B, and how B loses to A. */
export type ChainLink = { readonly loss: TargetLoss; readonly beyond: TargetLoss }

const KEPT = { state: 'kept' } as const

/** True where nobody else targets what a policy targets, as is usual. */
const isAlone = (policy: PolicyView, policies: PoliciesAround): boolean =>
  policy.namedTargets.every(
    ({ kind, name }) => policies.targeting(kind, policy.identity.namespace, name).items.length < 2,
  )

/** Says what becomes of a policy on all its targets. */
export function fateOf(policy: PolicyView, policies: PoliciesAround, mode: ConflictMode): Fate {
  if (isAlone(policy, policies)) return KEPT
  const losses = lossesOf(policy, policies, mode)
  if (losses.length === 0) return KEPT
  const links: ChainLink[] = []
  const certain: TargetLoss[] = []
  for (const loss of losses) {
    const [beyond] = lossesOf(loss.winner, policies, mode)
    if (beyond) links.push({ loss, beyond })
    else certain.push(loss)
  }
  return certain.length > 0 ? { state: 'dropped', losses: certain } : { state: 'undetermined', links }
}
