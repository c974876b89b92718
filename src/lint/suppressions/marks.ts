/** Comments and annotations that suppress findings, each with what it covers and what it suppressed. */

import {
  expiredProblem,
  IGNORE_POINTER,
  isExpired,
  readSuppression,
  type SuppressionProblem,
  type SuppressionTerms,
  type WrittenSuppression,
} from '../../engine/suppression.ts'
import type { JsonObject } from '../../json/member.ts'
import { IGNORE_ANNOTATION } from '../../kubernetes/api-groups.ts'
import { onlyRule, type RuleNames } from '../../settings/rule-ids.ts'
import { placeholderIn } from '../../text/placeholder.ts'
import type { TextRange } from '../../yaml/locate.ts'
import type { Directive } from './directives.ts'

type SuppressionPlace = SuppressionProblem['place']

/** One comment or annotation. */
export type Mark = SuppressionTerms & {
  readonly kind: 'comment' | 'annotation'
  /** The comment's first word, or the annotation's name. */
  readonly directive: string
  readonly place: SuppressionPlace
  /** Each as written, and the rule that it means where that is certain. */
  readonly rules: readonly {
    readonly id: string
    readonly rule: string | undefined
    readonly place: SuppressionPlace
  }[]
  /** The rules that it means. */
  readonly covered: ReadonlySet<string | undefined>
  readonly reason: string
  readonly hasEnded: boolean
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

/** What marks are read with. */
export type MarkContext = {
  readonly names: RuleNames
  /** The date in UTC; undefined where nothing ends. */
  readonly today: string | undefined
}

type Draft = Omit<Mark, 'covered' | 'fault' | 'suppressed' | 'hasEnded'>

function finished(draft: Draft, fault: MarkFault | undefined, { today }: MarkContext): Mark {
  const hasEnded = !fault && isExpired(draft, today)
  const about = { directive: draft.directive, place: draft.place, rule: draft.rules[0]?.id ?? EXAMPLE }
  const problem = hasEnded ? expiredProblem(draft, about) : fault && { ...about, ...fault }
  const covered = new Set(draft.rules.map(({ rule }) => rule))
  return { ...draft, covered, hasEnded, fault: problem, suppressed: new Map() }
}

type MarkFault = Pick<SuppressionProblem, 'code' | 'meant' | 'term'>

/** The mark that a comment makes; `isUnsure` where a placeholder in its reach is filled in later. */
export function markComment(directive: Directive, isUnsure: boolean, context: MarkContext): Mark {
  const { name, place, line, document, reason, until, owner } = directive
  const draft: Draft = {
    kind: 'comment',
    directive: name,
    place,
    rules: directive.rules.map(({ id, start, end }) => ({
      id,
      rule: onlyRule(id, context.names),
      place: { start, end },
    })),
    reason,
    until,
    owner,
    line,
    document,
    isUnsure,
  }
  return finished(draft, faultOf(directive), context)
}

function faultOf(directive: Directive): MarkFault | undefined {
  const { scope, meant, reason, isAlone } = directive
  if (!scope) return meant === undefined ? { code: 'directive' } : { code: 'misspelt-directive', meant }
  const fault = faultOfWords(directive)
  if (fault) return fault
  if (reason === '') return { code: 'reasonless' }
  return scope === 'line' && isAlone ? { code: 'alone' } : undefined
}

const faultOfWords = ({ rules, faultyTerm }: WrittenSuppression): MarkFault | undefined =>
  faultyTerm ?? (rules.length === 0 ? { code: 'nameless' } : undefined)

/** The mark that the annotation of an object makes. */
export function markAnnotation(object: JsonObject, text: string, context: MarkContext): Mark {
  const written = readSuppression(text)
  const { rules, reason, until, owner } = written
  const draft: Draft = {
    kind: 'annotation',
    directive: IGNORE_ANNOTATION,
    place: IGNORE_POINTER,
    rules: rules.map(({ id }) => ({ id, rule: onlyRule(id, context.names), place: IGNORE_POINTER })),
    reason,
    until,
    owner,
    line: undefined,
    document: undefined,
    isUnsure: placeholderIn(JSON.stringify(object)) !== undefined,
  }
  return finished(draft, faultOfWords(written), context)
}
