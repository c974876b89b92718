/** What authors write into manifests to suppress findings: `RULE, RULE until=2027-01-31 owner=team -- reason`. */

import type { JsonObject } from '../json/member.ts'
import { escapeToken } from '../json/pointer.ts'
import { IGNORE_ANNOTATION } from '../kubernetes/api-groups.ts'
import { objectAnnotation } from '../kubernetes/metadata.ts'
import { onlyRule, type RuleNames } from '../settings/rule-ids.ts'
import type { Severity } from '../settings/settings.ts'
import { dateOf, isDate } from '../text/date.ts'
import { nearest } from '../text/nearest.ts'

/** What can be wrong with a suppression. */
export type SuppressionFault =
  | 'alone'
  | 'ambiguous-rule'
  | 'directive'
  | 'expired'
  | 'expired-of-owner'
  | 'misspelt-directive'
  | 'misspelt-rule'
  | 'misspelt-term'
  | 'nameless'
  | 'never-suppressed'
  | 'not-a-date'
  | 'ownerless'
  | 'reasonless'
  | 'still-denied'
  | 'term-in-reason'
  | 'twice'
  | 'unknown-rule'
  | 'unknown-term'
  | 'unused'
  | 'wildcard'

/** One thing wrong with a suppression. */
export type SuppressionProblem = {
  readonly code: SuppressionFault
  /** UTF-16 offsets into the text for a comment, a JSON Pointer into the object for an annotation. */
  readonly place: string | { readonly start: number; readonly end: number }
  /** The comment's first word, or the name of the annotation, as written. */
  readonly directive: string
  /** The rule as written; an example where none is. */
  readonly rule?: string
  /** What is meant, where something is misspelt. */
  readonly meant?: string | undefined
  /** The term that is wrong, as written: `until=tomorrow`. */
  readonly term?: string | undefined
  readonly until?: string | undefined
  readonly owner?: string | undefined
}

/** The suppressions of one text, or of one object, and what is wrong with them. */
export type SuppressionsView = {
  /** The object that carries the annotation. */
  readonly object: JsonObject | undefined
  readonly problems: readonly SuppressionProblem[]
}

/** What a comment covers, by its first word. */
const SCOPES = {
  'sluice-disable-next-line': 'next-line',
  'sluice-disable-line': 'line',
  'sluice-disable-file': 'file',
} as const

/** What a comment covers. */
export type Scope = (typeof SCOPES)[keyof typeof SCOPES]

const isDirective = (word: string): word is keyof typeof SCOPES => Object.hasOwn(SCOPES, word)

/** What a directive covers; undefined where there is none of that name. */
export const scopeOf = (word: string): Scope | undefined => (isDirective(word) ? SCOPES[word] : undefined)

/** The directive that a misspelt one means. */
export const meantDirective = (word: string): string | undefined => nearest(word, Object.keys(SCOPES))

/** A rule named in a text, at [start, end) of it. */
type NamedRule = { readonly id: string; readonly start: number; readonly end: number }

/** How long a suppression holds, and who answers for it. */
export type SuppressionTerms = {
  /** `YYYY-MM-DD`: the last day, in UTC; undefined where it never ends. */
  readonly until: string | undefined
  readonly owner: string | undefined
}

/** What is wrong with a term, and which one: the suppression suppresses nothing then. */
type FaultyTerm = Pick<SuppressionProblem, 'meant' | 'term'> & {
  readonly code: 'misspelt-term' | 'not-a-date' | 'ownerless' | 'twice' | 'unknown-term'
}

/** A suppression as written. */
export type WrittenSuppression = SuppressionTerms & {
  readonly rules: readonly NamedRule[]
  /** Empty where none is given. */
  readonly reason: string
  readonly faultyTerm: FaultyTerm | undefined
}

const TERMS = ['until', 'owner'] as const

