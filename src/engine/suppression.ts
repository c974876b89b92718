/** What authors write into manifests to keep findings quiet: `RULE, RULE -- reason`. */

import type { PolicyView } from '../gateway/objects/policy.ts'
import { IGNORE_ANNOTATION } from '../kubernetes/api-groups.ts'
import { annotation } from '../kubernetes/metadata.ts'
import type { Severity } from '../settings/settings.ts'
import { nearest } from '../text/nearest.ts'

/** What can be wrong with a suppression. */
export type SuppressionFault =
  | 'alone'
  | 'directive'
  | 'misspelt-directive'
  | 'misspelt-rule'
  | 'nameless'
  | 'never-quiet'
  | 'reasonless'
  | 'still-refused'
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
  readonly object?: PolicyView['object']
  readonly problems: readonly SuppressionProblem[]
}

/** What a comment covers, by its first word. */
const SCOPES = {
  'sluice-disable-next-line': 'next-line',
  'sluice-disable-line': 'line',
  'sluice-disable-file': 'file',
} as const

export type Scope = (typeof SCOPES)[keyof typeof SCOPES]

const isDirective = (word: string): word is keyof typeof SCOPES => Object.hasOwn(SCOPES, word)

/** What a directive covers; undefined where there is none of that name. */
export const scopeOf = (word: string): Scope | undefined => (isDirective(word) ? SCOPES[word] : undefined)

/** The directive that a misspelt one means. */
export const meantDirective = (word: string): string | undefined => nearest(word, Object.keys(SCOPES))

/** A rule named in a text, at [start, end) of it. */
export type NamedRule = { readonly id: string; readonly start: number; readonly end: number }

/** A suppression as written. */
export type Written = {
  readonly rules: readonly NamedRule[]
  /** Empty where none is given. */
  readonly reason: string
}

/** Reads `RULE, RULE -- reason`. */
export function readSuppression(text: string): Written {
  const dashes = /(?:^|\s)--+(?=\s|$)/.exec(text)
  const list = dashes ? text.slice(0, dashes.index) : text
  return {
    rules: [...list.matchAll(/[^\s,]+/g)].map(({ 0: id, index }) => ({ id, start: index, end: index + id.length })),
    reason: dashes ? text.slice(dashes.index + dashes[0].length).trim() : '',
  }
}

/** The annotation of a policy that names rules; undefined where there is none, or no text. */
export function ignoreAnnotation({ metadata }: PolicyView): string | undefined {
  const written = annotation(metadata, IGNORE_ANNOTATION)
  return typeof written === 'string' ? written : undefined
}

/**
 * True where a cluster keeps a finding quiet because the policy's annotation says so. Never an error: whoever writes
 * the policy writes the annotation, and a refusal is not theirs to switch off.
 */
export function isIgnoredInCluster(
  policy: PolicyView,
  { rule, severity }: { readonly rule: string; readonly severity: Severity },
): boolean {
  const written = severity === 'error' ? undefined : ignoreAnnotation(policy)
  return written !== undefined && readSuppression(written).rules.some(({ id }) => id === rule)
}
