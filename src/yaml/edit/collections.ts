/** Adds and removes the members of mappings and the items of lists in a text, with and without brackets. */

import { keyName, type MappingNode, type MemberNode, type SequenceNode, type TextNode } from '../parse/node.ts'
import {
  indentation,
  isFirstOnLine,
  isLastOnLine,
  lineBreak,
  lineEnd,
  lineStart,
  type Span,
  skipSpace,
} from '../scan.ts'
import type { EditPlan, TextEdit } from './edit.ts'
import { blockLines, hasIndentedLists, hasLines, joinLines, jsonLines } from './write-lines.ts'
import { quoteAt, type TokenStyle, writeToken } from './write-token.ts'

/** A document to edit. */
export type EditedDocument = {
  /** The text of the whole file. */
  readonly text: string
  readonly format: 'yaml' | 'json'
  readonly root: TextNode
  /** The usual order of the members of the object at a pointer of the document; empty where unknown. */
  orderOf(pointer: string): readonly string[]
  /** True to write what is added over several lines where its neighbours are on lines of their own. Default: on one line. */
  readonly isSpread?: boolean
}

/** A member to add, and the usual order of its mapping's members. */
type MemberAddition = { readonly name: string; readonly value: unknown; readonly order: readonly string[] }

/** Adds a member: after those that usually precede it, else before those that usually follow it. */
export function addMember(
  document: EditedDocument,
  mapping: MappingNode,
  addition: MemberAddition,
): EditPlan | undefined {
  const { text } = document
  const { members } = mapping
  const position = positionOf(members, addition)
  const sibling = position && members[position.index]
  if (!position || !sibling)
    return [fillBrackets(document, mapping, writeMember(document, { mapping, sibling: undefined }, addition))]
  const entry = writeMember(document, { mapping, sibling }, addition)
  if (mapping.isFlow) return addEntry(document, { entries: members.map(spanOfMember), entry, ...position })
  const { key, value } = sibling
  if (position.isBefore && isFirstOnLine(text, key.start))
    return insertion(key.start, entry + lineBreak(text, key.start) + indentation(text, key.start))
  if (!isLastOnLine(text, value.end)) return undefined
  return insertion(lineEnd(text, value.end), lineBreak(text, value.end) + indentation(text, key.start) + entry)
}

const insertion = (offset: number, text: string): EditPlan => [{ start: offset, end: offset, text }]

const spanOfMember = ({ key, value }: MemberNode): Span => ({ start: key.start, end: value.end })

/** Beside which entry a new one goes, and on which side. */
type EntryPosition = { readonly index: number; readonly isBefore: boolean }

/** The position of a new member; undefined in an empty mapping. */
function positionOf(members: readonly MemberNode[], { name, order }: MemberAddition): EntryPosition | undefined {
  const rank = order.indexOf(name)
  const ranks = members.map(({ key, merges }) => (merges ? -1 : order.indexOf(keyName(key) ?? '')))
  const last = { index: members.length - 1, isBefore: false }
  if (members.length === 0) return undefined
  // A member overrides merged ones only after the merge.
  if (rank === -1 || members.some(({ merges }) => merges)) return last
  const before = ranks.findLastIndex((other) => other !== -1 && other < rank)
  if (before !== -1) return { index: before, isBefore: false }
  const after = ranks.findIndex((other) => other > rank)
  return after === -1 ? last : { index: after, isBefore: true }
}

/** Writes a member in the style of its sibling. */
function writeMember(
  document: EditedDocument,
  { mapping, sibling }: { mapping: MappingNode; sibling: MemberNode | undefined },
  { name, value }: MemberAddition,
): string {
  const { text, format } = document
  const style = (quote: TokenStyle['quote']): TokenStyle => ({ format, quote })
  const key = writeToken(name, style(sibling ? quoteAt(text, sibling.key.start) : ''))
  const spread = sibling && spreadMember(document, mapping, sibling, value)
  if (spread !== undefined) return `${key}:${spread}`
  const token = writeToken(value, style(sibling ? quoteAt(text, sibling.value.start) : ''))
  const between = sibling && text.slice(sibling.key.end, sibling.value.start)
  return `${key}${between === ':' && format === 'json' ? ':' : ': '}${token}`
}

