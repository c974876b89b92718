/** The line of a finding with a mark under its token. */
import type { ReportedFinding } from '../../lint/report.ts'
import { isPlain, showCharacter, widthOf } from '../characters.ts'

/** A line and the mark that belongs under it. */
export type Excerpt = { readonly line: string; readonly mark: string }

export type Place = Pick<ReportedFinding, 'line' | 'column' | 'endLine' | 'endColumn'>

/** Cuts excerpts out of one text. Fast where places are asked in their order. */
export type Excerpter = (place: Place, width: number) => Excerpt

/** Characters on either side of a token that are looked at: lines may be as long as files. */
const REACH = 400

/** Prepares the excerpts of a text. */
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
    return keepInSight({ ...parts, token, after }, width)
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

/** Finds lines and columns (both from 1, columns in code points); goes on from where it stands where it can. */
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

/** The end of the line, or where `most` characters behind `from` end: each finding of a long line would walk all of it. */
function endOfLine(text: string, from: number, most: number): number {
  const next = text.slice(from, from + most + 1).indexOf('\n')
  const end = next === -1 ? Math.min(text.length, from + most) : from + next
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

/** Keeps the token in sight: of the room beside it, a third is for what follows, where that needs it. */
function keepInSight(parts: Parts, width: number): Excerpt {
  const isLong = widthOf(parts.token) > width - 2
  const token = isLong ? keepStart(parts.token, width - 2) : parts.token
  const after = isLong ? '' : parts.after
  const cutEnd = isLong || parts.cutEnd
  const room = width - widthOf(token)
  const wanted = widthOf(after) + (cutEnd ? 1 : 0)
  const left = cutLeft(parts.before, room - Math.min(wanted, Math.max(1, Math.floor(room / 3))), parts.cutStart)
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