/** Reads `RULE, RULE until=DATE owner=NAME -- reason`. No id has an equals sign; behind the dashes all is reason. */
export function readSuppression(text: string): WrittenSuppression {
  const dashes = /(?:^|\s)--+(?=\s|$)/.exec(text)
  const list = dashes ? text.slice(0, dashes.index) : text
  const words = [...list.matchAll(/[^\s,]+/g)]
  const terms = words.flatMap(({ 0: word }) => (word.includes('=') ? [word] : []))
  const faultyTerm = terms.length === 0 ? undefined : faultOfTerms(terms)
  const termOf = (name: string) =>
    faultyTerm ? undefined : terms.find((term) => term.startsWith(`${name}=`))?.slice(name.length + 1)
  return {
    rules: words.flatMap(({ 0: id, index }) =>
      id.includes('=') ? [] : [{ id, start: index, end: index + id.length }],
    ),
    reason: dashes ? text.slice(dashes.index + dashes[0].length).trim() : '',
    until: termOf('until'),
    owner: termOf('owner'),
    faultyTerm,
  }
}

function faultOfTerms(terms: readonly string[]): FaultyTerm | undefined {
  const seen = new Set<string>()
  for (const term of terms) {
    const name = term.slice(0, term.indexOf('='))
    const value = term.slice(name.length + 1)
    const known = TERMS.find((one) => one === name)
    const meant = known ?? nearest(name.toLowerCase(), TERMS)
    if (!known) return meant === undefined ? { code: 'unknown-term', term } : { code: 'misspelt-term', term, meant }
    if (seen.has(name)) return { code: 'twice', term: name }
    if (name === 'until' && !isDate(value)) return { code: 'not-a-date', term }
    if (value === '') return { code: 'ownerless', term }
    seen.add(name)
  }
  return undefined
}

/** True where a suppression has ended; its last day still counts. Without a date of today nothing ends. */
export const isExpired = ({ until }: Partial<SuppressionTerms>, today: string | undefined): boolean =>
  until !== undefined && today !== undefined && until < today

/** The terms that are written. */
export const termsOf = ({
  until,
  owner,
}: Partial<SuppressionTerms>): { readonly until?: string; readonly owner?: string } => ({
  ...(until === undefined ? {} : { until }),
  ...(owner === undefined ? {} : { owner }),
})

/** The annotation of an object that names rules; undefined where there is none, or no string. */
export function ignoreAnnotation(object: JsonObject): string | undefined {
  const written = objectAnnotation(object, IGNORE_ANNOTATION)
  return typeof written === 'string' ? written : undefined
}

/** Where the annotation stands. */
export const IGNORE_POINTER = `/metadata/annotations/${escapeToken(IGNORE_ANNOTATION)}`

/** What is wrong with a suppression that has ended. */
export const expiredProblem = (
  { until, owner }: Partial<SuppressionTerms>,
  { directive, place, rule }: Pick<SuppressionProblem, 'directive' | 'place' | 'rule'>,
): SuppressionProblem => ({
  code: owner === undefined ? 'expired' : 'expired-of-owner',
  directive,
  place,
  ...(rule === undefined ? {} : { rule }),
  until,
  owner,
})

/** What an annotation does to the findings of its object in a cluster. */
export type ClusterSuppression = {
  /**
   * True where the webhook leaves out a finding because the annotation names its rule. Never an error: the author of an
   * object cannot switch off a denial.
   */
  isIgnored(finding: { readonly rule: string; readonly severity: Severity }): boolean
  /** That it has ended, where it would leave out one of these findings otherwise. */
  expired(findings: readonly { readonly rule: string; readonly severity: Severity }[]): SuppressionProblem | undefined
}

/** Reads the annotation of an object; undefined where there is none. `now` is in milliseconds since 1970. */
export function clusterSuppression(
  object: JsonObject,
  { names, now }: { readonly names: RuleNames; readonly now: number },
): ClusterSuppression | undefined {
  const text = ignoreAnnotation(object)
  if (text === undefined) return undefined
  const written = readSuppression(text)
  if (written.faultyTerm) return undefined
  const rules = new Set(written.rules.map(({ id }) => onlyRule(id, names)))
  const hasEnded = isExpired(written, dateOf(now))
  const isNamed = ({ rule, severity }: { readonly rule: string; readonly severity: Severity }) =>
    severity !== 'error' && rules.has(rule)
  const problem = { directive: IGNORE_ANNOTATION, place: IGNORE_POINTER }
  return {
    isIgnored: (finding) => !hasEnded && isNamed(finding),
    expired: (findings) => (hasEnded && findings.some(isNamed) ? expiredProblem(written, problem) : undefined),
  }
}
