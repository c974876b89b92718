/** What js-yaml rejects, in the reader's terms: what is wrong, where it is, and its cause. */
import { endOf } from '../../text/trim.ts'
import { indentation, lineEnd, skipComments } from '../scan.ts'
import { describeEntry, describeOpenBracket } from './brackets.ts'
import { NO_COLON, needsQuotes, ON_KEY_LINE } from './builder.ts'
import { columnOf, type Explanation, firstColumn, lineStart, previousLine } from './explanation.ts'
import type { ParserError } from './parser-error.ts'
import { type Position, problemAt, syntax, type TextProblem, tooDeep } from './problem.ts'
import { describeAfterQuote, describeOpenQuote, unclosedAbove } from './quotes.ts'
import { TAB } from './tabs.ts'
import { triedOn } from './trial.ts'

/** The problem for an error of js-yaml, which stopped at an offset of a document. */
export function explain(error: ParserError, at: Position): TextProblem {
  if (error.code === 'depth') return problemAt(tooDeep(), at)
  const [cause, reason, offset = at.offset] = describe(error, at)
  const isMark = cause === 'tab' || cause === 'bracket'
  const mistake = syntax(cause, reason)
  return isMark ? { ...mistake, start: offset, end: offset + 1 } : problemAt(mistake, { ...at, offset })
}

function describe({ code, words }: ParserError, at: Position): Explanation {
  const { text, offset } = at
  switch (code) {
    case 'double-quote':
      return describeOpenQuote(at, '"')
    case 'single-quote':
      return describeOpenQuote(at, "'")
    case 'open-bracket':
      return describeOpenBracket(at)
    case 'missing-comma':
      return describeEntry(at)
    case 'comma-first':
      return ['extra', 'no entry precedes this comma']
    case 'block-tab':
      return [...TAB, lastOf(at, '\t')]
    case 'field-indentation':
    case 'item-indentation':
      return describeIndentation(at)
    case 'after-document':
      return describeRest(at)
    case 'long-key':
      return unclosedAbove(at) ?? describeKey({ ...at, offset: previousLine(at) })
    case 'key-colon':
      return unclosedAbove(at) ?? describeKey({ ...at, offset: skipComments(text, lineStart(at)) })
    case 'escape':
      return describeEscape(at)
    case 'block-header':
      return describeBlockText(at)
    case 'anchor-without-name':
      return [...needsQuotes('&'), offset - 1]
    case 'alias-without-name':
      return [...needsQuotes('*'), offset - 1]
    case 'tag':
      return ['tag', 'a value that begins with "!" begins with a tag, and this one is not valid', lastOf(at, '!')]
    case 'directive':
    case 'directives-end':
      return [...DIRECTIVE, firstDirective(at)]
    case 'less-indentation':
      return ['indentation', 'bad indentation within brackets or quotes']
    default:
      return ['other', words]
  }
}

/** Why a line that begins with `%` is not read. */
export const DIRECTIVE = ['directive', 'kubectl reads no directives: a line that begins with "%" is one'] as const

/** A line that should be a member of a mapping. */
function describeKey(at: Position): Explanation {
  const first = at.text[at.offset] ?? ''
  return '&*!'.includes(first) ? [...needsQuotes(first, 'key'), at.offset] : ['colon', NO_COLON, at.offset]
}

/** js-yaml reports bad indentation wherever a member or an item ends otherwise than it should. */
function describeIndentation(at: Position): Explanation {
  const { text, offset } = at
  const char = text[offset] ?? ''
  const line = lineStart(at)
  const before = text.slice(line, offset)
  if (before.trim() === '') return describeLine(at)
  if (/["']$/.test(before)) return describeAfterQuote(at)
  const dash = /:[ \t]+(?=-[ \t])/.exec(text.slice(line, lineEnd(text, line)))
  if (dash) return [...ON_KEY_LINE, line + dash.index + dash[0].length]
  const alias = aliasKey(before)
  if (alias !== undefined) return [...needsQuotes(before.charAt(alias), 'key'), line + alias]
  if (/[\]}][ \t]*$/.test(before)) return ['extra', `unexpected ${JSON.stringify(char)} after a closing bracket`]
  if ('@`%'.includes(char)) return needsQuotes(char)
  if (char !== ':') return ['extra', `unexpected ${JSON.stringify(char)}`]
  const above = wordAbove(at)
  if (above !== undefined) return ['colon', NO_COLON, above]
  if (/: |^ *- /.test(before)) return ['quotes', 'a value that contains ": " needs quotes']
  const key = skipComments(text, line)
  const unfinished = keyAbove({ ...at, offset: key })
  return unfinished === undefined ? describeLine({ ...at, offset: key }) : ['colon', NO_COLON, unfinished]
}

