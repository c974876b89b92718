/** What is wrong with the text of a document: short reasons, each with the characters to mark. */

import { isSpace, lineEnd, type Span, trimmedEnd, wordEnd } from '../scan.ts'

/** What can be wrong with YAML or JSON; each has its own remedy. */
export type SyntaxCause =
  | 'above'
  | 'after-quote'
  | 'anchor'
  | 'anchor-cycle'
  | 'anchor-name'
  | 'block-text'
  | 'bracket'
  | 'colon'
  | 'comma'
  | 'conflict'
  | 'control'
  | 'dashes'
  | 'directive'
  | 'escape'
  | 'extra'
  | 'field'
  | 'first-line'
  | 'indentation'
  | 'inner-quote'
  | 'item'
  | 'json-comma'
  | 'json-comment'
  | 'json-control'
  | 'json-end'
  | 'json-escape'
  | 'json-extra-comma'
  | 'json-key'
  | 'json-number'
  | 'json-quote'
  | 'json-separator'
  | 'json-value'
  | 'key'
  | 'line'
  | 'merge'
  | 'missing-bracket'
  | 'near'
  | 'no-key'
  | 'no-kind'
  | 'no-object'
  | 'number'
  | 'other'
  | 'other-bracket'
  | 'quote'
  | 'quotes'
  | 'separator'
  | 'space'
  | 'tab'
  | 'tag'
  | 'tag-value'

/** Why a text is not read to its end; each has its own remedy. */
type UnreadableCause = 'aliases' | 'deep' | 'encoding' | 'large'

/** What is wrong with a text before any object is read from it. */
export type TextMistake = (
  | { readonly code: 'syntax'; readonly cause: SyntaxCause }
  | { readonly code: 'unreadable'; readonly cause: UnreadableCause }
  | { readonly code: 'duplicate-key' }
) & {
  /** What is wrong, without place and remedy: `a bracket is never closed`. */
  readonly reason: string
}

/** One problem of a text, at a span of the file's text. */
export type TextProblem = Span & TextMistake

/** A mistake in the syntax. */
export const syntax = (cause: SyntaxCause, reason: string): TextMistake => ({ code: 'syntax', cause, reason })

/** A document that is nested too deeply. */
export const tooDeep = (): TextMistake => ({ code: 'unreadable', cause: 'deep', reason: TOO_DEEP })

/** Levels of nesting that a document may have, aliases followed. */
export const MAX_DEPTH = 100

const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`

/** Problems that are reported of one document. */
export const MAX_PROBLEMS = 20

/** An offset within the document at [start, end) of a text. */
export type Position = Span & { readonly text: string; readonly offset: number }

/** A problem with the word at an offset, or with the last character before it where no word is. */
export function problemAt(mistake: TextMistake, { text, start, end, offset }: Position): TextProblem {
  let from = Math.min(Math.max(offset, start), end)
  if (from === end || isSpace(text.charCodeAt(from))) {
    from = trimmedEnd(text, start, from)
    return { ...mistake, start: Math.max(from - 1, start), end: from }
  }
  return { ...mistake, start: from, end: Math.min(wordEnd(text, from), from + MAX_MARK, end) }
}

/** A problem of a whole document, marked on its first line. */
export const problemOfDocument = (mistake: TextMistake, at: Omit<Position, 'offset'>): TextProblem => ({
  ...mistake,
  ...firstLine(at),
})

/** The first line of a document that is not empty; of a long line its beginning. */
export function firstLine({ text, start: from, end }: Omit<Position, 'offset'>): Span {
  let start = from
  while (start < end && isSpace(text.charCodeAt(start))) start++
  return { start, end: lineEnd(text, start, Math.min(end, start + MAX_MARK)) }
}

/** UTF-16 units that a mark has at most. */
const MAX_MARK = 80
