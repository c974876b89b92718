/** What the making of a tree remembers between the parser's events. */
import type { Event } from 'js-yaml'
import type { TextProblem } from '../view.ts'
import type { ContentNode, Span } from './node.ts'
import { MOST_PROBLEMS } from './problem.ts'
import type { Source } from './source.ts'

/** The state of the making; all its offsets are of the source. */
export type Builder = {
  readonly source: string
  readonly toFile: (offset: number) => number
  readonly events: readonly Event[]
  /** The next event. */
  index: number
  /** Behind the last token, in the source. */
  cursor: number
  readonly anchors: Map<string, ContentNode>
  /** Anchored collections whose end was not read yet. */
  readonly open: Set<object>
  /** Brackets that are open. */
  brackets: number
  /** Where the last scalar ended that has no quotes. */
  plainEnd: number
  readonly problems: TextProblem[]
}

/** Begins with the event behind that of the document. */
export const createBuilder = ({ text, toFile }: Source, events: readonly Event[]): Builder => ({
  source: text,
  toFile,
  events,
  index: 1,
  cursor: 0,
  anchors: new Map(),
  open: new Set(),
  brackets: 0,
  plainEnd: -1,
  problems: [],
})

/** Makes a span of the file of one of the source. */
export const fileSpan = ({ toFile }: Builder, start: number, end: number): Span => ({
  start: toFile(start),
  end: toFile(end),
})

/** Notes what kubectl refuses at a span of the file. */
export function report({ problems }: Builder, reason: string, { start, end }: Span): void {
  if (problems.length < MOST_PROBLEMS) problems.push({ code: 'syntax', reason, start, end })
}
