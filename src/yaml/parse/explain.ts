/** Puts what the YAML parser complains of into words of its reader, at the place that is wrong. */
import { EVENT_ID, YAMLException } from 'js-yaml'
import type { TextProblem } from '../view.ts'
import { MAX_DEPTH } from './expansion.ts'
import { type Place, problemAt } from './problem.ts'
import { createSource, readEvents } from './source.ts'
import { skipBlank, trimmedEnd } from './tokens.ts'

/** Whether the parser had read the whole document when it stopped. */
export const isAfterEnd = ({ reason }: { readonly reason: string }): boolean => reason.startsWith('end of the stream')

/** The problem for a reason of the parser, which stopped at an offset of a document. */
export function explain(reason: string, place: Place): TextProblem {
  if (reason.includes('maxDepth')) return problemAt('unreadable', `nested deeper than ${MAX_DEPTH} levels`, place)
  const tab = reason.startsWith('tab characters') ? place.text.lastIndexOf('\t', place.offset) : -1
  if (tab >= place.start) return { code: 'syntax', reason, start: tab, end: tab + 1 }
  const [words, offset] = inOtherWords(reason, place)
  return problemAt('syntax', words, { ...place, offset })
}

function inOtherWords(reason: string, place: Place): readonly [string, number] {
  const { offset } = place
  if (reason.includes('multiline key')) return [NO_COLON, lineBefore(place)]
  if (reason.startsWith("expected ':'")) return [NO_COLON, skipBlank(place.text, lineStart(place))]
  if (reason.endsWith('within a flow collection')) return ['a bracket is never closed', offset]
  if (reason.endsWith('double quoted scalar')) return ['a quoted value has no closing quote', openingQuote(place, '"')]
  if (reason.endsWith('single quoted scalar')) return ['a quoted value has no closing quote', openingQuote(place, "'")]
  if (reason === 'deficient indentation') return ['bad indentation within brackets or quotes', offset]
  if (reason.startsWith('bad indentation of a mapping')) return besideIndentation(reason, place)
  return isAfterEnd({ reason }) ? afterTheEnd(place) : [reason, offset]
}

const NO_COLON = 'a key has no ": " behind it'

/** The parser speaks of indentation wherever a member ends otherwise than it should. */
function besideIndentation(reason: string, place: Place): readonly [string, number] {
  const { text, offset } = place
  const char = text[offset] ?? ''
  const line = lineStart(place)
  const before = text.slice(line, offset)
  if (before.trim() === '') return [reason, offset]
  if (char !== ':')
    return [
      '@`%'.includes(char) ? `a value that begins with "${char}" needs quotes` : `unexpected ${JSON.stringify(char)}`,
      offset,
    ]
  return /: |^ *- /.test(before) ? ['a value that contains ": " needs quotes', offset] : [reason, skipBlank(text, line)]
}

/** A document ends before an item that stands among members, or where it is but one value. */
function afterTheEnd(place: Place): readonly [string, number] {
  const { text, offset } = place
  const isFirst = text.slice(lineStart(place), offset).trim() === ''
  if (!isFirst)
    return text[offset] === ':'
      ? [NO_COLON, lineBefore(place)]
      : ['unexpected text after the end of the document', offset]
  return [`bad indentation of a ${text[offset] === '-' ? 'sequence' : 'mapping'} entry`, offset]
}

/** Where the quote opens that never closes: the last one that the parser meets if it is closed at the end. */
function openingQuote({ text, start, end, offset }: Place, quote: string): number {
  const source = createSource(text.slice(start, end) + quote, start)
  const events = readEvents(source)
  if (events instanceof YAMLException) return offset
  const last = events.findLast((event) => event.type === EVENT_ID.SCALAR && event.valueStart !== -1)
  return last?.type === EVENT_ID.SCALAR ? source.toFile(last.valueStart - 1) : offset
}

const lineStart = ({ text, start, offset }: Place): number => Math.max(text.lastIndexOf('\n', offset - 1) + 1, start)

/** The first word of the last line before that of the offset that is not empty. */
function lineBefore(place: Place): number {
  const { text, start } = place
  const offset = trimmedEnd(text, start, lineStart(place))
  return offset > start ? skipBlank(text, lineStart({ ...place, offset })) : place.offset
}
