/** The state of building a tree from the parser's events, and the checks that kubectl makes and the parser does not. */
import { COLLECTION_STYLE, EVENT_ID, type Event, type ScalarEvent } from 'js-yaml'
import type { Span } from '../scan.ts'
import type { ContentNode } from './node.ts'
import { MAX_PROBLEMS, type SyntaxCause, type TextProblem } from './problem.ts'
import type { ParserSource } from './source.ts'

/** The state of one build. Its offsets are those of the source, which may differ from those of the file. */
export type Builder = {
  readonly from: ParserSource
  readonly source: string
  readonly toFile: (offset: number) => number
  readonly events: readonly Event[]
  /** The next event. */
  index: number
  /** The offset after the last token, in the source. */
  cursor: number
  readonly anchors: Map<string, ContentNode>
  /** Anchored collections whose end has not been read yet. */
  readonly open: Set<object>
  /** How many brackets are open. */
  brackets: number
  /** The columns of the collections without brackets that are open. */
  readonly columns: number[]
  /** Where the last scalar without quotes ended, and the column from which tabs may follow on the lines after it. */
  plainEnd: number
  plainColumn: number
  /** Where the last block scalar ended, with the empty lines after it. */
  blockEnd: number
  readonly problems: TextProblem[]
}

/** A builder at the event after that of the document. */
export const createBuilder = (from: ParserSource, events: readonly Event[]): Builder => ({
  from,
  source: from.text,
  toFile: from.toFile,
  events,
  index: 1,
  cursor: 0,
  anchors: new Map(),
  open: new Set(),
  brackets: 0,
  columns: [],
  plainEnd: -1,
  plainColumn: 0,
  blockEnd: -1,
  problems: [],
})

/** Converts a span of the source to one of the file. */
export const fileSpan = ({ toFile }: Builder, start: number, end: number): Span => ({
  start: toFile(start),
  end: toFile(end),
})

type Mistake = readonly [cause: SyntaxCause, reason: string]

/** Reports something that kubectl rejects, at a span of the file. */
export function report({ problems }: Builder, [cause, reason]: Mistake, { start, end }: Span): void {
  if (problems.length < MAX_PROBLEMS) problems.push({ code: 'syntax', cause, reason, start, end })
}

/** Why a key is none. */
export const NO_COLON = 'a key has no ": " after it'

/** Why a mapping or list without brackets cannot follow a key directly. */
export const ON_KEY_LINE = ['line', 'a mapping or list must begin on a line of its own'] as const

/** Why a value, or a key, that begins with this character is not read as it is meant. */
export const needsQuotes = (char: string, what = 'value') =>
  ['quotes', `a ${what} that begins with "${char}" needs quotes`] as const

/** A mapping or list may not begin on the line of its key. The parser accepts it after an anchor or a tag. */
export function rejectBlockOnKeyLine(builder: Builder): void {
  const { events, index, source, cursor } = builder
  const next = events[index]
  if (next?.type !== EVENT_ID.MAPPING && next?.type !== EVENT_ID.SEQUENCE) return
  if (next.style === COLLECTION_STYLE.FLOW || /[\n\r]/.test(source.slice(cursor, next.start))) return
  report(builder, ON_KEY_LINE, fileSpan(builder, next.start, next.start + 1))
}

/** Within brackets go-yaml takes any question mark for the beginning of a key, and a colon that begins a value for its end. */
export function rejectInBrackets(builder: Builder, text: string, span: Span): void {
  if (builder.brackets === 0) return
  if (text.includes('?')) report(builder, ['quotes', 'a "?" within brackets needs quotes'], span)
  else if (text.startsWith(':')) report(builder, needsQuotes(':'), span)
}

/** Every escape; the group holds those of newer versions of YAML, which only the parser knows. */
const ESCAPE = /\\(?:[^/uU]|u(?!d[89a-f]))|(\\u....|\\.)/gis

/** Rejects `\/` and halves of surrogate pairs. */
export function rejectNewEscapes(builder: Builder, { valueStart, valueEnd }: ScalarEvent): void {
  for (const found of builder.source.slice(valueStart, valueEnd).matchAll(ESCAPE)) {
    if (found[1] === undefined) continue
    const at = valueStart + found.index
    report(builder, ['escape', `unknown escape sequence "${found[1]}"`], fileSpan(builder, at, at + found[1].length))
  }
}
