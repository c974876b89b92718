/**
 * A fast look at a document whose value does not matter: whether it certainly is one object with a kind, which kubectl
 * reads to its end. It knows block mappings and lists, scalars of one line, texts after `|` and `>`, comments; any other
 * document is left to the parser. It makes no value: a file may hold thousands of documents beside one policy.
 */
import { resolvePlain } from '../parse/scalar.ts'
import { INDICATOR, KEY, KEY_START } from './plain.ts'

type Scan = {
  readonly text: string
  readonly end: number
  /** The columns of the open mappings and lists, a list as `-1 - column`. */
  readonly open: number[]
  /** True after a key or a dash whose value may begin on the next line. */
  isPending: boolean
  hasKind: boolean
}

const SPACE = 32
const QUOTE = 34
const HASH = 35
const APOSTROPHE = 39
const PLUS = 43
const DASH = 45
const DOT = 46
const COLON = 58
const LINE_FEED = 10
const BACKSLASH = 92

/** More open levels, and longer keys, are left to the parser. */
const MOST_LEVELS = 60
const LONGEST_KEY = 200

/** Tabs, control characters, line breaks other than `\n`, halves of pairs, byte order marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const UNUSUAL = /[\x00-\x09\x0B-\x1F\x7F-\x9F\u2028\u2029\uD800-\uDFFF\uFEFF\uFFFE\uFFFF]/

/** True where kubectl certainly reads the document at [start, end) of a text whole, as one object with a kind. */
export function isWholeObject(text: string, start: number, end: number): boolean {
  if (UNUSUAL.test(text.slice(start, end))) return false
  const scan: Scan = { text, end, open: [], isPending: true, hasKind: false }
  let line = text.startsWith('---\n', start) ? start + 4 : start
  while (line < end) {
    let at = line
    while (at < end && text.charCodeAt(at) === SPACE) at++
    const char = at < end ? text.charCodeAt(at) : LINE_FEED
    const next = char === LINE_FEED || char === HASH ? lineAfter(scan, at) : readLine(scan, at, at - line)
    if (next === -1) return false
    line = next
  }
  return scan.hasKind
}

function lineAfter({ text, end }: Scan, from: number): number {
  const found = text.indexOf('\n', from)
  return found === -1 || found >= end ? end : found + 1
}

/** Reads a line with content. Returns where the next one begins; -1, here and below: left to the parser. */
function readLine(scan: Scan, start: number, indent: number): number {
  if (!closeTo(scan, indent, isDash(scan, start))) return -1
  let [at, column] = [start, indent]
  while (isDash(scan, at)) {
    if (!enter(scan, -1 - column)) return -1
    const content = skipSpaces(scan, at + 1)
    column += content - at
    at = content
    if (isLineEnd(scan, at)) return lineAfter(scan, at)
  }
  const simple = simpleMember(scan, at, column)
  if (simple !== 0) return simple
  const colon = keyEnd(scan, at)
  if (colon !== -1) return readMember(scan, { at, colon, column })
  return isPendingItem(scan) ? readScalar(scan, at) : -1
}

/** Nearly every line: a key with a word, a path or a whole number, and a key alone. Neither `kind` nor `null`. */
const WITH_WORD = /(?!kind:|null:)[a-zA-Z_][\w./-]{0,100}: (?:[a-zA-Z$/](?:[\w./@$-]|:(?=\w))*|\d{1,15})\n/iy
const ALONE = /(?!kind:|null:)[a-zA-Z_][\w./-]{0,100}:\n/iy

/** The next line after such a one; 0 where this is another. */
function simpleMember(scan: Scan, at: number, column: number): number {
  WITH_WORD.lastIndex = at
  if (WITH_WORD.test(scan.text)) {
    const isEntered = enter(scan, column)
    scan.isPending = false
    return isEntered ? WITH_WORD.lastIndex : -1
  }
  ALONE.lastIndex = at
  if (!ALONE.test(scan.text)) return 0
  return enter(scan, column) ? ALONE.lastIndex : -1
}

const isPendingItem = ({ isPending, open }: Scan): boolean => isPending && (open.at(-1) ?? 0) < 0

type Key = { readonly at: number; readonly colon: number; readonly column: number }

/** Reads the value of a key, as far as it is on its line. */
function readMember(scan: Scan, { at, colon, column }: Key): number {
  const { text } = scan
  if (!enter(scan, column)) return -1
  const value = skipSpaces(scan, colon + 1)
  const isKind = column === 0 && colon - at === 4 && text.startsWith('kind', at)
  // Of two the last counts.
  if (isKind && scan.hasKind) return -1
  if (isLineEnd(scan, value)) return lineAfter(scan, value)
  const next = readScalar(scan, value)
  if (isKind && next !== -1) scan.hasKind = isName(text.slice(value, next).trim())
  return next
}

