/** Makes the problems of a document: short reasons at places that are worth marking. */

import type { TextProblem, TextProblemCode } from '../view.ts'
import type { Span } from './node.ts'
import { isBlank, isBreak, trimmedEnd, wordEnd } from './tokens.ts'

/** A document says no more than this of what is wrong with it. */
export const MOST_PROBLEMS = 20

/** A problem at the word that stands at an offset, or at the last one before it where none does. */
export function problemAt(code: TextProblemCode, reason: string, { text, start, end, offset }: Place): TextProblem {
  let from = Math.min(Math.max(offset, start), end)
  if (from === end || isBlank(text.charCodeAt(from))) {
    from = trimmedEnd(text, start, from)
    return { code, reason, start: Math.max(from - 1, start), end: from }
  }
  return { code, reason, start: from, end: Math.min(wordEnd(text, from), from + LONGEST_MARK, end) }
}

/** An offset within the document that stands at [start, end) of a text. */
export type Place = { readonly text: string; readonly start: number; readonly end: number; readonly offset: number }

/** A problem of a whole document, marked at its first line. */
export function problemOfWhole(code: TextProblemCode, reason: string, place: Omit<Place, 'offset'>): TextProblem {
  return { code, reason, ...firstLine(place) }
}

/** The first line of a document that says something, or the beginning of it where it is long. */
export function firstLine({ text, start: from, end }: Omit<Place, 'offset'>): Span {
  let start = from
  while (start < end && isBlank(text.charCodeAt(start))) start++
  let stop = start
  while (stop < end && stop - start < LONGEST_MARK && !isBreak(text.charCodeAt(stop))) stop++
  return { start, end: stop }
}

const LONGEST_MARK = 80
