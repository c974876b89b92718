/** Reads the text of one YAML document into a tree, and explains what the parser rejects in the reader's terms. */
import { YAMLException } from 'js-yaml'
import { lineEnd, skipComments, trimmedEnd } from '../scan.ts'
import { ON_KEY_LINE } from './builder.ts'
import type { ParsedText } from './node.ts'
import { type Position, problemAt, type TextProblem, TOO_DEEP } from './problem.ts'
import { createSource, readEvents } from './source.ts'
import { buildTree } from './tree.ts'

/** Reads the document at [start, end) of a text. Never throws on what the text contains. */
export function parseYaml(text: string, start: number, end: number): ParsedText {
  const at = { text, start, end, offset: start }
  const control = text.slice(start, end).search(CONTROL)
  if (control !== -1)
    return rejected(problemAt('syntax', 'control characters are not allowed', { ...at, offset: start + control }))
  const marker = endMarker(text, start, end)
  const parsed = parseUntil({ ...at, end: marker?.start ?? end })
  const rest = marker && firstWord(text, marker.end, end)
  return rest === undefined ? parsed : withUnreadRest(parsed, { ...at, offset: rest })
}

/** Characters that go-yaml rejects anywhere in a document. */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x84\x86-\x9F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const rejected = (problem: TextProblem): ParsedText => ({ root: undefined, problems: [problem] })

const AFTER_END = 'kubectl ignores what follows after the end of the document'
const LESS_INDENTED = 'kubectl ignores the document from here on: this line has less indentation than the first one'

/** kubectl reads one document from a text and ignores what follows it. */
const withUnreadRest = ({ root, problems }: ParsedText, at: Position, reason = AFTER_END): ParsedText => ({
  root,
  problems: [...problems, problemAt('syntax', reason, at)],
})

const END_MARKER = /^\.\.\.(?=[ \t\r\n]|$)/m

/** The line `...` that ends a document; what follows it is not read. */
function endMarker(text: string, start: number, end: number): { start: number; end: number } | undefined {
  const found = text.slice(start, end).search(END_MARKER)
  return found === -1 ? undefined : { start: start + found, end: start + found + 3 }
}

/** The offset of the first word that is not a comment. */
function firstWord(text: string, start: number, end: number): number | undefined {
  const first = skipComments(text.slice(0, end), start)
  return first < end ? first : undefined
}

function parseUntil(document: Position): ParsedText {
  const { text, start, end } = document
  const source = createSource(text.slice(start, end), start)
  const parsed = readEvents(source)
  if (!(parsed instanceof YAMLException)) return buildTree(source, parsed)
  const at = { ...document, offset: source.toFile(parsed.mark?.position ?? 0) }
  const before =
    isAfterEnd(parsed.reason) && at.offset > start ? parseUntil({ ...document, end: at.offset }) : undefined
  if (before?.root?.kind === 'mapping') {
    if (before.root.isFlow) return withUnreadRest(before, at)
    if (columnOf(text, before.root.start) > columnOf(text, at.offset)) return withUnreadRest(before, at, LESS_INDENTED)
  }
  return rejected(explain(parsed.reason, at))
}

const columnOf = (text: string, offset: number): number => offset - text.lastIndexOf('\n', offset - 1) - 1

/** Whether the parser had read the whole document when it stopped. */
const isAfterEnd = (reason: string): boolean => reason.startsWith('end of the stream')

/** The problem for a reason of js-yaml, which stopped at an offset of a document. */
function explain(reason: string, at: Position): TextProblem {
  if (reason.includes('maxDepth')) return problemAt('unreadable', TOO_DEEP, at)
  const tab = reason.startsWith('tab characters') ? at.text.lastIndexOf('\t', at.offset) : -1
  if (tab >= at.start) return { code: 'syntax', reason, start: tab, end: tab + 1 }
  const [description, offset] = describe(reason, at)
  return problemAt('syntax', description, { ...at, offset })
}

const NO_COLON = 'a key has no ": " after it'
const NO_CLOSING_QUOTE = 'a quoted value has no closing quote'
const AFTER_QUOTE = 'a value continues after its closing quote'

