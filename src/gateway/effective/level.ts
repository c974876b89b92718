/** The policies on one Gateway or route, and what they make together. */
import { annotation } from '../../kubernetes/metadata.ts'
import { type ConflictMode, contestAmong, type Fate, fateOf } from '../conflicts/precedence.ts'
import type { PoliciesAround } from '../lookups.ts'
import type { LimitView, LogLevel, PolicyView, TargetKind } from '../objects/policy.ts'

/** A limit and the policy that it is from. */
export type PlacedLimit = { readonly policy: PolicyView; readonly limit: LimitView }

/** A setting and the policy that sets it. */
export type Placed<Value> = { readonly policy: PolicyView; readonly value: Value }

/** What the policies on one target make together. */
export type Level = {
  /** The policies that hold there, in order of precedence. */
  readonly kept: ReadonlySet<PolicyView>
  /** Those that do not, or of which nobody can say. */
  readonly lost: readonly { readonly policy: PolicyView; readonly fate: Exclude<Fate, { state: 'kept' }> }[]
  /** Limits whose key and rate can be read, in the order in which nginx looks at them. */
  readonly limits: readonly PlacedLimit[]
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

/** A Gateway as a policy would target it. */
export const gatewayName = ({ namespace, name }: Pick<TargetName, 'namespace' | 'name'>): TargetName => ({
  kind: 'Gateway',
  namespace,
  name,
})

const levels = new WeakMap<readonly PolicyView[], Map<ConflictMode, Level>>()

/** What the policies on a target make together; worked out once for each list of policies. */
export function levelOn(target: TargetName, policies: PoliciesAround, mode: ConflictMode): Level {
  const { items } = policies.targeting(target.kind, target.namespace, target.name)
  const known = levels.get(items) ?? new Map<ConflictMode, Level>()
  const remembered = known.get(mode)
  if (remembered) return remembered
  const level = createLevel(items, policies, mode)
  levels.set(items, known.set(mode, level))
  return level
}

function createLevel(items: readonly PolicyView[], policies: PoliciesAround, mode: ConflictMode): Level {
  const { ranking } = contestAmong(items, policies, mode)
  const fates = ranking.map((policy) => ({ policy, fate: fateOf(policy, policies, mode) }))
  const kept = fates.flatMap(({ policy, fate }) => (fate.state === 'kept' ? [policy] : []))
  const working = kept.filter((policy) => !isHttpContextOnly(policy))
  return {
    kept: new Set(kept),
    lost: fates.flatMap(({ policy, fate }) => (fate.state === 'kept' ? [] : [{ policy, fate }])),
    limits: working.flatMap((policy) =>
      policy.limits.filter(({ key, rate }) => key.value && rate.value).map((limit) => ({ policy, limit })),
    ),
    dryRun: first(working, ({ dryRun }) => dryRun.value),
    logLevel: first(working, ({ logLevel }) => logLevel.value),
    rejectCode: first(working, ({ rejectCode }) => rejectCode.value),
  }
}

/** The annotation that keeps a Gateway's policy in the http context, where a zone is defined and nothing is limited. */
export const isHttpContextOnly = ({ metadata }: PolicyView): boolean =>
  annotation(metadata, 'nginx.org/internal-annotation-http-context-only') === 'true'

function first<Value>(
  policies: readonly PolicyView[],
  read: (policy: PolicyView) => Value | undefined,
): Placed<Value> | undefined {
  for (const policy of policies) {
    const value = read(policy)
    if (value !== undefined) return { policy, value }
  }
  return undefined
}
