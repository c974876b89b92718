/**
 * Violations of the schema of the CRD: which rule reports each, so that each is reported once, and the remedies of
 * `gateway/schema` with the corrected YAML where it is known.
 */
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import type { SchemaKeyword, SchemaType } from '../../src/gateway/schema/validate.mjs'
import { fieldsAt, type Violation, violations } from '../../src/gateway/schema/violations.ts'
import { groupBy } from '../../src/text/group.ts'
import { cachedByLatest } from '../../src/world/cache.ts'

type Ownership = {
  readonly rule: string
  /** JSON Pointer with `*` for every index; absent for any pointer. */
  readonly at?: string
  readonly keywords: readonly SchemaKeyword[]
  /** Applies to numbers only. */
  readonly numbers?: true
}

const TARGET = '/spec/targetRefs/*'
const LIMIT = '/spec/rateLimit/local/rules/*'

const OWNERSHIPS: readonly Ownership[] = [
  { rule: 'gateway/unknown-field', keywords: ['additionalProperties'] },
  { rule: 'gateway/target-count', at: '/spec/targetRefs', keywords: ['required', 'minItems', 'maxItems'] },
  { rule: 'gateway/target-group', at: `${TARGET}/group`, keywords: ['required', 'enum'] },
  { rule: 'gateway/target-kind', at: `${TARGET}/kind`, keywords: ['enum'] },
  { rule: 'gateway/log-level', at: '/spec/rateLimit/logLevel', keywords: ['enum'] },
  { rule: 'gateway/reject-code-range', at: '/spec/rateLimit/rejectCode', keywords: ['minimum', 'maximum'] },
  { rule: 'gateway/rate-syntax', at: `${LIMIT}/rate`, keywords: ['pattern'] },
  { rule: 'gateway/key-syntax', at: `${LIMIT}/key`, keywords: ['pattern'] },
  { rule: 'gateway/zone-size-syntax', at: `${LIMIT}/zoneSize`, keywords: ['pattern'] },
  { rule: 'gateway/burst-range', at: `${LIMIT}/burst`, keywords: ['type', 'minimum', 'maximum'], numbers: true },
  { rule: 'gateway/delay-range', at: `${LIMIT}/delay`, keywords: ['type', 'minimum', 'maximum'], numbers: true },
]

/** The rule that reports a violation; undefined if none is more specific than `gateway/schema`. */
const ownerOf = ({ pattern, keyword, actual }: Violation): string | undefined =>
  OWNERSHIPS.find(
    ({ at = pattern, keywords, numbers }) =>
      at === pattern && keywords.includes(keyword) && (!numbers || typeof actual === 'number'),
  )?.rule

/** Every rule that owns some asks for its own. */
const byOwner = cachedByLatest((all: readonly Violation[]) => groupBy(all, ownerOf))

/** The violations of a policy that a rule reports; with `undefined`, those that no rule but `gateway/schema` reports. */
export function violationsOf(policy: PolicyView, rule: string | undefined): readonly Violation[] {
  const all = violations(policy)
  return all.length === 0 ? all : (byOwner(all).get(rule) ?? NONE)
}

const NONE: readonly never[] = []

/** Types as messages name them. */
export const TYPE_NAMES: Readonly<Record<SchemaType, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
}

/** A valid example of each field, in YAML. */
const EXAMPLES: Readonly<Record<string, string>> = {
  group: 'group: gateway.networking.k8s.io',
  kind: 'kind: HTTPRoute',
  name: 'name: my-route',
  logLevel: 'logLevel: warn',
  rejectCode: 'rejectCode: 429',
  rate: 'rate: 10r/s',
  key: 'key: $binary_remote_addr',
  zoneSize: 'zoneSize: 10m',
  burst: 'burst: 20',
  delay: 'delay: 5',
}

const TRUE = /^(?:true|yes|on|y|1)$/i
const FALSE = /^(?:false|no|off|n|0)$/i

/** The remedy for a missing field. */
export const addRemedy = ({ pointer }: Violation): string =>
  pointer === '/spec' ? 'Add spec with targetRefs and rateLimit.' : `Add it, for example "${exampleOf(pointer)}".`

/** Block style indents by the dash; flow style and JSON have brackets. The same object may be written in any of them. */
const MAKE_LIST =
  'Make it a list with one item: write "- " before its first line and two spaces before the others, or put it in "[" and "]".'
const UNMAKE_LIST =
  'Write the item without its list: write two spaces in place of "- ", or remove the "[" and "]" around it.'

/** The remedy for a value of the wrong type. */
export function typeRemedy(violation: Violation): string {
  const { pointer, actual, type } = violation
  const name = lastToken(pointer)
  if (type === 'boolean') return booleanRemedy(name, String(actual))
  if (type === 'integer') return integerRemedy(pointer, name, actual)
  if (type === 'array') return typeof actual === 'object' ? MAKE_LIST : 'Write a list.'
  if (type === 'object') return objectRemedy(violation)
  return textRemedy(violation, name)
}

function booleanRemedy(name: string, written: string): string {
  const meant = TRUE.test(written) ? 'true' : FALSE.test(written) ? 'false' : undefined
  if (meant === undefined) return `Write "${name}: true" or "${name}: false".`
  return written === meant ? `Remove the quotes: ${name}: ${meant}.` : `Write "${name}: ${meant}".`
}

function integerRemedy(pointer: string, name: string, actual: Violation['actual']): string {
  return typeof actual === 'string' && /^\d{1,9}$/.test(actual) && (name !== 'rejectCode' || /^[45]\d\d$/.test(actual))
    ? `Remove the quotes: ${name}: ${Number(actual)}.`
    : `Write a whole number without quotes, for example ${exampleOf(pointer)}.`
}

function objectRemedy({ pointer, actual }: Violation): string {
  const [first, ...others] = fieldsAt(pointer)
  if (first === undefined) return 'Write a mapping of names to values.'
  if (actual === null)
    return `Write its fields (${[first, ...others].join(', ')}), or remove the empty item if there are others.`
  if (Array.isArray(actual) && actual.length === 1) return UNMAKE_LIST
  const fields = others.length > 0 ? `${first}, ${others.join(', ')}` : first
  return `Write an object; its fields are ${fields}.`
}

/** Fields that accept any string: there only the quotes are missing. */
const FREE_TEXT = /^\/metadata\/(?:labels|annotations)\/|\/(?:name|key)$/

function textRemedy({ pointer, actual }: Violation, name: string): string {
  const isScalar = typeof actual === 'number' || typeof actual === 'boolean'
  if (FREE_TEXT.test(pointer)) return isScalar ? 'Put the value in quotes.' : 'Write a single string.'
  if (name === 'rate' && typeof actual === 'number' && Number.isSafeInteger(actual) && actual > 0)
    return `Write it with its unit: "rate: ${actual}r/s" or "rate: ${actual}r/m".`
  return `Write ${name === 'zoneSize' && isScalar ? 'it with a unit' : 'a string'}, for example "${exampleOf(pointer)}".`
}

const lastToken = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1)
const exampleOf = (pointer: string): string => EXAMPLES[lastToken(pointer)] ?? lastToken(pointer)
