/** Adds and removes what stands between commas: members in braces, items in brackets, of YAML and of JSON. */

import type { Span } from '../parse/node.ts'
import type { TextEdit } from './edit.ts'
import type { EditPlan, Site } from './edit-site.ts'
import { breakOf, indentAt, lineEnd, lineStart, skipBlanks } from './layout.ts'

/** A place among entries. */
export type EntryPlace = {
  readonly entries: readonly Span[]
  /** The entry beside which the new one goes. */
  readonly index: number
  readonly isBefore: boolean
  readonly entry: string
}

/** Puts an entry between brackets that hold nothing. */
export function emptyEntry({ text, format }: Site, { start, end }: Span, entry: string): TextEdit {
  const pad = format === 'yaml' && end - start === 2 && text[start] === '{' ? ' ' : ''
  return { start: start + 1, end: start + 1, text: `${pad}${entry}${pad}` }
}

/** Puts an entry beside another one: on a line of its own where that one has one. */
export function addEntry(site: Site, { entries, index, isBefore, entry }: EntryPlace): EditPlan | undefined {
  const { text } = site
  const beside = entries[index]
  if (!beside) return undefined
  const hasLine = /^[ \t]*$/.test(text.slice(lineStart(text, beside.start), beside.start))
  const gap = hasLine ? breakOf(text, beside.start) + indentAt(text, beside.start) : blankOf(site, entries)
  if (isBefore) return insertion(beside.start, `${entry},${gap}`)
  const next = entries[index + 1]
  if (next) return insertion(next.start, `${entry},${followsBreak(text, next.start) ? gap : blankOf(site, entries)}`)
  return addLast(text, beside, { entry, gap, hasLine })
}

const insertion = (offset: number, text: string): EditPlan => [{ start: offset, end: offset, text }]

const followsBreak = (text: string, offset: number): boolean =>
  /^[ \t]*$/.test(text.slice(lineStart(text, offset), offset))

type Last = { readonly entry: string; readonly gap: string; readonly hasLine: boolean }

/** Behind the last entry, whose comment stays on its line. */
function addLast(text: string, { end }: Span, { entry, gap, hasLine }: Last): EditPlan {
  const comma = text[skipBlanks(text, end)] === ',' ? skipBlanks(text, end) + 1 : undefined
  const from = comma ?? end
  const hasComment = hasLine && /^[ \t]+#/.test(text.slice(from, lineEnd(text, from)))
  const at = hasComment ? lineEnd(text, from) : from
  if (comma !== undefined) return insertion(at, `${gap}${entry},`)
  return hasComment ? [...insertion(end, ','), ...insertion(at, gap + entry)] : insertion(end, `,${gap}${entry}`)
}

/** What stands behind commas: as between the first two entries, else a space, which minified JSON has not got. */
function blankOf({ text, format }: Site, [first, second]: readonly Span[]): string {
  const between = first && second && /^[ \t]*,([ \t]*)$/.exec(text.slice(first.end, second.start))?.[1]
  if (between !== undefined) return between
  const isTight = format === 'json' && first !== undefined && !/[ \n]/.test(text.slice(first.start, first.end))
  return isTight ? '' : ' '
}

/** Takes an entry away, with the comma behind it or else before it, unless a comment stands between. */
export function removeEntry({ text, format }: Site, entries: readonly Span[], index: number): EditPlan | undefined {
  const [before, entry, next] = [entries[index - 1], entries[index], entries[index + 1]]
  if (!entry) return undefined
  const [start, end] = next ? [entry.start, next.start] : [before?.end ?? entry.start, entry.end]
  const mayComment = format === 'yaml' && text.slice(start, end).includes('#')
  return mayComment ? undefined : [{ start, end, text: '' }]
}