/** A reason of js-yaml in plain words, and the offset where the mistake is. */
function describe(reason: string, at: Position): readonly [description: string, offset: number] {
  const { offset } = at
  if (reason.includes('multiline key')) return [NO_COLON, previousLine(at)]
  if (reason.startsWith("expected ':'")) return [NO_COLON, skipComments(at.text, lineStart(at))]
  if (reason.endsWith('within a flow collection')) return ['a bracket is never closed', offset]
  if (reason.endsWith('double quoted scalar')) return [NO_CLOSING_QUOTE, openingQuote(at, LAST_DOUBLE)]
  if (reason.endsWith('single quoted scalar')) return [NO_CLOSING_QUOTE, openingQuote(at, LAST_SINGLE)]
  if (reason === 'deficient indentation') return ['bad indentation within brackets or quotes', offset]
  if (reason.startsWith('bad indentation of a mapping')) return describeIndentation(reason, at)
  if (isAfterEnd(reason)) return describeRest(at)
  return [REASONS[reason] ?? reason, offset]
}

/** Reasons of js-yaml that a reader would not understand at once. */
const REASONS: Readonly<Record<string, string>> = {
  'missed comma between flow collection entries': 'missing comma between the entries of a flow collection',
  'directives end mark is expected': 'expected "---" after the directives',
}

/** js-yaml reports bad indentation wherever a member ends otherwise than it should. */
function describeIndentation(reason: string, at: Position): readonly [string, number] {
  const { text, offset } = at
  const char = text[offset] ?? ''
  const line = lineStart(at)
  const before = text.slice(line, offset)
  if (before.trim() === '') return [reason, offset]
  if (/["']$/.test(before)) return [AFTER_QUOTE, offset]
  if (/^-\s/.test(text.slice(offset, offset + 2))) return [ON_KEY_LINE, offset]
  if (char !== ':')
    return [
      '@`%'.includes(char) ? `a value that begins with "${char}" needs quotes` : `unexpected ${JSON.stringify(char)}`,
      offset,
    ]
  if (/: |^ *- /.test(before)) return ['a value that contains ": " needs quotes', offset]
  const key = skipComments(text, line)
  return isContinuation({ ...at, offset: key }) ? [NO_COLON, previousLine(at)] : [reason, key]
}

/** A document ends before an item among members, or where it is a single value. */
function describeRest(at: Position): readonly [string, number] {
  const { text, offset } = at
  const isFirst = text.slice(lineStart(at), offset).trim() === ''
  if (isFirst) return [`bad indentation of a ${text[offset] === '-' ? 'sequence' : 'mapping'} entry`, offset]
  return text[offset] === ':' ? [NO_COLON, previousLine(at)] : ['unexpected text after the end of the document', offset]
}

/** The quote that opens a value which is never closed: what is like it after it is escaped. */
const LAST_DOUBLE = /"(?:[^"\\]|\\.)*$/s
const LAST_SINGLE = /(?<!')'(?:'')*[^']*(?:(?:'')+[^']+)*$/

function openingQuote({ text, start, end, offset }: Position, pattern: RegExp): number {
  const at = text.slice(start, end).search(pattern)
  return at === -1 ? offset : start + at
}

/** Whether the line before is a key without a colon: it is indented like this one, which is read as more of its value. */
function isContinuation(at: Position): boolean {
  const { text, offset } = at
  const before = previousLine(at)
  const line = text.slice(before, lineEnd(text, before))
  return columnOf(text, before) === columnOf(text, offset) && /^[\w-]+ [^:#]*$/.test(line)
}

const lineStart = ({ text, start, offset }: Position): number => Math.max(text.lastIndexOf('\n', offset - 1) + 1, start)

/** The first word of the last line before the offset's that is not empty. */
function previousLine(at: Position): number {
  const { text, start } = at
  const offset = trimmedEnd(text, start, lineStart(at))
  return offset > start ? skipComments(text, lineStart({ ...at, offset })) : at.offset
}
