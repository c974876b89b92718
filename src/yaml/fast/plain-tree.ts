/** The tree of a document that `plain.ts` has read. Its lines are enough: the parser is not needed. */
import type { MappingNode, MemberNode, ScalarNode, SequenceNode, TextNode } from '../parse/node.ts'
import { memberName, resolvePlain } from '../parse/scalar.ts'

type Reader = {
  readonly text: string
  readonly end: number
  /** The beginning of the line. */
  line: number
  /** Where the content of the line begins, after its spaces and the dashes already read. */
  at: number
  /** The column of `at`; -1 after the last line. */
  column: number
}

/** Makes the tree of the plain document at [start, end) of a text: the same as the parser's. */
export function plainTree(text: string, start: number, end: number): TextNode {
  const reader: Reader = { text, end, line: start, at: start, column: 0 }
  seekLine(reader, text.startsWith('---', start) ? lineEnd(reader, start) + 1 : start)
  return readMapping(reader)
}

const LINE_FEED = 10
const SPACE = 32
const HASH = 35
const DASH = 45

/** Goes to the content of the first line from here on that has any. */
function seekLine(reader: Reader, from: number): void {
  const { text, end } = reader
  for (let line = from; line < end; line = lineEnd(reader, line) + 1) {
    const at = skipSpaces(text, line)
    const char = text.charCodeAt(at)
    if (at >= end || char === LINE_FEED || char === HASH) continue
    reader.line = line
    reader.at = at
    reader.column = at - line
    return
  }
  reader.column = -1
}

function lineEnd({ text, end }: Reader, from: number): number {
  const feed = text.indexOf('\n', from)
  return feed === -1 || feed > end ? end : feed
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === SPACE) at++
  return at
}

/** Whether the line has nothing but a comment from here on. */
function isLineEnd({ text, end }: Reader, at: number): boolean {
  const char = text.charCodeAt(at)
  return at >= end || char === LINE_FEED || char === HASH
}

const isWordEnd = ({ text, end }: Reader, at: number): boolean =>
  at >= end || text.charCodeAt(at) === SPACE || text.charCodeAt(at) === LINE_FEED

const isDash = (reader: Reader): boolean =>
  reader.column !== -1 && reader.text.charCodeAt(reader.at) === DASH && isWordEnd(reader, reader.at + 1)

const readBlock = (reader: Reader): TextNode => (isDash(reader) ? readSequence(reader) : readMapping(reader))

function readMapping(reader: Reader): MappingNode {
  const { column, at: start } = reader
  const members: MemberNode[] = []
  let end = start
  while (reader.column === column) {
    const key = scalarNode(reader.text, reader.at, reader.text.indexOf(':', reader.at))
    const value = readAfter(reader, key.end + 1, column - 1)
    members.push({ key, value, merges: false })
    end = value.end
  }
  return { kind: 'mapping', start, end, isFlow: false, members }
}

function readSequence(reader: Reader): SequenceNode {
  const { column, at: start } = reader
  const items: TextNode[] = []
  let end = start
  while (reader.column === column && isDash(reader)) {
    const item = readAfter(reader, reader.at + 1, column)
    items.push(item)
    end = item.end
  }
  return { kind: 'sequence', start, end, isFlow: false, items }
}

/**
 * Reads the value after a colon or a dash: on its line, or below it. A list below begins in a column greater than
 * `outer`, anything else in one greater than the key's or the dash's.
 */
function readAfter(reader: Reader, from: number, outer: number): TextNode {
  const { text, column } = reader
  const at = skipSpaces(text, from)
  if (isLineEnd(reader, at)) {
    seekLine(reader, lineEnd(reader, at) + 1)
    const isBelow = reader.column > column || (reader.column > outer && isDash(reader))
    return isBelow ? readBlock(reader) : { kind: 'scalar', start: from, end: from, value: null, name: undefined }
  }
  reader.at = at
  reader.column = at - reader.line
  const isItem = text.charCodeAt(from - 1) === DASH
  if (isItem && (isDash(reader) || isKey(reader))) return readBlock(reader)
  return readScalar(reader)
}

const KEY = /[A-Za-z_][\w./-]*:/y

function isKey(reader: Reader): boolean {
  KEY.lastIndex = reader.at
  return KEY.test(reader.text) && isWordEnd(reader, KEY.lastIndex)
}

/** Reads the scalar, `{}` or `[]` on the rest of the line. */
function readScalar(reader: Reader): TextNode {
  const { text, at } = reader
  const close = lineEnd(reader, at)
  const first = text.charAt(at)
  seekLine(reader, close + 1)
  if (first === '{') return { kind: 'mapping', start: at, end: at + 2, isFlow: true, members: [] }
  if (first === '[') return { kind: 'sequence', start: at, end: at + 2, isFlow: true, items: [] }
  if (first === '"' || first === "'") {
    const end = text.indexOf(first, at + 1) + 1
    const value = text.slice(at + 1, end - 1)
    return { kind: 'scalar', start: at, end, value, name: value }
  }
  const comment = text.slice(at, close).indexOf(' #')
  return scalarNode(text, at, comment === -1 ? close : at + comment)
}

/** A scalar without quotes that ends before an offset and the spaces there. */
function scalarNode(text: string, start: number, before: number): ScalarNode {
  let end = before
  while (text.charCodeAt(end - 1) === SPACE) end--
  const written = text.slice(start, end)
  const value = resolvePlain(written)
  return { kind: 'scalar', start, end, value, name: memberName(value, written) }
}