/** What follows the colon of a member whose value is written over several lines; undefined where it goes on one. */
function spreadMember(
  { text, format, isSpread }: EditedDocument,
  mapping: MappingNode,
  { key }: MemberNode,
  value: unknown,
): string | undefined {
  if (!isSpread || !hasLines(value)) return undefined
  const gap = indentation(text, key.start)
  const lines = { gap, lineBreak: lineBreak(text, key.start) }
  if (format === 'json')
    return isAfterBreak(text, key.start) ? ` ${joinLines(jsonLines(value, text), lines)}` : undefined
  if (mapping.isFlow) return undefined
  const indentsLists = hasIndentedLists(text, mapping)
  const own = blockLines(value, indentsLists).map((line) =>
    Array.isArray(value) && !indentsLists ? line : `  ${line}`,
  )
  return joinLines(['', ...own], lines)
}

/** Removes a member; the comment after it stays. Undefined where comments within it would be lost. */
export function removeMember(document: EditedDocument, mapping: MappingNode, member: MemberNode): EditPlan | undefined {
  const { text } = document
  const index = mapping.members.indexOf(member)
  if (mapping.isFlow) return removeEntry(document, mapping.members.map(spanOfMember), index)
  const { start, end } = spanOfMember(member)
  if (text.slice(start, end).includes('#') || !isLastOnLine(text, end)) return undefined
  const next = mapping.members[index + 1]
  if (/\S/.test(text.slice(lineStart(text, start), start)))
    return next && !text.slice(end, next.key.start).includes('#')
      ? [{ start, end: next.key.start, text: '' }]
      : undefined
  const close = lineEnd(text, end)
  const comment = text.slice(end, close).search(/#/)
  return comment === -1 ? [removeLines(text, start, end)] : [{ start, end: end + comment, text: '' }]
}

/** Removes the lines of a span with their last line break. */
function removeLines(text: string, start: number, end: number): TextEdit {
  const close = lineEnd(text, end)
  const isLast = close === text.length
  return { start: lineStart(text, start), end: isLast ? close : close + lineBreak(text, end).length, text: '' }
}

/** An item to add before the one that now has its index. */
type ItemAddition = { readonly index: number; readonly value: unknown }

/** Adds an item to a list. */
export function addItem(
  document: EditedDocument,
  sequence: SequenceNode,
  { index, value }: ItemAddition,
): EditPlan | undefined {
  const { text } = document
  const { items, start } = sequence
  const sibling = items[index - 1] ?? items[0]
  const entry = writeItem(document, sequence, { sibling, value })
  if (index > items.length) return undefined
  if (!sibling) return [fillBrackets(document, sequence, entry)]
  if (sequence.isFlow)
    return addEntry(document, { entries: items, entry, index: Math.max(index - 1, 0), isBefore: index === 0 })
  if (index === 0) return insertion(start, `- ${entry}${lineBreak(text, start)}${indentation(text, start)}`)
  const { end } = sibling
  if (!isLastOnLine(text, end)) return undefined
  return insertion(lineEnd(text, end), `${lineBreak(text, end)}${indentation(text, start)}- ${entry}`)
}

/** Writes an item in the style of its sibling. */
function writeItem(
  { text, format, isSpread }: EditedDocument,
  { isFlow, start }: SequenceNode,
  { sibling, value }: { sibling: TextNode | undefined; value: unknown },
): string {
  const hasOwnLine = sibling !== undefined && (format === 'json' ? isAfterBreak(text, sibling.start) : !isFlow)
  if (!isSpread || !hasOwnLine || !hasLines(value))
    return writeToken(value, { format, quote: sibling ? quoteAt(text, sibling.start) : '' })
  const gap = indentation(text, format === 'json' ? sibling.start : start) + (format === 'json' ? '' : '  ')
  const lines = format === 'json' ? jsonLines(value, text) : blockLines(value, false)
  return joinLines(lines, { gap, lineBreak: lineBreak(text, sibling.start) })
}

/** Removes an item; from a list with dashes only one on a line of its own. */
export function removeItem(document: EditedDocument, sequence: SequenceNode, index: number): EditPlan | undefined {
  const { text } = document
  const item = sequence.items[index]
  if (!item) return undefined
  if (sequence.isFlow) return removeEntry(document, sequence.items, index)
  const from = lineStart(text, item.start)
  const line = text.slice(from, lineEnd(text, item.end))
  const isAlone = /^[ \t]*-(?:[ \t][^#]*)?$/.test(line) && lineStart(text, item.end) === from
  return isAlone ? [removeLines(text, item.start, item.end)] : undefined
}

/** The text of a new entry between brackets, and its position. */
type NewEntry = EntryPosition & { readonly entries: readonly Span[]; readonly entry: string }

/** Writes an entry between empty brackets. */
function fillBrackets({ text, format }: EditedDocument, { start, end }: Span, entry: string): TextEdit {
  const pad = format === 'yaml' && end - start === 2 && text[start] === '{' ? ' ' : ''
  return { start: start + 1, end: start + 1, text: `${pad}${entry}${pad}` }
}

/** Adds an entry beside another one, on a line of its own where that one has one. */
function addEntry(document: EditedDocument, { entries, index, isBefore, entry }: NewEntry): EditPlan | undefined {
  const { text } = document
  const sibling = entries[index]
  if (!sibling) return undefined
  const hasLine = isAfterBreak(text, sibling.start)
  const gap = hasLine
    ? lineBreak(text, sibling.start) + indentation(text, sibling.start)
    : spaceAfterComma(document, entries)
  if (isBefore) return insertion(sibling.start, `${entry},${gap}`)
  const next = entries[index + 1]
  if (!next) return addLast(text, sibling, { entry, gap, hasLine })
  return insertion(next.start, `${entry},${isAfterBreak(text, next.start) ? gap : spaceAfterComma(document, entries)}`)
}

/** Whether only spaces and tabs precede an offset on its line, which may be as long as the text. */
function isAfterBreak(text: string, offset: number): boolean {
  let at = offset
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at--
  return at === 0 || /[\n\r\ufeff]/.test(text.charAt(at - 1))
}

type LastEntry = { readonly entry: string; readonly gap: string; readonly hasLine: boolean }

/** Adds an entry after the last one, whose comment stays on its line. */
function addLast(text: string, { end }: Span, { entry, gap, hasLine }: LastEntry): EditPlan {
  const comma = text[skipSpace(text, end)] === ',' ? skipSpace(text, end) + 1 : undefined
  const from = comma ?? end
  const hasComment = hasLine && /^[ \t]+#/.test(text.slice(from, lineEnd(text, from)))
  const at = hasComment ? lineEnd(text, from) : from
  if (comma !== undefined) return insertion(at, `${gap}${entry},`)
  return hasComment ? [...insertion(end, ','), ...insertion(at, gap + entry)] : insertion(end, `,${gap}${entry}`)
}

/** The space after commas: as between the first two entries, else one space; none in minified JSON. */
function spaceAfterComma({ text, format }: EditedDocument, [first, second]: readonly Span[]): string {
  const between = first && second && /^[ \t]*,([ \t]*)$/.exec(text.slice(first.end, second.start))?.[1]
  if (between !== undefined) return between
  const isMinified = format === 'json' && first !== undefined && !/[ \n]/.test(text.slice(first.start, first.end))
  return isMinified ? '' : ' '
}

/** Removes an entry with the comma after it, or else the one before it. Undefined where a comment would be lost. */
function removeEntry({ text, format }: EditedDocument, entries: readonly Span[], index: number): EditPlan | undefined {
  const [before, entry, next] = [entries[index - 1], entries[index], entries[index + 1]]
  if (!entry) return undefined
  const [start, end] = next ? [entry.start, next.start] : [before?.end ?? entry.start, entry.end]
  const mayHaveComment = format === 'yaml' && text.slice(start, end).includes('#')
  return mayHaveComment ? undefined : [{ start, end, text: '' }]
}
