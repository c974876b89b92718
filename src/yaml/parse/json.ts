/** Reads JSON text into a tree, as kubectl reads a file that begins with `{`. */

import { isBreak, isSpace } from '../scan.ts'
import type { MappingNode, MemberNode, ParsedText, ScalarNode, SequenceNode, TextNode } from './node.ts'
import { MAX_DEPTH, problemAt, type TextProblemCode, TOO_DEEP } from './problem.ts'

type Reader = { readonly text: string; readonly end: number; at: number }

/** Ends the reading; caught in {@link parseJsonText}. */
class Stop extends Error {
  readonly code: TextProblemCode
  readonly offset: number

  constructor(reason: string, offset: number, code: TextProblemCode = 'syntax') {
    super(reason)
    this.code = code
    this.offset = offset
  }
}

/** Reads the JSON value at [start, end) of a text, which may contain nothing else. Never throws on what it contains. */
export function parseJsonText(text: string, start: number, end: number): ParsedText {
  const reader: Reader = { text, end, at: start }
  const problem = ({ message, offset, code }: Stop) =>
    problemAt(code, message, { text, start, end: Math.min(tokenEnd(text, offset), end), offset })
  try {
    const root = readValue(reader, 1)
    const rest = skipSpace(reader)
    const problems = rest === end ? [] : [problem(new Stop('only JSON objects may follow a JSON object', rest))]
    return { root, problems }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { root: undefined, problems: [problem(error)] }
  }
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[\w.+-]+|./y

function tokenEnd(text: string, offset: number): number {
  TOKEN.lastIndex = offset
  return offset + (TOKEN.exec(text)?.[0].length ?? 0)
}

/** The end of the JSON value that begins with a bracket at an offset, judged by brackets alone; `end` if it is open. */
export function jsonEnd(text: string, start: number, end: number): number {
  let depth = 0
  for (let at = start; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = Math.max(closingQuote(text, at, end), at)
    else if (char === OPENING_BRACE || char === OPENING_BRACKET) depth++
    else if ((char === CLOSING_BRACE || char === CLOSING_BRACKET) && --depth <= 0) return at + 1
  }
  return end
}

const QUOTE = 34
const BACKSLASH = 92
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125

/** The closing quote of the string that opens at an offset; -1 where its line has none. */
function closingQuote(text: string, from: number, end: number): number {
  for (let at = from + 1; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at
    if (char === BACKSLASH) at++
    else if (isBreak(char)) break
  }
  return -1
}

function skipSpace(reader: Reader): number {
  while (reader.at < reader.end && isSpace(reader.text.charCodeAt(reader.at))) reader.at++
  return reader.at
}

/** The next character that is not space; empty at the end. */
const peek = (reader: Reader): string => {
  const at = skipSpace(reader)
  return at < reader.end ? reader.text.charAt(at) : ''
}

function readValue(reader: Reader, depth: number): TextNode {
  const char = peek(reader)
  if (depth > MAX_DEPTH) throw new Stop(TOO_DEEP, reader.at, 'unreadable')
  if (char === '{') return readObject(reader, depth)
  if (char === '[') return readArray(reader, depth)
  return char === '"' ? readString(reader) : readLiteral(reader)
}

function readObject(reader: Reader, depth: number): MappingNode {
  const start = reader.at++
  const members: MemberNode[] = []
  while (!closes(reader, '}', members.length)) {
    if (peek(reader) !== '"') throw unexpected(reader, 'a key in quotes')
    const key = readString(reader)
    if (peek(reader) !== ':') throw unexpected(reader, '":"')
    reader.at++
    members.push({ key, value: readValue(reader, depth + 1), merges: false })
  }
  return { kind: 'mapping', start, end: reader.at, isFlow: true, members }
}

function readArray(reader: Reader, depth: number): SequenceNode {
  const start = reader.at++
  const items: TextNode[] = []
  while (!closes(reader, ']', items.length)) items.push(readValue(reader, depth + 1))
  return { kind: 'sequence', start, end: reader.at, isFlow: true, items }
}

/** Steps over the closing bracket, or over the comma that must precede every member except the first. */
function closes(reader: Reader, bracket: string, membersSoFar: number): boolean {
  const char = peek(reader)
  const isClosed = char === bracket
  if (isClosed || (char === ',' && membersSoFar > 0)) reader.at++
  else if (membersSoFar > 0) throw unexpected(reader, `"," or "${bracket}"`)
  return isClosed
}

function readString(reader: Reader): ScalarNode {
  const start = reader.at
  const close = closingQuote(reader.text, start, reader.end)
  if (close === -1) throw new Stop('a string has no closing quote', start)
  reader.at = close + 1
  const value = decode(reader.text.slice(start, reader.at))
  if (value === undefined) throw new Stop('a string contains a control character or an unknown escape sequence', start)
  return { kind: 'scalar', start, end: reader.at, value, name: value }
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

function decode(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(token)
    return typeof value === 'string' ? value.replace(LONE_SURROGATE, '\uFFFD') : undefined
  } catch {
    return undefined
  }
}

const LITERAL = /true|false|null|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)/y

function readLiteral(reader: Reader): ScalarNode {
  const start = reader.at
  LITERAL.lastIndex = start
  const [token, number] = LITERAL.exec(reader.text) ?? []
  if (token === undefined || start === reader.end) throw unexpected(reader, 'a value')
  reader.at = start + token.length
  if (!Number.isFinite(Number(number ?? 0))) throw new Stop('the number is too large', start)
  const value: unknown = number === '-0' ? 0 : JSON.parse(token)
  if (value !== null && typeof value !== 'boolean' && typeof value !== 'number') throw unexpected(reader, 'a value')
  return { kind: 'scalar', start, end: reader.at, value, name: undefined }
}

function unexpected(reader: Reader, expected: string): Stop {
  const found = peek(reader)
  return new Stop(
    `expected ${expected}, found ${found === '' ? 'the end of the document' : JSON.stringify(found)}`,
    reader.at,
  )
}
