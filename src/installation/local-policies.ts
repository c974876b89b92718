/** The policies of the settings as ValidatingAdmissionPolicies: each is one of its own, as its author wrote it. */
import { celText } from '../engine/cel.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { SYSTEMS } from '../registry.ts'
import { LOCAL_PREFIX, type LocalPolicy, type Settings, type Severity } from '../settings/settings.ts'
import { kindTable } from '../world/kinds.ts'
import type { CelVariable, Kind } from '../world/system.ts'
import { onOneLine } from './cel-findings.ts'
import type { Reviewed } from './reviewed.ts'

/** A policy that the API server can have. */
export type CarriedPolicy = {
  readonly rule: string
  readonly severity: Severity
  readonly reviewed: readonly Reviewed[]
  readonly variables: readonly CelVariable[]
  readonly validation: { readonly expression: string; readonly message: string; readonly messageExpression?: string }
}

/** The policies of settings; a text says why the API server cannot have one. */
export function carriedPolicies(
  { policies, rules }: Pick<Settings, 'policies' | 'rules'>,
  names: ApiNames,
): readonly (CarriedPolicy | { readonly rule: string; readonly reason: string })[] {
  const { kinds } = kindTable(SYSTEMS, names, { mesh: true })
  return policies.map((policy) => {
    const rule = LOCAL_PREFIX + policy.name
    const set = rules[rule]
    if (set === 'off') return { rule, reason: 'the settings switch it off' }
    const judged = kinds.filter((kind) => policy.kinds.includes(kind.subjects?.[0] ?? kind.kind))
    const reviewed = judged.flatMap(reviewedKind)
    if (reviewed.length < judged.length)
      return { rule, reason: 'it judges objects that no cluster has, or that nothing is to stand in the way of' }
    return {
      rule,
      severity: set ?? policy.severity,
      reviewed,
      variables: variablesFor(policy, judged),
      validation: validationOf(policy, rule),
    }
  })
}

/** Roles and workloads of every cluster are judged in files only. */
function reviewedKind({ gate, resource, group }: Kind): readonly Reviewed[] {
  if (gate || !resource?.namespaced) return []
  return [{ group, versions: [resource.version], resources: [resource.plural], operations: ['CREATE', 'UPDATE'] }]
}

/** The variables of the kinds: the API server evaluates those that an expression names. */
function variablesFor(
  { expression, messageExpression = '' }: LocalPolicy,
  [kind, ...others]: readonly Kind[],
): readonly CelVariable[] {
  if (![expression, messageExpression].some((text) => text.includes('variables'))) return []
  return kind?.cel && others.every(({ cel }) => cel === kind.cel) ? kind.cel.variables : []
}

function validationOf(
  { expression, message, messageExpression }: LocalPolicy,
  rule: string,
): CarriedPolicy['validation'] {
  const validation = { expression: expression.trim(), message: `${message} [${rule}]` }
  if (messageExpression === undefined) return validation
  return { ...validation, messageExpression: onOneLine(`(${messageExpression}\n) + ${celText(` [${rule}]`)}`) }
}
