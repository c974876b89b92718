/** Adds and removes members of a mapping in a text. */

import { keyName, type MappingNode, type MemberNode } from '../parse/node.ts'
import type { TextEdit } from './edit.ts'
import { addEntry, emptyEntry, removeEntry } from './edit-entries.ts'
import type { EditPlan, Site } from './edit-site.ts'
import { beginsLine, breakOf, endsLine, indentAt, lineEnd, lineStart } from './layout.ts'
import { quoteOf, type TokenStyle, writeToken } from './write-token.ts'

/** A member to add, and the names beside which it would be looked for, in order. */
export type Addition = { readonly name: string; readonly value: unknown; readonly order: readonly string[] }

/** Plans a new member: behind those that people write before it, else in front of those they write behind it. */
export function addMember(site: Site, mapping: MappingNode, addition: Addition): EditPlan | undefined {
  const { members } = mapping
  const place = placeOf(members, addition)
  const sibling = place && members[place.index]
  if (!place || !sibling) return [emptyEntry(site, mapping, written(site, undefined, addition))]
  const entry = written(site, sibling, addition)
  if (mapping.isFlow) return addEntry(site, { entries: members.map(spanOfMember), entry, ...place })
  const isLed = place.isBefore && beginsLine(site.text, sibling.key.start)
  return isLed ? lineBefore(site.text, sibling, entry) : lineAfter(site.text, sibling, entry)
}

const spanOfMember = ({ key, value }: MemberNode) => ({ start: key.start, end: value.end })

type Place = { readonly index: number; readonly isBefore: boolean }

/** Beside which member a new one goes; undefined where there is none. */
function placeOf(members: readonly MemberNode[], { name, order }: Addition): Place | undefined {
  const rank = order.indexOf(name)
  const ranks = members.map(({ key, merges }) => (merges ? -1 : order.indexOf(keyName(key) ?? '')))
  const last = { index: members.length - 1, isBefore: false }
  if (members.length === 0) return undefined
  // A member of its own counts only behind what is merged.
  if (rank === -1 || members.some(({ merges }) => merges)) return last
  const before = ranks.findLastIndex((other) => other !== -1 && other < rank)
  if (before !== -1) return { index: before, isBefore: false }
  const after = ranks.findIndex((other) => other > rank)
  return after === -1 ? last : { index: after, isBefore: true }
}

/** Writes a member as its sibling is written. */
function written({ text, format }: Site, sibling: MemberNode | undefined, { name, value }: Addition): string {
  const style = (quote: TokenStyle['quote']): TokenStyle => ({ format, quote })
  const key = writeToken(name, style(sibling ? quoteOf(text, sibling.key.start) : ''))
  const token = writeToken(value, style(sibling ? quoteOf(text, sibling.value.start) : ''))
  const between = sibling && text.slice(sibling.key.end, sibling.value.start)
  return `${key}${between === ':' && format === 'json' ? ':' : ': '}${token}`
}

/** A new line in front of a member's first. */
const lineBefore = (text: string, { key: { start } }: MemberNode, entry: string): EditPlan => [
  { start, end: start, text: entry + breakOf(text, start) + indentAt(text, start) },
]

/** A new line behind a member's last. */
function lineAfter(text: string, { key, value }: MemberNode, entry: string): EditPlan | undefined {
  if (!endsLine(text, value.end)) return undefined
  const end = lineEnd(text, value.end)
  return [{ start: end, end, text: breakOf(text, value.end) + indentAt(text, key.start) + entry }]
}

/** Plans that a member goes. A comment behind it stays; where comments stand within it, it stays as well. */
export function removeMember(site: Site, mapping: MappingNode, member: MemberNode): EditPlan | undefined {
  const { text } = site
  const index = mapping.members.indexOf(member)
  if (mapping.isFlow) return removeEntry(site, mapping.members.map(spanOfMember), index)
  const { start, end } = spanOfMember(member)
  if (text.slice(start, end).includes('#') || !endsLine(text, end)) return undefined
  const next = mapping.members[index + 1]
  if (/\S/.test(text.slice(lineStart(text, start), start)))
    return next && !text.slice(end, next.key.start).includes('#')
      ? [{ start, end: next.key.start, text: '' }]
      : undefined
  return [withItsLine(text, { start, end })]
}

/** The lines of a member, or all but the comment behind it. */
function withItsLine(text: string, { start, end }: Pick<TextEdit, 'start' | 'end'>): TextEdit {
  const close = lineEnd(text, end)
  const comment = text.slice(end, close).search(/#/)
  if (comment !== -1) return { start, end: end + comment, text: '' }
  const isLast = close === text.length
  const from = lineStart(text, start)
  return isLast
    ? { start: from, end: close, text: '' }
    : { start: from, end: close + breakOf(text, end).length, text: '' }
}
