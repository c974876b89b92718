/** The conditions of policies and of their targets, with what nginx said, and what has changed in them. */
import type { StatusResult } from '../queries/status.ts'

export { KEPT, type Refusal } from '../gateway/status/status.ts'

/** A condition and where it is; the last three members are null where it is gone. */
export type ConditionChange = {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string }
  /** The target that the condition of a policy is about. */
  readonly ancestor?: { readonly kind: string; readonly name: string }
  readonly type: string
  readonly status: string | null
  readonly reason: string | null
  readonly message: string | null
}

/** The conditions of a status by what they are about. */
export function conditionsOf({
  policies,
  targets,
}: Pick<StatusResult, 'policies' | 'targets'>): ReadonlyMap<string, ConditionChange> {
  const ofPolicies = policies.flatMap(({ namespace, name, ancestors }) =>
    ancestors.flatMap(({ ancestorRef, conditions }) =>
      conditions.map((condition): ConditionChange => {
        const object = { kind: 'RateLimitPolicy', namespace, name }
        const ancestor = { kind: ancestorRef.kind, name: ancestorRef.name }
        return { object, ancestor, type: condition.type, ...contentOf(condition) }
      }),
    ),
  )
  const ofTargets = targets.flatMap(({ kind, namespace = '', name = '', condition }): readonly ConditionChange[] =>
    condition ? [{ object: { kind, namespace, name }, type: condition.type, ...contentOf(condition) }] : [],
  )
  return new Map([...ofPolicies, ...ofTargets].map((condition) => [keyOf(condition), condition]))
}

const contentOf = ({ status, reason, message }: Content): Content => ({ status, reason, message })

type Content = { readonly status: string; readonly reason: string; readonly message: string }

const keyOf = ({ object, ancestor, type }: ConditionChange): string => JSON.stringify([object, ancestor, type])

/** The conditions that are new, other than before, or gone. */
export function changedConditions(
  before: ReadonlyMap<string, ConditionChange>,
  after: ReadonlyMap<string, ConditionChange>,
): readonly ConditionChange[] {
  const changed = [...after].filter(([key, condition]) => !isSame(condition, before.get(key)))
  const gone = [...before].filter(([key]) => !after.has(key))
  return [
    ...changed.map(([, condition]) => condition),
    ...gone.map(([, condition]) => ({ ...condition, status: null, reason: null, message: null })),
  ]
}

const isSame = (one: ConditionChange, other: ConditionChange | undefined): boolean =>
  one.status === other?.status && one.reason === other.reason && one.message === other.message
