/** Makes the problems of a document: short reasons at places that are worth marking. */
import { isBlank, isBreak } from './tokens.ts'
import type { TextProblem, TextProblemCode } from './view.ts'

/** A document says no more than this of what is wrong with it. */
export const MOST_PROBLEMS = 20

/** A problem at the word that stands at an offset, or at the last one before it where none does. */
export function problemAt(code: TextProblemCode, reason: string, place: Place): TextProblem {
  const { text, start, end } = place
  let from = Math.min(Math.max(place.offset, start), end)
  const word = /\S+/y
  word.lastIndex = from
  const found = word.exec(text)
  if (found && from < end) return { code, reason, start: from, end: Math.min(from + found[0].length, end) }
  while (from > start && isBlank(text.charCodeAt(from - 1))) from--
  return { code, reason, start: Math.max(from - 1, start), end: from }
}

/** An offset within the document that stands at [start, end) of a text. */
export type Place = { readonly text: string; readonly start: number; readonly end: number; readonly offset: number }

/** A problem of a whole document, marked at its first line that says something. */
export function problemOfWhole(code: TextProblemCode, reason: string, place: Omit<Place, 'offset'>): TextProblem {
  const { text, end } = place
  let start = place.start
  while (start < end && isBlank(text.charCodeAt(start))) start++
  let stop = start
  while (stop < end && stop - start < LONGEST_MARK && !isBreak(text.charCodeAt(stop))) stop++
  return { code, reason, start, end: stop }
}

const LONGEST_MARK = 80
