/** Adds and removes items of a list in a text. */

import type { SequenceNode } from '../parse/node.ts'
import { addEntry, emptyEntry, removeEntry } from './edit-entries.ts'
import type { EditPlan, Site } from './edit-site.ts'
import { breakOf, endsLine, indentAt, lineEnd, lineStart } from './layout.ts'
import { quoteOf, writeToken } from './write-token.ts'

/** An item to add in front of the one that has its index now. */
export type ItemAddition = { readonly index: number; readonly value: unknown }

/** Plans a new item of a list. */
export function addItem(site: Site, sequence: SequenceNode, { index, value }: ItemAddition): EditPlan | undefined {
  const { text, format } = site
  const { items } = sequence
  const beside = items[index - 1] ?? items[0]
  const entry = writeToken(value, { format, quote: beside ? quoteOf(text, beside.start) : '' })
  if (index > items.length) return undefined
  if (!beside) return [emptyEntry(site, sequence, entry)]
  if (sequence.isFlow)
    return addEntry(site, { entries: items, entry, index: Math.max(index - 1, 0), isBefore: index === 0 })
  const { start } = sequence
  if (index === 0) return [{ start, end: start, text: `- ${entry}${breakOf(text, start)}${indentAt(text, start)}` }]
  const { end } = beside
  if (!endsLine(text, end)) return undefined
  const close = lineEnd(text, end)
  return [{ start: close, end: close, text: `${breakOf(text, end)}${indentAt(text, start)}- ${entry}` }]
}

/** Plans that an item goes; in a list with dashes only one that has its line to itself. */
export function removeItem(site: Site, sequence: SequenceNode, index: number): EditPlan | undefined {
  const { text } = site
  const item = sequence.items[index]
  if (!item) return undefined
  if (sequence.isFlow) return removeEntry(site, sequence.items, index)
  const close = lineEnd(text, item.end)
  const from = lineStart(text, item.start)
  const line = text.slice(from, close)
  const isAlone = /^[ \t]*-(?:[ \t][^#]*)?$/.test(line) && lineStart(text, item.end) === from
  const end = close === text.length ? close : close + breakOf(text, item.end).length
  return isAlone ? [{ start: from, end, text: '' }] : undefined
}
