/**
 * A fast reader for the plain subset of YAML that nearly all manifests use: block mappings and lists, scalars of one
 * line, comments. Any other text is left to the parser. Without it a lint of thousands of policies takes 1.6 times as
 * long, and misses its bar beside kubeconform (docs/benchmarks.md, lint).
 */
import { resolvePlain } from '../parse/scalar.ts'

type Reader = {
  readonly text: string
  readonly end: number
  /** Where the content of the line begins, after its spaces and the dashes already read. */
  at: number
  /** The column of `at`; -1 after the last line. */
  indent: number
}

/** The object of the document at [start, end) of a text; undefined where any of it is not plain. */
export function readPlain(text: string, start: number, end: number): object | undefined {
  const reader: Reader = { text, end, at: start, indent: 0 }
  const isFound = text.startsWith('---', start) ? leaveLine(reader, start + 3) : seekLine(reader, start)
  // At the end of the text the column is less than that of any mapping.
  return isFound && reader.indent === 0 ? readMapping(reader, 0, readKey(reader)) : undefined
}

const LINE_FEED = 10
const SPACE = 32
const QUOTE = 34
const HASH = 35
const APOSTROPHE = 39
const DASH = 45
const COLON = 58
const BACKSLASH = 92
const LAST_ASCII = 126

/** Nearly every level takes a column. Documents deeper than this are left to the parser, which reports them. */
const DEEPEST_COLUMN = 90

export const KEY_START = 1
const KEY_REST = 2
/** The characters of plain keys. */
export const KEY = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_') KEY[char.charCodeAt(0)] = KEY_START
for (const char of '0123456789-./') KEY[char.charCodeAt(0)] = KEY_REST

/** The characters that may begin anything other than a plain scalar. */
export const INDICATOR = new Uint8Array(128)
for (const char of '&*!|>%@`[]{},?:"\'#') INDICATOR[char.charCodeAt(0)] = 1

/** Control characters, line breaks other than `\n`, halves of surrogate pairs. */
const isUnusual = (char: number): boolean =>
  char < SPACE ||
  (char > LAST_ASCII &&
    (char < 0xa0 || char === 0x2028 || char === 0x2029 || (char >= 0xd800 && char < 0xe000) || char >= 0xfeff))

/** Reads the members of a mapping whose first key has been read. Undefined, here and below: not plain. */
function readMapping(reader: Reader, indent: number, firstKey: string | undefined): object | undefined {
  if (indent > DEEPEST_COLUMN) return undefined
  const object: Record<string, unknown> = {}
  let key = firstKey
  for (;;) {
    // Duplicate keys, and names that every object has, are left to the parser.
    if (key === undefined || object[key] !== undefined) return undefined
    const value = readMember(reader, indent)
    if (value === undefined) return undefined
    object[key] = value
    if (reader.indent !== indent) return reader.indent < indent ? object : undefined
    key = readKey(reader)
  }
}

/** Reads a key and its colon; undefined where there is none, or one that may not be a string. */
function readKey(reader: Reader): string | undefined {
  const { text, at: start } = reader
  if (KEY[text.charCodeAt(start)] !== KEY_START) return undefined
  let at = start + 1
  while (KEY[text.charCodeAt(at)]) at++
  if (text.charCodeAt(at) !== COLON) return undefined
  const next = text.charCodeAt(at + 1)
  if (next !== SPACE && next !== LINE_FEED && at + 1 < reader.end) return undefined
  const key = text.slice(start, at)
  if (resolvePlain(key) !== key) return undefined
  reader.at = at + 1
  return key
}

/** Reads the value of a key: on its line, or indented below it. A list below needs no indentation. */
function readMember(reader: Reader, indent: number): unknown {
  const at = skipSpaces(reader)
  if (!isLineEnd(reader, at)) return readScalar(reader, at)
  if (!leaveLine(reader, reader.at)) return undefined
  if (reader.indent === indent && isDash(reader)) return readList(reader, indent)
  return reader.indent > indent ? readBlock(reader) : null
}

function readBlock(reader: Reader): unknown {
  return isDash(reader) ? readList(reader, reader.indent) : readMapping(reader, reader.indent, readKey(reader))
}

function readList(reader: Reader, indent: number): unknown[] | undefined {
  if (indent > DEEPEST_COLUMN) return undefined
  const items: unknown[] = []
  do {
    const item = readItem(reader, indent)
    if (item === undefined) return undefined
    items.push(item)
  } while (reader.indent === indent && isDash(reader))
  return reader.indent <= indent ? items : undefined
}

