/** Mistakes within brackets. */
import { lineEnd, trimmedEnd } from '../scan.ts'
import { needsQuotes } from './builder.ts'
import { type Explanation, firstColumn, lineStart } from './explanation.ts'
import type { Position } from './problem.ts'
import { describeAfterQuote } from './quotes.ts'
import { createSource, readEvents } from './source.ts'
import { LONGEST, type Trial, triedOn } from './trial.ts'

/** A bracket that stays open, or one too many: kubectl reads no mapping as a key. */
const describeBracket = (text: string, opening: number): Explanation =>
  /^\{\s*[{[]/.test(text.slice(opening, opening + 100))
    ? ['extra', 'unexpected "{"', opening]
    : ['bracket', 'a bracket is never closed', opening]

const UNKNOWN_ENTRY = 'expected a comma or a closing bracket'

/** The document ends within brackets. */
export function describeOpenBracket(at: Position): Explanation {
  const { text, start, end } = at
  const opening = openingBracket(at)
  const helps = triedOn({ ...at, offset: end })
  const last = trimmedEnd(text, start, end)
  const isClosed = opening !== undefined && helps({ start: last, end: last, text: text[opening] === '{' ? '}' : ']' })
  return isClosed ? describeBracket(text, opening) : ['near', UNKNOWN_ENTRY, last]
}

/** js-yaml stops in brackets wherever an entry ends otherwise than with a comma or the closing bracket. */
export function describeEntry(at: Position): Explanation {
  const { text, offset } = at
  const char = text[offset] ?? ''
  const before = text[offset - 1] ?? ''
  if (/["']/.test(before)) return describeAfterQuote(at)
  if (/[{[]/.test(char) && /[^\s\]},]/.test(before))
    return ['quotes', `a value within brackets that contains "${char}" needs quotes`]
  if ('@`%|>'.includes(char)) return needsQuotes(char)
  const opened = describeOpening(at)
  if (opened) return opened
  const helps = triedOn(at)
  return /[\]}]/.test(char) ? describeOtherBracket(at, helps) : describeMissingComma(at, helps)
}

/** A bracket on a line above that is one too many, or that is never closed. */
function describeOpening(at: Position): Explanation | undefined {
  const { text } = at
  const opening = openingBracket(at)
  if (opening === undefined || lineStart({ ...at, offset: opening }) === lineStart(at)) return undefined
  const helps = triedOn(at)
  const end = lineEnd(text, opening)
  const isOpen = helps({ start: end, end, text: text[opening] === '{' ? '}' : ']' }) === 'all'
  if (!isOpen && ['', ' '].some((by) => helps({ start: opening, end: opening + 1, text: by }) === 'all'))
    return ['extra', `unexpected "${text[opening]}"`, opening]
  return isOpen || isOutside(at, opening) ? describeBracket(text, opening) : undefined
}

/** A bracket closes, of which another kind is open. */
function describeOtherBracket({ text, offset }: Position, helps: Trial): Explanation {
  const char = text.charAt(offset)
  const other = char === '}' ? ']' : '}'
  if (helps({ start: offset, end: offset, text: other }))
    return ['missing-bracket', `expected "${other}" before this "${char}"`]
  if (helps({ start: offset, end: offset + 1, text: other }))
    return ['other-bracket', `expected "${other}", found "${char}"`]
  return helps({ start: offset, end: offset + 1, text: '' })
    ? ['extra', `unexpected "${char}"`]
    : ['near', UNKNOWN_ENTRY]
}

/** The offset of the last word of a text; blanks may follow it. */
function lastWord(text: string): number {
  const trimmed = text.trimEnd()
  return trimmed.length - (trimmed.split(/[\s{[,]/).at(-1)?.length ?? 0)
}

/** An entry within brackets begins where a comma or the closing bracket is expected. */
function describeMissingComma(at: Position, helps: Trial): Explanation {
  const { text, offset } = at
  const start = text[offset] === ':' ? lastWord(text.slice(at.start, offset)) + at.start : offset
  const word = offset - start
  if (word > 0 && /:[ \t]+$/.test(text.slice(at.start, start)))
    return ['quotes', 'a value that contains ": " needs quotes', start]
  if (helps({ start, end: start, text: ', ' })) return ['comma', UNKNOWN_ENTRY, start]
  if (helps({ start: offset, end: offset + 1, text: '' })) return ['extra', `unexpected "${text[offset]}"`]
  return ['near', UNKNOWN_ENTRY, start]
}

/** Whether the line of an offset is indented like a member or an item after the line where a bracket opens. */
function isOutside(at: Position, opening: number): boolean {
  const { text } = at
  const [line, outer] = [lineStart(at), lineStart({ ...at, offset: opening })]
  return line > outer && firstColumn(text, line) <= firstColumn(text, outer)
}

/** So many brackets before a mistake are tried. */
const MOST_BRACKETS = 100

/** The outermost bracket that is open at an offset: the text ends within brackets after it, and not before it. */
function openingBracket({ text, start, offset }: Position): number | undefined {
  const endsInBrackets = (end: number) => {
    const read = readEvents(createSource(text.slice(start, end), 0))
    return 'code' in read && read.code === 'open-bracket'
  }
  if (offset - start > LONGEST) return undefined
  const brackets = [...text.slice(start, offset).matchAll(/[[{]/g)].map(({ index }) => start + index)
  return brackets
    .reverse()
    .slice(0, MOST_BRACKETS)
    .find((at) => endsInBrackets(at + 1) && !endsInBrackets(at))
}
