/** Label selectors, where some labels may be unknown. Source: Kubernetes, LabelSelector. */
import { asList, asObject, asString, type Json, type JsonObject, member } from '../json/member.ts'

/** The label that Kubernetes itself puts on every namespace: its name. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/**
 * Whether the labels of a namespace match a selector; undefined where that cannot be known. `labels` is undefined where
 * they are not known; the label with the name of the namespace is always known.
 */
export function selectorMatches(
  selector: JsonObject,
  namespace: string,
  labels: Readonly<Record<string, string>> | undefined,
): boolean | undefined {
  const valueAt = (key: string): Json | undefined =>
    key === NAME_LABEL ? namespace : labels && Object.hasOwn(labels, key) ? labels[key] : undefined
  const isKnown = (key: string) => labels !== undefined || key === NAME_LABEL
  const results = requirementsOf(selector).map(({ key, holds }) => (isKnown(key) ? holds(valueAt(key)) : undefined))
  if (results.includes(false)) return false
  return results.includes(undefined) ? undefined : true
}

/** One condition on one label; `holds` returns undefined for an unknown operator. */
type Requirement = { readonly key: string; holds(value: Json | undefined): boolean | undefined }

function requirementsOf(selector: JsonObject): readonly Requirement[] {
  const labels = Object.entries(member(selector, '', 'matchLabels', asObject).value ?? {})
  const expressions = member(selector, '', 'matchExpressions', asList).value ?? []
  return [
    ...labels.map(([key, wanted]) => ({ key, holds: (value: Json | undefined) => value === wanted })),
    ...expressions.map(readExpression),
  ]
}

function readExpression(raw: Json): Requirement {
  const values = member(raw, '', 'values', asList).value ?? []
  const operator = member(raw, '', 'operator', asString).value
  return {
    key: member(raw, '', 'key', asString).value ?? '',
    holds(value) {
      const isListed = value !== undefined && values.includes(value)
      if (operator === 'In') return isListed
      if (operator === 'NotIn') return !isListed
      if (operator === 'Exists') return value !== undefined
      return operator === 'DoesNotExist' ? value === undefined : undefined
    },
  }
}
