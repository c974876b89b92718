/** The policies on one Gateway or route, and the limits and settings that they define together. */
import { annotation } from '../../kubernetes/metadata.ts'
import type { LogLevel } from '../../nginx/responses.ts'
import { cachedBy, cachedByThree, lazily } from '../../world/cache.ts'
import { type ConflictLookups, type ConflictOutcome, outcomeOf } from '../conflicts/outcome.ts'
import { byMode, type ConflictMode, rank } from '../conflicts/precedence.ts'
import { isOutOfSight, stateOfTarget } from '../force/owner.ts'
import type { PlacedLimit, PolicyView, TargetKind } from '../objects/policy.ts'
import { tightestByKey } from './tightest.ts'

/** A setting and the policy that sets it. */
export type Placed<Value> = { readonly policy: PolicyView; readonly value: Value }

/** A policy that is rejected because of a conflict, or whose outcome is undetermined. */
export type NotAccepted = {
  readonly policy: PolicyView
  readonly outcome: Exclude<ConflictOutcome, { state: 'accepted' }>
}

/** What the policies on one target define together. */
export type Level = {
  /** The accepted policies, in order of precedence. */
  readonly accepted: ReadonlySet<PolicyView>
  readonly notAccepted: readonly NotAccepted[]
  /** Limits with a readable key and rate, in the order in which nginx checks them. */
  readonly limits: readonly PlacedLimit[]
  /** The tightest of them by key, as {@link tightestByKey}. */
  tightest(): ReadonlyMap<string, PlacedLimit>
  readonly dryRun: Placed<boolean> | undefined
  readonly logLevel: Placed<LogLevel> | undefined
  readonly rejectCode: Placed<number> | undefined
}

/** The object that a policy targets. */
export type TargetName = {
  readonly kind: TargetKind
  readonly namespace: string | undefined
  readonly name: string
}

/** A Gateway as the target of a policy. */
export const gatewayName = ({ namespace, name }: Pick<TargetName, 'namespace' | 'name'>): TargetName => ({
  kind: 'Gateway',
  namespace,
  name,
})

/** One list: levels are kept by lists. */
const NONE: readonly never[] = []

const levels = byMode((mode) =>
  cachedByThree(
    (policies: ConflictLookups['policies'], gateways: ConflictLookups['gateways'], routes: ConflictLookups['routes']) =>
      cachedBy((items: readonly PolicyView[]): Level => createLevel(items, { policies, gateways, routes }, mode)),
  ),
)

/**
 * What the policies on a target define together; nothing on one that the controller does not see. Computed once for each list of policies and each state of all policies
 * and targets, as whether a policy is accepted also depends on its other targets.
 */
export function levelOn(
  target: TargetName,
  { policies, gateways, routes }: ConflictLookups,
  mode: ConflictMode,
): Level {
  const { items: all } = policies.targeting(target.kind, target.namespace, target.name)
  const state =
    all.length === 0 ? 'found' : stateOfTarget({ gateways, routes }, target.kind, target.namespace, target.name)
  const items = isOutOfSight(state) ? NONE : all
  return levels[mode](policies, gateways, routes)(items)
}

function createLevel(items: readonly PolicyView[], lookups: ConflictLookups, mode: ConflictMode): Level {
  const { policies } = lookups
  const outcomes = rank(items, policies.existedBefore).map(({ policy }) => ({
    policy,
    outcome: outcomeOf(policy, lookups, mode),
  }))
  const accepted = outcomes.flatMap(({ policy, outcome }) => (outcome.state === 'accepted' ? [policy] : []))
  const limiting = accepted.filter((policy) => !isHttpContextOnly(policy) && !policies.isUnusable?.(policy))
  const limits = limiting.flatMap((policy) =>
    policy.limits.filter(({ key, rate }) => key.value && rate.value).map((limit) => ({ policy, limit })),
  )
  return {
    accepted: new Set(accepted),
    notAccepted: outcomes.flatMap(({ policy, outcome }) => (outcome.state === 'accepted' ? [] : [{ policy, outcome }])),
    limits,
    tightest: lazily(() => tightestByKey(limits)),
    dryRun: firstSet(limiting, ({ dryRun }) => dryRun.value),
    logLevel: firstSet(limiting, ({ logLevel }) => logLevel.value),
    rejectCode: firstSet(limiting, ({ rejectCode }) => rejectCode.value),
  }
}

/** True for a policy with the annotation that keeps it in the http context, where its zones are defined and nothing is limited. */
export const isHttpContextOnly = ({ metadata }: PolicyView): boolean =>
  annotation(metadata, 'nginx.org/internal-annotation-http-context-only') === 'true'

function firstSet<Value>(
  policies: readonly PolicyView[],
  read: (policy: PolicyView) => Value | undefined,
): Placed<Value> | undefined {
  for (const policy of policies) {
    const value = read(policy)
    if (value !== undefined) return { policy, value }
  }
  return undefined
}
