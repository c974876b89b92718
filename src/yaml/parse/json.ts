/** Reads JSON text into a tree, as kubectl reads a file that begins with `{`. */

import { isBreak, isSpace } from '../scan.ts'
import type { MappingNode, MemberNode, ParsedText, ScalarNode, SequenceNode, TextNode } from './node.ts'
import { MAX_DEPTH, problemAt, type SyntaxCause, syntax, type TextMistake, tooDeep } from './problem.ts'

type Reader = { readonly text: string; readonly end: number; at: number }

/** Ends the reading; caught in {@link parseJsonText}. */
class Stop extends Error {
  readonly mistake: TextMistake
  readonly offset: number

  constructor(mistake: TextMistake, offset: number) {
    super(mistake.reason)
    this.mistake = mistake
    this.offset = offset
  }
}

/** Reads the JSON value at [start, end) of a text, which may contain nothing else. Never throws on what it contains. */
export function parseJsonText(text: string, start: number, end: number): ParsedText {
  const reader: Reader = { text, end, at: start }
  const problem = ({ mistake, offset }: Stop) =>
    problemAt(mistake, { text, start, end: Math.min(tokenEnd(text, offset), end), offset })
  try {
    const root = readValue(reader, 1)
    // kubectl skips a document without a value.
    while (text.startsWith('null', skipSpace(reader)) && reader.at + 4 <= end) reader.at += 4
    const rest = skipSpace(reader)
    if (rest === end) return { root, problems: [] }
    return {
      root,
      problems: [problem(new Stop(syntax('json-end', 'only JSON objects may follow a JSON object'), rest))],
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { root: undefined, problems: [problem(error)] }
  }
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[\w.+-]+|\\?./y

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
  if (depth > MAX_DEPTH) throw new Stop(tooDeep(), reader.at)
  if (char === '{') return readObject(reader, depth)
  if (char === '[') return readArray(reader, depth)
  return char === '"' ? readString(reader) : readLiteral(reader)
}

function readObject(reader: Reader, depth: number): MappingNode {
  const start = reader.at++
  const members: MemberNode[] = []
  while (!closes(reader, '}', members.length)) {
    if (peek(reader) !== '"') throw unexpected(reader, 'a key in quotes', causeInKey)
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
  else if (membersSoFar > 0) throw unexpected(reader, `"," or "${bracket}"`, causeAfterValue(bracket))
  return isClosed
}

function readString(reader: Reader): ScalarNode {
  const start = reader.at
  const close = closingQuote(reader.text, start, reader.end)
  if (close === -1) throw new Stop(syntax('json-quote', 'a string has no closing quote'), start)
  reader.at = close + 1
  const value = decode(reader.text.slice(start, reader.at))
  if (value === undefined) throw badString(reader, start)
  return { kind: 'scalar', start, end: reader.at, value, name: value }
}

const BAD_ESCAPE = /(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*?(?=\\(?!["\\/bfnrt]|u[\da-fA-F]{4}))/y

/** What is wrong within a string that has its quotes. */
function badString({ text, at: end }: Reader, start: number): Stop {
  BAD_ESCAPE.lastIndex = start
  const before = BAD_ESCAPE.exec(text.slice(0, end))?.[0]
  if (before === undefined) return new Stop(syntax('json-control', 'a string contains a control character'), start)
  const at = start + before.length
  return new Stop(syntax('json-escape', `unknown escape sequence "${text.slice(at, at + 2)}"`), at)
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
  if (token === undefined || start === reader.end) throw unexpected(reader, 'a value', causeInValue)
  reader.at = start + token.length
  if (!Number.isFinite(Number(number ?? 0))) throw new Stop(syntax('json-number', 'the number is too large'), start)
  const value: unknown = number === '-0' ? 0 : JSON.parse(token)
  if (value !== null && typeof value !== 'boolean' && typeof value !== 'number')
    throw unexpected(reader, 'a value', causeInValue)
  return { kind: 'scalar', start, end: reader.at, value, name: undefined }
}

/** What is behind an unexpected character where the reader is; undefined where it could be anything. */
type Guess = (reader: Reader) => SyntaxCause | undefined

function unexpected(reader: Reader, expected: string, guess?: Guess): Stop {
  const found = peek(reader)
  const cause = (isComment(reader) ? 'json-comment' : guess?.(reader)) ?? 'near'
  const word = found === '' ? 'the end of the document' : JSON.stringify(wordAt(reader))
  return new Stop(syntax(cause, `expected ${expected}, found ${word}`), reader.at)
}

/** The word or the character where the reader is. */
const wordAt = ({ text, at }: Reader): string => /^\w+/.exec(text.slice(at, at + 20))?.[0] ?? text.charAt(at)

const isComment = ({ text, at }: Reader): boolean => /^(?:#|\/[/*])/.test(text.slice(at, at + 2))

/** What follows the reader, as far as its cause depends on it. */
const ahead = ({ text, at, end }: Reader): string => text.slice(at, Math.min(at + 300, end))

const WORD_AS_KEY = /^(?:[\w$./-]+"?|'[^'\n]*')\s*:/
const WORD_AS_VALUE = /^(?:[\w$./-]+"?|'[^'\n]*')\s*(?:[,\]}]|$)/
const MEMBER = /^"(?:[^"\\\n]|\\.)*"\s*:/
const ITEM = /^(?:"(?:[^"\\\n]|\\.)*"\s*[,\]]|\{\s*"|\[\s*["{[])/

const causeInKey: Guess = (reader) => (WORD_AS_KEY.test(ahead(reader)) ? 'json-key' : causeOfComma(reader))

const causeInValue: Guess = (reader) => (WORD_AS_VALUE.test(ahead(reader)) ? 'json-value' : causeOfComma(reader))

/** A closing bracket after a comma. */
const causeOfComma: Guess = (reader) =>
  /,\s*$/.test(reader.text.slice(0, reader.at)) && /^[\]}]\s*(?:[,\]}]|$)/.test(ahead(reader))
    ? 'json-extra-comma'
    : undefined

/** A member or an item where a comma is expected: after a value, and on a line of its own or after a space. */
const causeAfterValue =
  (bracket: string): Guess =>
  (reader) => {
    const next = bracket === '}' ? MEMBER : ITEM
    return next.test(ahead(reader)) && /\s/.test(reader.text.charAt(reader.at - 1)) ? 'json-comma' : undefined
  }