/** A line that is neither a member nor an item of what precedes it. */
function describeLine(at: Position): Explanation {
  const { text, offset } = at
  const char = text.charAt(offset)
  const helps = triedOn(at)
  if (isStray(text, offset) && ['', ' '].some((by) => helps({ start: offset, end: offset + 1, text: by })))
    return ['extra', `unexpected ${JSON.stringify(char)}`, offset]
  if ('@`%'.includes(char)) return [...needsQuotes(char, 'key'), offset]
  const isItem = isDash(text, offset)
  const beside = lineAbove(at)
  const isMixed = beside !== undefined && isItem !== beside.isItem
  const isField = /^-\s+\S.*:(?:\s|$)/.test(text.slice(offset, lineEnd(text, offset)))
  if (isMixed && isField && helps({ start: offset, end: offset + 2, text: '' }))
    return ['item', 'a list item among the fields of a mapping', offset]
  const [start, end] = [lineStart(at), offset]
  const fits = COLUMNS.some((spaces) => helps({ start, end, text: spaces }))
  if (!fits) return ['above', 'this line does not fit what is above it', offset]
  if (isMixed && !isItem) return ['field', 'a field among the items of a list', offset]
  return ['indentation', `bad indentation of a ${isItem ? 'list item' : 'field'}`, offset]
}

/** The indentations that are tried. */
const COLUMNS = Array.from({ length: 21 }, (_, column) => ' '.repeat(column))

const isDash = (text: string, offset: number): boolean => /^-\s/.test(text.slice(offset, offset + 2))

/** Whether a line begins with a character that begins neither a word nor a key in quotes nor an item. */
function isStray(text: string, offset: number): boolean {
  const line = text.slice(offset, lineEnd(text, offset))
  return /^[^\w.$/-]/.test(line) && !/^(["'])[^"']*\1\s*:/.test(line)
}

/** The last line above with the indentation of an offset, before any with less; undefined where there is none. */
function lineAbove({ text, start, offset }: Position): { readonly isItem: boolean } | undefined {
  const column = indentation(text, offset).length
  const lines = text.slice(start, offset).split('\n').slice(0, -1).reverse()
  const above = lines.find((line) => line.trim() !== '' && !/^\s*#/.test(line) && firstColumn(line, 0) <= column)
  return above === undefined || firstColumn(above, 0) < column ? undefined : { isItem: /^\s*-\s/.test(above) }
}

/** A document ends before an item among members, or where it is a single value. */
function describeRest(at: Position): Explanation {
  const { text, offset } = at
  const before = text.slice(lineStart(at), offset)
  if (before.startsWith('\t')) return [...TAB, lineStart(at)]
  if (before.trim() === '') return describeLine(at)
  if (/["']$/.test(before)) return describeAfterQuote(at)
  const alias = aliasKey(before)
  if (alias !== undefined) return [...needsQuotes(before.charAt(alias), 'key'), lineStart(at) + alias]
  if (text[offset] === ':') return ['colon', NO_COLON, previousLine(at)]
  return ['separator', 'unexpected text after the end of the document']
}

/** The text of `|` or `>` begins on the line of that character. */
function describeBlockText(at: Position): Explanation {
  const { text, offset } = at
  const opening = Math.max(text.lastIndexOf('|', offset), text.lastIndexOf('>', offset))
  const isFirst = text.slice(lineStart({ ...at, offset: opening }), opening).trim() === ''
  if (isFirst && triedOn(at)({ start: opening, end: opening + 1, text: '' }))
    return ['extra', `unexpected "${text[opening]}"`, opening]
  return ['block-text', `a text after "${text[opening]}" must begin on the next line`, opening]
}

/** The escape at an offset, or at its digits. */
function describeEscape(at: Position): Explanation {
  const opening = at.text.lastIndexOf('\\', at.offset)
  return ['escape', `unknown escape sequence "${at.text.slice(opening, opening + 2)}"`, opening]
}

const firstDirective = ({ text, start, offset }: Position): number => {
  const found = text.slice(start, offset + 1).search(/^%/m)
  return found === -1 ? offset : start + found
}

/** The last occurrence of a character up to an offset; the offset itself where there is none. */
function lastOf({ text, start, offset }: Position, char: string): number {
  const found = text.lastIndexOf(char, offset)
  return found < start ? offset : found
}

/** The word alone on the line before that lacks only its colon. */
function wordAbove(at: Position): number | undefined {
  const { text } = at
  const start = previousLine(at)
  const word = /^(?:- +)?([\w./-]+)[ \t]*$/.exec(text.slice(start, lineEnd(text, start)))
  if (!word?.[1]) return undefined
  const end = start + word[0].trimEnd().length
  return triedOn(at)({ start: end, end, text: ':' }) ? end - word[1].length : undefined
}

/** The key on the line before that has no colon: this line is indented like it, and is read as more of its value. */
function keyAbove(at: Position): number | undefined {
  const { text, offset } = at
  const line = previousLine(at)
  const key = line + (/^(?:- +)*/.exec(text.slice(line, lineEnd(text, line)))?.[0].length ?? 0)
  const isKey =
    columnOf(text, key) === columnOf(text, offset) && /^[\w-]+ [^:#]*$/.test(text.slice(key, lineEnd(text, key)))
  return isKey ? key : undefined
}

/** Where a key begins that ends a line and is an alias or has an anchor: `*a:`. */
function aliasKey(line: string): number | undefined {
  const key = line.slice(0, endOf(line, ' \t'))
  if (!key.endsWith(':')) return undefined
  const start = key.length - (key.split(/\s/).at(-1)?.length ?? 0)
  const at = key.slice(start, -2).search(/[*&]/)
  return at < 0 ? undefined : start + at
}
