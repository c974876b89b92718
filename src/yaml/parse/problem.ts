/** What is wrong with the text of a document: short reasons, each with the characters to mark. */

import { isSpace, lineEnd, type Span, trimmedEnd, wordEnd } from '../scan.ts'

/** What can be wrong with a text before any object is read from it. */
export type TextProblemCode = 'syntax' | 'duplicate-key' | 'unreadable'

/** One problem of a text, at a span of the file's text. */
export type TextProblem = Span & {
  readonly code: TextProblemCode
  /** What is behind it, where the reason alone does not say what to do. */
  readonly cause?: 'conflict' | 'separator' | 'space'
  /** What is wrong, without place and remedy: `bad indentation of a mapping entry`. */
  readonly reason: string
}

/** Levels of nesting that a document may have, aliases followed. */
export const MAX_DEPTH = 100

/** The reason of the problem of a document that is nested deeper. */
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`

/** Problems that are reported of one document. */
export const MAX_PROBLEMS = 20

/** An offset within the document at [start, end) of a text. */
export type Position = Span & { readonly text: string; readonly offset: number }

/** A problem with the word at an offset, or with the last character before it where no word is. */
export function problemAt(code: TextProblemCode, reason: string, { text, start, end, offset }: Position): TextProblem {
  let from = Math.min(Math.max(offset, start), end)
  if (from === end || isSpace(text.charCodeAt(from))) {
    from = trimmedEnd(text, start, from)
    return { code, reason, start: Math.max(from - 1, start), end: from }
  }
  return { code, reason, start: from, end: Math.min(wordEnd(text, from), from + MAX_MARK, end) }
}

/** A problem of a whole document, marked on its first line. */
export function problemOfDocument(code: TextProblemCode, reason: string, at: Omit<Position, 'offset'>): TextProblem {
  return { code, reason, ...firstLine(at) }
}

/** The first line of a document that is not empty; of a long line its beginning. */
export function firstLine({ text, start: from, end }: Omit<Position, 'offset'>): Span {
  let start = from
  while (start < end && isSpace(text.charCodeAt(start))) start++
  return { start, end: lineEnd(text, start, Math.min(end, start + MAX_MARK)) }
}

/** UTF-16 units that a mark has at most. */
const MAX_MARK = 80