const PLAIN_NAME = /^["']?[A-Za-z]+["']?$/

const isName = (written: string): boolean => PLAIN_NAME.test(written) && typeof resolvePlain(written) === 'string'

/** Closes what a line at a column ends. False where the line may go on with a text, or fits to nothing that is open. */
function closeTo(scan: Scan, column: number, isItem: boolean): boolean {
  const { open } = scan
  if (open.length === 0) return column === 0 && !isItem
  const top = open.at(-1) ?? 0
  if (scan.isPending && (columnOf(top) < column || (isItem && top === column))) return true
  while (open.length > 0) {
    const last = open.at(-1) ?? 0
    if (columnOf(last) < column) return false
    if (columnOf(last) === column && last < 0 === isItem) break
    open.pop()
  }
  scan.isPending = false
  return open.length > 0
}

const columnOf = (level: number): number => (level < 0 ? -1 - level : level)

/** Opens the mapping or the list at a column, or goes on in it; its value is still to come. */
function enter(scan: Scan, level: number): boolean {
  const { open } = scan
  if (scan.isPending) open.push(level)
  scan.isPending = true
  return open.at(-1) === level && open.length < MOST_LEVELS
}

const isDash = ({ text, end }: Scan, at: number): boolean => {
  if (text.charCodeAt(at) !== DASH) return false
  const next = text.charCodeAt(at + 1)
  return at + 1 >= end || next === SPACE || next === LINE_FEED
}

function isLineEnd({ text, end }: Scan, at: number): boolean {
  const char = text.charCodeAt(at)
  return at >= end || char === LINE_FEED || (char === HASH && text.charCodeAt(at - 1) === SPACE)
}

/** The offset of the colon after the key at an offset; -1 where there is no plain key. */
function keyEnd({ text, end }: Scan, start: number): number {
  if (KEY[text.charCodeAt(start)] !== KEY_START) return -1
  let at = start + 1
  while (KEY[text.charCodeAt(at)]) at++
  if (at >= end || text.charCodeAt(at) !== COLON || at - start > LONGEST_KEY) return -1
  const next = text.charCodeAt(at + 1)
  if (at + 1 < end && next !== SPACE && next !== LINE_FEED) return -1
  return at - start === 4 && text.slice(start, at).toLowerCase() === 'null' ? -1 : at
}

/** Reads a value that begins on its line. */
function readScalar(scan: Scan, start: number): number {
  const { text } = scan
  scan.isPending = false
  const first = text.charCodeAt(start)
  if (first === QUOTE || first === APOSTROPHE) return readQuoted(scan, start, first)
  if (first === 124 || first === 62) return readText(scan, start)
  const isEmpty = text.startsWith('{}', start) || text.startsWith('[]', start)
  if (isEmpty) return isLineEnd(scan, skipSpaces(scan, start + 2)) ? lineAfter(scan, start) : -1
  if (INDICATOR[first] === 1 || isDash(scan, start)) return -1
  return readPlainText(scan, start)
}

function skipSpaces({ text, end }: Scan, from: number): number {
  let at = from
  while (at < end && text.charCodeAt(at) === SPACE) at++
  return at
}

/** A number that JSON may not have: with a point, a sign or an exponent first, or a long one. */
const ODD_NUMBER = /^(?:[-+]?\.|=|[-+]?\d[^\n]*[eE]|[-+]?\d[^\n]{100})/

function readPlainText(scan: Scan, start: number): number {
  const { text, end } = scan
  let at = start
  for (; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === LINE_FEED || (char === HASH && text.charCodeAt(at - 1) === SPACE)) break
    if (char !== COLON) continue
    const next = text.charCodeAt(at + 1)
    if (at + 1 >= end || next === SPACE || next === LINE_FEED) return -1
  }
  const first = text.charCodeAt(start)
  const mayBeOdd =
    first < 65 && (first === DOT || first === PLUS || first === DASH || first === 61 || (first >= 48 && first <= 57))
  return mayBeOdd && ODD_NUMBER.test(text.slice(start, Math.min(at, start + 200))) ? -1 : lineAfter(scan, at)
}

/** Reads a quoted text of one line, with the most common escapes. */
function readQuoted(scan: Scan, start: number, quote: number): number {
  const close = closingQuote(scan, start, quote)
  return close !== -1 && isLineEnd(scan, skipSpaces(scan, close + 1)) ? lineAfter(scan, close) : -1
}

function closingQuote({ text, end }: Scan, start: number, quote: number): number {
  for (let at = start + 1; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === LINE_FEED) return -1
    if (char === quote) {
      if (quote === QUOTE || text.charCodeAt(at + 1) !== quote) return at
      at++
    } else if (char === BACKSLASH && quote === QUOTE) {
      if (!'"\\nrt'.includes(text.charAt(at + 1))) return -1
      at++
    }
  }
  return -1
}

/** Reads the lines of a text after `|` or `>`. */
function readText(scan: Scan, start: number): number {
  const { text, end } = scan
  const sign = text.charCodeAt(start + 1)
  const header = skipSpaces(scan, sign === PLUS || sign === DASH ? start + 2 : start + 1)
  if (header < end && text.charCodeAt(header) !== LINE_FEED) return -1
  const outer = columnOf(scan.open.at(-1) ?? 0)
  let line = lineAfter(scan, header)
  let longest = 0
  for (; isBlank(scan, line); line = lineAfter(scan, line)) longest = Math.max(longest, skipSpaces(scan, line) - line)
  const indent = skipSpaces(scan, line) - line
  if (line >= end || indent <= outer) return line
  // A line of spaces before the text must not be longer than its indentation.
  if (longest > indent) return -1
  for (; line < end; line = lineAfter(scan, line)) {
    const column = skipSpaces(scan, line) - line
    if (column >= indent || isBlank(scan, line)) continue
    return column <= outer ? line : -1
  }
  return line
}

/** True for a line of spaces only. */
function isBlank(scan: Scan, line: number): boolean {
  const at = skipSpaces(scan, line)
  return line < scan.end && (at >= scan.end || scan.text.charCodeAt(at) === LINE_FEED)
}