/** Reads the item after a dash, or indented below it. */
function readItem(reader: Reader, indent: number): unknown {
  const dash = reader.at++
  const at = skipSpaces(reader)
  if (isLineEnd(reader, at)) {
    if (!leaveLine(reader, dash + 1)) return undefined
    return reader.indent > indent ? readBlock(reader) : null
  }
  reader.indent += at - dash
  reader.at = at
  if (isDash(reader)) return readBlock(reader)
  const column = reader.indent
  const key = readKey(reader)
  return key === undefined ? readScalar(reader, at) : readMapping(reader, column, key)
}

function readScalar(reader: Reader, start: number): unknown {
  const { text } = reader
  const first = text.charCodeAt(start)
  if (INDICATOR[first] === 1) return readQuoted(reader, start, first)
  if (first === DASH && isBreakOrSpace(reader, start + 1)) return undefined
  const end = plainEnd(reader, start)
  if (end === -1) return undefined
  const value = resolvePlain(text.slice(start, end))
  const isJson = typeof value !== 'number' || Number.isFinite(value)
  return isJson && leaveLine(reader, end) ? value : undefined
}

/** Where a plain scalar ends on its line; -1 where it is not plain. */
function plainEnd(reader: Reader, start: number): number {
  const { text, end } = reader
  let last = start
  for (let at = start; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === LINE_FEED || (char === HASH && last < at - 1)) break
    if (char === SPACE) continue
    if (isUnusual(char) || (char === COLON && isBreakOrSpace(reader, at + 1))) return -1
    last = at
  }
  return last + 1
}

/** Reads a quoted scalar without escapes, `{}` or `[]`. */
function readQuoted(reader: Reader, start: number, quote: number): unknown {
  const { text, end } = reader
  if (quote !== QUOTE && quote !== APOSTROPHE) return readEmpty(reader, start)
  let at = start + 1
  for (; at < end && text.charCodeAt(at) !== quote; at++) {
    const char = text.charCodeAt(at)
    if (char === BACKSLASH || isUnusual(char)) return undefined
  }
  return at < end && leaveLine(reader, at + 1) ? text.slice(start + 1, at) : undefined
}

function readEmpty(reader: Reader, start: number): unknown {
  const brackets = reader.text.slice(start, start + 2)
  if ((brackets !== '{}' && brackets !== '[]') || !leaveLine(reader, start + 2)) return undefined
  return brackets === '{}' ? {} : []
}

function skipSpaces({ text, at: start }: Reader): number {
  let at = start
  while (text.charCodeAt(at) === SPACE) at++
  return at
}

const isDash = (reader: Reader): boolean =>
  reader.text.charCodeAt(reader.at) === DASH && isBreakOrSpace(reader, reader.at + 1)

function isBreakOrSpace({ text, end }: Reader, at: number): boolean {
  const char = text.charCodeAt(at)
  return char === SPACE || char === LINE_FEED || at >= end
}

/** Whether the line has nothing but a comment from here on. */
function isLineEnd({ text, end }: Reader, at: number): boolean {
  const char = text.charCodeAt(at)
  return char === LINE_FEED || char === HASH || at >= end
}

/** Goes to the next line with content; false where this one goes on, or a comment is not plain. */
function leaveLine(reader: Reader, from: number): boolean {
  const { text, end } = reader
  let at = from
  while (text.charCodeAt(at) === SPACE) at++
  if (text.charCodeAt(at) === HASH && at > from) at = commentEnd(reader, at)
  return at >= end || text.charCodeAt(at) === LINE_FEED ? seekLine(reader, at + 1) : false
}

/** Goes to the content of the first line from here on that has any; false where a comment before it is not plain. */
function seekLine(reader: Reader, from: number): boolean {
  const { text, end } = reader
  let line = from
  while (line < end) {
    let at = line
    while (text.charCodeAt(at) === SPACE) at++
    if (text.charCodeAt(at) === HASH) at = commentEnd(reader, at)
    else if (at < end && text.charCodeAt(at) !== LINE_FEED) {
      reader.at = at
      reader.indent = at - line
      return true
    }
    if (at < end && text.charCodeAt(at) !== LINE_FEED) return false
    line = at + 1
  }
  reader.indent = -1
  return true
}

/** The end of the line, or the first unusual character before it. */
function commentEnd({ text, end }: Reader, from: number): number {
  let at = from
  while (at < end && !isUnusual(text.charCodeAt(at))) at++
  return at
}
