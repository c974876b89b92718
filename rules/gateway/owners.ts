/** Which rule reports which violation of the schema: each is reported once, by the most specific rule. */
import type { PolicyView } from '../../src/gateway/policy.ts'
import type { SchemaKeyword } from '../../src/gateway/schema/validate.mjs'
import { type Violation, violations } from '../../src/gateway/schema/violations.ts'

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
export const ownerOf = ({ pattern, keyword, actual }: Violation): string | undefined =>
  OWNERSHIPS.find(
    ({ at = pattern, keywords, numbers }) =>
      at === pattern && keywords.includes(keyword) && (!numbers || typeof actual === 'number'),
  )?.rule

/** The violations of a policy that a rule reports. */
export function violationsOf(policy: PolicyView, rule: string): readonly Violation[] {
  const all = violations(policy)
  return all.length === 0 ? all : all.filter((violation) => ownerOf(violation) === rule)
}
