/** The line of a finding, with a mark under its token. */
import type { ReportedFinding } from '../../lint/report.ts'
import { isPlain, showCharacter, widthOf } from '../characters.ts'

/** A line and the mark under it. */
type Excerpt = { readonly line: string; readonly mark: string }

/** The place of a finding. */
type MarkedRange = Pick<ReportedFinding, 'line' | 'column' | 'endLine' | 'endColumn'>

/** Returns the excerpt for a range of one text, in `width` columns. Fast for ranges in their order. */
export type Excerpter = (range: MarkedRange, width: number) => Excerpt

/** Characters that are read before and after a token: a line may be as long as a file. */
const REACH = 400

/** Creates the excerpts of a text. */
export function createExcerpter(text: string): Excerpter {
  const seek = createSeeker(text)
  return ({ line, column, endLine, endColumn }, width) => {
    const { lineStart, offset } = seek(line, column)
    const length = endLine === line ? endColumn - column : REACH
    const lineEnd = endOfLine(text, offset, 2 * REACH + 1)
    const from = offset - lineStart > REACH ? offset - REACH : lineStart
    const to = Math.min(lineEnd, offset + 2 * REACH)
    const parts = {
      before: show(text.slice(from, offset), 0),
      token: [...text.slice(offset, Math.min(to, offset + 2 * length))].slice(0, length).join(''),
      cutStart: from > lineStart,
      cutEnd: to < lineEnd,
    }
    const token = show(parts.token, widthOf(parts.before))
    const after = show(text.slice(offset + parts.token.length, to), widthOf(parts.before + token))
    return fitWidth({ ...parts, token, after }, width)
  }
}

type Parts = {
  readonly before: string
  readonly token: string
  readonly after: string
  readonly cutStart: boolean
  readonly cutEnd: boolean
}

type Position = { readonly lineStart: number; readonly offset: number }

/** Finds the offset of a line and column (from 1, columns in code points), from the last one found where possible. */
function createSeeker(text: string): (line: number, column: number) => Position {
  const first = text.startsWith('\ufeff') ? 1 : 0
  const start = { line: 1, column: 1, lineStart: first, offset: first }
  let at = { ...start }
  return (line, column) => {
    const isBehind = line < at.line || (line === at.line && column < at.column)
    if (isBehind) at = { ...start }
    for (; at.line < line; at.line += 1) {
      at.lineStart = text.indexOf('\n', at.offset) + 1 || text.length
      at.offset = at.lineStart
      at.column = 1
    }
    for (; at.column < column && at.offset < text.length; at.column += 1)
      at.offset += (text.codePointAt(at.offset) ?? 0) > 0xffff ? 2 : 1
    return at
  }
}

/** The end of the line, at most `max` characters after `from`: else each finding would read all of a long line. */
function endOfLine(text: string, from: number, max: number): number {
  const next = text.slice(from, from + max + 1).indexOf('\n')
  const end = next === -1 ? Math.min(text.length, from + max) : from + next
  return end > from && text[end - 1] === '\r' ? end - 1 : end
}

function show(text: string, column: number): string {
  if (isPlain(text)) return text
  let shown = ''
  let width = column
  for (const character of text) {
    const next = showCharacter(character, width)
    shown += next
    width += widthOf(next)
  }
  return shown
}

const CUT = '…'

/** Cuts a line to a width around its token. Of the room beside it a third is for the text after it, if needed. */
function fitWidth(parts: Parts, width: number): Excerpt {
  const isLong = widthOf(parts.token) > width - 2
  const token = isLong ? keepStart(parts.token, width - 2) : parts.token
  const after = isLong ? '' : parts.after
  const cutEnd = isLong || parts.cutEnd
  const room = width - widthOf(token)
  const needed = widthOf(after) + (cutEnd ? 1 : 0)
  const left = cutLeft(parts.before, room - Math.min(needed, Math.max(1, Math.floor(room / 3))), parts.cutStart)
  const right = cutRight(after, room - widthOf(left), cutEnd)
  const mark = '^'.repeat(Math.max(1, widthOf(token)))
  return { line: (left + token + right).trimEnd(), mark: ' '.repeat(widthOf(left)) + mark }
}

function cutLeft(text: string, room: number, isCut: boolean): string {
  if (!isCut && widthOf(text) <= room) return text
  return room < 1 ? '' : CUT + keepEnd(text, room - 1)
}

function cutRight(text: string, room: number, isCut: boolean): string {
  if (!isCut && widthOf(text) <= room) return text
  return room < 1 ? '' : keepStart(text, room - 1) + CUT
}

function keepStart(text: string, width: number): string {
  if (text.length <= width && widthOf(text) <= width) return text
  let kept = ''
  let left = width
  for (const character of text) {
    left -= widthOf(character)
    if (left < 0) break
    kept += character
  }
  return kept
}

function keepEnd(text: string, width: number): string {
  const kept: string[] = []
  let left = width
  for (const character of [...text].reverse()) {
    left -= widthOf(character)
    if (left < 0) break
    kept.push(character)
  }
  return kept.reverse().join('')
}
