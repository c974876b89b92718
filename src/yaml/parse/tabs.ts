/** Tabs where kubectl allows only spaces. js-yaml accepts most of them. */
import type { ScalarEvent } from 'js-yaml'
import { lineEnd } from '../scan.ts'
import { type Builder, report } from './builder.ts'

/** Why a tab cannot precede what begins a line. */
export const TAB = ['tab', 'tab characters must not be used in indentation'] as const

/** Reports the tab at an offset of the file. */
const reportTab = (builder: Builder, at: number): void => report(builder, TAB, { start: at, end: at + 1 })

/** The column from which go-yaml allows tabs in a plain scalar: that after the innermost collection without brackets. */
const tabColumn = ({ columns }: Builder): number => (columns.at(-1) ?? -1) + 1

/** What the file has between two offsets of the source, where tabs within brackets may have been replaced. */
const writtenAt = ({ from, toFile }: Builder, start: number, end: number): string =>
  from.written.slice(toFile(start) - from.base, toFile(end) - from.base)

/** Reports a tab between the last token and the one that begins at an offset of the source. */
export function rejectTabs(builder: Builder, start: number): void {
  const { brackets, plainEnd, plainColumn } = builder
  const cursor = Math.max(builder.cursor, builder.blockEnd)
  if (start <= cursor) return
  const between = writtenAt(builder, cursor, start)
  if (!between.includes('\t')) return
  // go-yaml takes the space after a plain scalar for a part of it, up to the next token or comment.
  const blank = cursor === plainEnd ? (/^[ \t\n\r\u0085\u2028\u2029]*/.exec(between)?.[0] ?? '') : ''
  const below = tabBelow(blank, plainColumn)
  const tab = below === -1 && brackets === 0 ? firstTab(between, blank.length, cursor === 0) : below
  if (tab !== -1) reportTab(builder, builder.toFile(cursor) + tab)
}

/** Outside of brackets no line may begin with a tab, not even an empty one: its first such tab, from an offset on; or -1. */
function firstTab(between: string, from: number, isTextStart: boolean): number {
  const rest = between.slice(from)
  const found = (isTextStart && from === 0 && /^ *\t/.exec(rest)) || /[\n\r\u0085\u2028\u2029] *\t/.exec(rest)
  return found ? from + found.index + found[0].length - 1 : -1
}

/** The offset of the first tab that begins a line of a text in a column below this one; -1 where there is none. */
function tabBelow(text: string, column: number): number {
  for (const { index, 1: spaces = '' } of text.matchAll(/[\n\r\u0085\u2028\u2029]( *)\t/g))
    if (spaces.length < column) return index + 1 + spaces.length
  return -1
}

/** Reports a tab in the indentation of a plain scalar of several lines. Remembers where the scalar ends. */
export function rejectTabsInPlain(builder: Builder, start: number, end: number): void {
  builder.plainEnd = end
  builder.plainColumn = tabColumn(builder)
  const text = writtenAt(builder, start, end)
  const tab = text.includes('\t') ? tabBelow(text, builder.plainColumn) : -1
  if (tab !== -1) reportTab(builder, builder.toFile(start) + tab)
}

/**
 * Reports a tab in the indentation of a block scalar, and remembers where it ends with its empty lines. Its `|` or `>` is at an
 * offset of the source. Where the first line with content decides how much indentation it has, a tab may not follow the
 * spaces of that line or of those before it.
 */
export function rejectTabsInBlock(builder: Builder, event: ScalarEvent, header: number): void {
  const { source } = builder
  const { valueStart, indent } = event
  builder.blockEnd = event.valueEnd
  let column = /\d/.test(source.slice(header, header + 3)) ? indent : Number.POSITIVE_INFINITY
  for (let line = valueStart; line < source.length; line = lineEnd(source, line) + 1) {
    let at = line
    while (source[at] === ' ' && at - line < column) at++
    const isIndentation = at - line < column
    if (isIndentation && source[at] === '\t') reportTab(builder, builder.toFile(at))
    if (lineEnd(source, at) === at) continue
    column = Math.min(column, indent)
    if (indent < 0 || at - line < column) return
  }
}

/** Reports a tab between a dash, or the sign of an explicit key or value, and what it precedes. */
export function rejectTabAfterSign(builder: Builder, from: number): void {
  const tab = /^ *\t/.exec(builder.source.slice(from, lineEnd(builder.source, from)))
  if (tab) reportTab(builder, builder.toFile(from + tab[0].length - 1))
}
