/** Comments and annotations that suppress findings, each with what it covers and what it suppressed. */

import { readSuppression, type SuppressionProblem } from '../../engine/suppression.ts'
import type { JsonObject } from '../../json/member.ts'
import { escapeToken } from '../../json/pointer.ts'
import { IGNORE_ANNOTATION } from '../../kubernetes/api-groups.ts'
import { placeholderIn } from '../../text/placeholder.ts'
import type { TextRange } from '../../yaml/locate.ts'
import type { Directive } from './directives.ts'

type SuppressionPlace = SuppressionProblem['place']

/** One comment or annotation. */
export type Mark = {
  readonly kind: 'comment' | 'annotation'
  /** The comment's first word, or the annotation's name. */
  readonly directive: string
  readonly place: SuppressionPlace
  readonly rules: readonly { readonly id: string; readonly place: SuppressionPlace }[]
  readonly reason: string
  /** What is wrong with it as a whole: it then suppresses nothing. */
  readonly fault: SuppressionProblem | undefined
  /** The line whose findings a comment covers, from 1; undefined where it covers all of its text or object. */
  readonly line: number | undefined
  /** The document of that line; undefined where all of the text or the object is covered. */
  readonly document: TextRange | undefined
  /** True where a placeholder in reach is filled in later, so that what will be found is unknown. */
  readonly isUnsure: boolean
  /** Rules of which it suppressed a finding; true where that was an error. */
  readonly suppressed: Map<string, boolean>
}

/** The rule that messages name as an example where the author names none. */
const EXAMPLE = 'gateway/key-constant'

type Draft = Omit<Mark, 'fault' | 'suppressed'>

const finished = (draft: Draft, fault: MarkFault | undefined): Mark => ({
  ...draft,
  fault: fault && { directive: draft.directive, place: draft.place, rule: draft.rules[0]?.id ?? EXAMPLE, ...fault },
  suppressed: new Map(),
})

type MarkFault = Pick<SuppressionProblem, 'code' | 'meant'>

/** The mark that a comment makes; `isUnsure` where a placeholder in its reach is filled in later. */
export function markComment(directive: Directive, isUnsure: boolean): Mark {
  const { name, place, line, document, reason } = directive
  const draft: Draft = {
    kind: 'comment',
    directive: name,
    place,
    rules: directive.rules.map(({ id, start, end }) => ({ id, place: { start, end } })),
    reason,
    line,
    document,
    isUnsure,
  }
  return finished(draft, faultOf(directive))
}

function faultOf({ scope, meant, rules, reason, isAlone }: Directive): MarkFault | undefined {
  if (!scope) return meant === undefined ? { code: 'directive' } : { code: 'misspelt-directive', meant }
  if (rules.length === 0) return { code: 'nameless' }
  if (reason === '') return { code: 'reasonless' }
  return scope === 'line' && isAlone ? { code: 'alone' } : undefined
}

const POINTER = `/metadata/annotations/${escapeToken(IGNORE_ANNOTATION)}`

/** The mark that the annotation of an object makes. */
export function markAnnotation(object: JsonObject, written: string): Mark {
  const { rules, reason } = readSuppression(written)
  const draft: Draft = {
    kind: 'annotation',
    directive: IGNORE_ANNOTATION,
    place: POINTER,
    rules: rules.map(({ id }) => ({ id, place: POINTER })),
    reason,
    line: undefined,
    document: undefined,
    isUnsure: placeholderIn(JSON.stringify(object)) !== undefined,
  }
  return finished(draft, rules.length === 0 ? { code: 'nameless' } : undefined)
}
