/** Mistakes with quotes. */
import { lineEnd } from '../scan.ts'
import { type Explanation, lineStart } from './explanation.ts'
import type { Position } from './problem.ts'
import { triedOn } from './trial.ts'

const NO_CLOSING_QUOTE = 'a quoted value has no closing quote'

/** The quoted value that is open at the end of a document. */
export const describeOpenQuote = (at: Position, quote: string): Explanation => [
  'quote',
  NO_CLOSING_QUOTE,
  openingQuote(at, quote) ?? at.offset,
]

/** A quote above that was forgotten, and that a quote on the line of an offset closes. */
export function unclosedAbove(at: Position): Explanation | undefined {
  const { text, offset } = at
  const line = lineStart(at)
  const openings = [...text.slice(line, lineEnd(text, offset)).matchAll(/["']/g)].map(({ index, 0: quote }) =>
    openingQuote({ ...at, offset: line + index }, quote),
  )
  const helps = triedOn(at)
  const opening = openings.find(
    (start) =>
      start !== undefined && start < line && ['', ' '].some((by) => helps({ start, end: start + 1, text: by })),
  )
  return opening === undefined ? undefined : ['quote', NO_CLOSING_QUOTE, opening]
}

/** A text goes on after its closing quote, which may close a quote that was forgotten lines before. */
export function describeAfterQuote(at: Position): Explanation {
  const { text, offset } = at
  const quote = text.charAt(offset - 1)
  const opening = openingQuote({ ...at, offset: offset - 1 }, quote) ?? offset
  if (opening < lineStart(at)) return ['quote', NO_CLOSING_QUOTE, opening]
  const rest = text.slice(offset, lineEnd(text, offset))
  if (/^[,;\]}]+[ \t]*(?:#.*)?$/.test(rest)) return ['extra', `unexpected ${JSON.stringify(rest.charAt(0))}`]
  const isWithin = rest.split(/,\s|: /, 1)[0]?.includes(quote)
  return isWithin
    ? ['inner-quote', 'a quoted value contains its own quote']
    : ['after-quote', 'a value continues after its closing quote']
}

/** The first quotation mark after which all others are escaped; -1 where there is none. From the end, so that each is seen once. */
function lastDouble(text: string): number {
  let found = -1
  let [next, afterNext] = [true, false]
  for (let index = text.length - 1; index >= 0; index--) {
    if (text[index] === '"' && next) found = index
    const isEscaped = text[index] === '\\' ? afterNext : text[index] !== '"' && next
    afterNext = next
    next = isEscaped
  }
  return found
}

/** The first apostrophe after which all others are doubled, and none ends the text; -1 where there is none. */
function lastSingle(text: string): number {
  let found = -1
  for (const { 0: run, index } of text.matchAll(/'+/g)) {
    if (run.length % 2 === 1) found = index
    else if (index + run.length === text.length) found = -1
  }
  return found
}

/** The quote that opens the value which is open at an offset: what is like it after it is escaped. */
function openingQuote({ text, start, offset }: Position, quote: string): number | undefined {
  const before = text.slice(start, offset)
  const at = quote === '"' ? lastDouble(before) : lastSingle(before)
  return at === -1 ? undefined : start + at
}
