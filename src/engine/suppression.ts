/** What authors write into manifests to suppress findings: `RULE, RULE -- reason`. */

import type { JsonObject } from '../json/member.ts'
import { IGNORE_ANNOTATION } from '../kubernetes/api-groups.ts'
import { objectAnnotation } from '../kubernetes/metadata.ts'
import type { Severity } from '../settings/settings.ts'
import { nearest } from '../text/nearest.ts'

/** What can be wrong with a suppression. */
export type SuppressionFault =
  | 'alone'
  | 'directive'
  | 'misspelt-directive'
  | 'misspelt-rule'
  | 'nameless'
  | 'never-suppressed'
  | 'reasonless'
  | 'still-denied'
  | 'unknown-rule'
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

/** A suppression as written. */
export type WrittenSuppression = {
  readonly rules: readonly NamedRule[]
  /** Empty where none is given. */
  readonly reason: string
}

/** Reads `RULE, RULE -- reason`. */
export function readSuppression(text: string): WrittenSuppression {
  const dashes = /(?:^|\s)--+(?=\s|$)/.exec(text)
  const list = dashes ? text.slice(0, dashes.index) : text
  return {
    rules: [...list.matchAll(/[^\s,]+/g)].map(({ 0: id, index }) => ({ id, start: index, end: index + id.length })),
    reason: dashes ? text.slice(dashes.index + dashes[0].length).trim() : '',
  }
}

/** The annotation of an object that names rules; undefined where there is none, or no string. */
export function ignoreAnnotation(object: JsonObject): string | undefined {
  const written = objectAnnotation(object, IGNORE_ANNOTATION)
  return typeof written === 'string' ? written : undefined
}

/**
 * True where the webhook leaves out a finding because the annotation of the object names its rule. Never an error: the
 * author of an object cannot switch off a denial.
 */
export function isIgnoredInCluster(
  object: JsonObject,
  { rule, severity }: { readonly rule: string; readonly severity: Severity },
): boolean {
  const written = severity === 'error' ? undefined : ignoreAnnotation(object)
  return written !== undefined && readSuppression(written).rules.some(({ id }) => id === rule)
}
