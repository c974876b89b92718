/** Where things stand in a document that `plain.ts` has read: its lines alone tell, without parsing it again. */
import type { Span } from './node.ts'
import { escapeToken, parentPointer } from './pointer.ts'

/** Where a member or an item of a list stands. */
type Place = {
  /** The key; of an item its first key, its scalar or its dash. */
  key: Span
  /** The scalar behind the key or the dash. */
  value: Span | undefined
  /** True where a mapping or a list stands below. */
  isBlock: boolean
}

/** Finds a pointer; undefined for the value of a block, whose end is not kept. */
export type PlainPlaces = (pointer: string, at: 'value' | 'key') => Span | undefined

/** What is open at a line: members and items, the outer before the inner. */
type Open = {
  readonly column: number
  readonly pointer: string
  readonly list: string | undefined
  readonly index: number
}

type Walk = { readonly places: Map<string, Place>; readonly open: Open[] }

/** Reads the places of a document at [start, end) of a text that `plain.ts` has read. */
export function plainPlaces(text: string, start: number, end: number): PlainPlaces {
  const walk: Walk = { places: new Map(), open: [] }
  for (let from = start; from < end; ) {
    const feed = text.indexOf('\n', from)
    const to = feed === -1 || feed > end ? end : feed
    readLine(walk, text.slice(from, to), from)
    from = to + 1
  }
  return (pointer, at) => find(walk.places, pointer, at)
}

function find(places: Walk['places'], pointer: string, at: 'value' | 'key'): Span | undefined {
  const place = places.get(pointer)
  if (place) return at === 'key' ? place.key : place.isBlock ? undefined : (place.value ?? place.key)
  for (let parent = parentPointer(pointer); parent !== ''; parent = parentPointer(parent)) {
    const near = places.get(parent)
    if (near) return near.key
  }
  const [first] = places.values()
  return pointer === '' ? undefined : first?.key
}

const DASH = /-(?: +|$)/y
const KEY = /([A-Za-z_][\w./-]*):(?: +|$)/y

/** Follows one line: dashes open items, a key opens a member, what is left is a scalar. */
function readLine(walk: Walk, line: string, from: number): void {
  let at = line.search(/[^ ]/)
  if (at === -1 || line[at] === '#' || line.startsWith('---')) return
  let place: Place | undefined
  for (let end = matchEnd(DASH, line, at); end !== undefined; end = matchEnd(DASH, line, at)) {
    place = openItem(walk, at, from)
    at = end
  }
  const keyEnd = matchEnd(KEY, line, at)
  if (keyEnd !== undefined) {
    place = openMember(walk, line.slice(at, line.indexOf(':', at)), { column: at, from })
    at = keyEnd
  }
  const value = scalarAt(line, at, from)
  if (!place || !value) return
  place.value = value
  // The first token of an empty list or mapping is its bracket.
  const isBracket = '[{'.includes(line[at] ?? '')
  if (keyEnd === undefined) place.key = isBracket ? { start: value.start, end: value.start + 1 } : value
}

function matchEnd(pattern: RegExp, line: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(line) ? pattern.lastIndex : undefined
}

function openItem({ places, open }: Walk, column: number, from: number): Place {
  while ((open.at(-1)?.column ?? -1) > column) open.pop()
  const last = open.at(-1)
  const isNext = last?.list !== undefined && last.column === column
  if (isNext) open.pop()
  const list = isNext ? (last.list ?? '') : (last?.pointer ?? '')
  const index = isNext ? last.index + 1 : 0
  const dash = { start: from + column, end: from + column + 1 }
  return enter({ places, open }, { column, pointer: `${list}/${index}`, list, index }, dash)
}

function openMember({ places, open }: Walk, key: string, { column, from }: { column: number; from: number }): Place {
  while ((open.at(-1)?.column ?? -1) >= column) open.pop()
  const range = { start: from + column, end: from + column + key.length }
  const pointer = `${open.at(-1)?.pointer ?? ''}/${escapeToken(key)}`
  return enter({ places, open }, { column, pointer, list: undefined, index: 0 }, range)
}

function enter({ places, open }: Walk, opened: Open, key: Span): Place {
  const parent = places.get(parentPointer(opened.pointer))
  const isItem = open.at(-1)?.list !== undefined
  if (parent && isItem && !parent.isBlock) parent.key = key
  if (parent) parent.isBlock = true
  const place: Place = { key, value: undefined, isBlock: false }
  places.set(opened.pointer, place)
  open.push(opened)
  return place
}

/** The scalar at a column of a line, without the comment behind it; undefined where none stands. */
function scalarAt(line: string, at: number, from: number): Span | undefined {
  const first = line[at]
  if (first === undefined || first === '#') return undefined
  if (first === '"' || first === "'") return { start: from + at, end: from + line.indexOf(first, at + 1) + 1 }
  const comment = line.indexOf(' #', at)
  const length = line.slice(at, comment === -1 ? undefined : comment).trimEnd().length
  return { start: from + at, end: from + at + length }
}
