/** What is said of a mistake of the syntax, and the steps over lines that find its place. */
import { lineEnd, skipComments, trimmedEnd } from '../scan.ts'
import type { Position, SyntaxCause } from './problem.ts'

/** A cause, its words, and the offset of the mistake where js-yaml has stopped elsewhere. */
export type Explanation = readonly [cause: SyntaxCause, reason: string, offset?: number]

/** The column of an offset, from 0. */
export const columnOf = (text: string, offset: number): number => offset - text.lastIndexOf('\n', offset - 1) - 1

/** The start of the line of an offset, within the document. */
export const lineStart = ({ text, start, offset }: Position): number =>
  Math.max(text.lastIndexOf('\n', offset - 1) + 1, start)

/** The first word of the last line before the offset's that is not empty. */
export function previousLine(at: Position): number {
  const { text, start } = at
  const offset = trimmedEnd(text, start, lineStart(at))
  return offset > start ? skipComments(text, lineStart({ ...at, offset })) : at.offset
}

/** The width of the indentation of a line, in columns. */
export const firstColumn = (text: string, line: number): number =>
  /^ */.exec(text.slice(line, lineEnd(text, line)))?.[0].length ?? 0
