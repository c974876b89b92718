/** Which requests the rules of a webhook or of a policy cover. */
import { listAt, textAt, textsAt } from './evidence.ts'

/** What one rule covers, each with its members multiplied out. */
type Request = {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly operation: string
}

const requestsOf = (rule: unknown): readonly Request[] =>
  textsAt(rule, 'apiGroups').flatMap((group) =>
    textsAt(rule, 'apiVersions').flatMap((version) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'operations').map((operation) => ({ group, version, resource, operation })),
      ),
    ),
  )

function covers(rule: unknown, { group, version, resource, operation }: Request): boolean {
  const has = (member: string, ...values: readonly string[]) =>
    textsAt(rule, member).some((one) => one === '*' || values.includes(one))
  return (
    ['', '*', 'Namespaced'].includes(textAt(rule, 'scope')) &&
    has('apiGroups', group) &&
    has('apiVersions', version) &&
    has('resources', resource, '*/*') &&
    has('operations', operation)
  )
}

/** What the rules that are wanted cover and those that are there do not: `UPDATE httproutes.gateway.networking.k8s.io`. */
export function notCoveredBy(actual: unknown, wanted: unknown): readonly string[] {
  const rules = listAt(actual, 'rules')
  const missing = listAt(wanted, 'rules')
    .flatMap(requestsOf)
    .filter((request) => !rules.some((rule) => covers(rule, request)))
  return missing.map(
    ({ group, version, resource, operation }) =>
      `${operation} ${resource}${group === '' ? '' : `.${group}`}${version === '*' ? '' : `/${version}`}`,
  )
}

/** The requirements of a label selector, one a text: `team notin (a, b)`. */
export function requirementsOf(selector: unknown): readonly string[] {
  const labels = Object.entries(objectOf(selector, 'matchLabels')).map(([key, value]) => `${key} in (${value})`)
  const expressions = listAt(selector, 'matchExpressions').map((one) => {
    const values = [...textsAt(one, 'values')].sort()
    return `${textAt(one, 'key')} ${textAt(one, 'operator').toLowerCase()}${values.length > 0 ? ` (${values.join(', ')})` : ''}`
  })
  return [...labels, ...expressions]
}

const objectOf = (value: unknown, name: string): object => Object(Object(value)[name])
