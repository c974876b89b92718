/** Reads the text of one YAML document into a tree. */
import { isSpaceAt, lineStart, skipComments } from '../scan.ts'
import { DIRECTIVE, explain } from './explain.ts'
import { columnOf } from './explanation.ts'
import type { ParsedText } from './node.ts'
import { type Position, problemAt, syntax, type TextMistake, type TextProblem } from './problem.ts'
import { createSource, OLD_BREAKS, readEvents } from './source.ts'
import { buildTree } from './tree.ts'

/** Reads the document at [start, end) of a text. Never throws on what the text contains. */
export function parseYaml(text: string, start: number, end: number): ParsedText {
  const at = { text, start, end, offset: start }
  const written = text.slice(start, end).replace(OLD_BREAKS, '\n')
  const found = startProblem(written)
  if (found) return rejected(problemAt(found.mistake, { ...at, offset: start + found.offset }))
  const marker = endMarker(written, start)
  const parsed = parseUntil({ ...at, end: marker?.start ?? end })
  if (marker && parsed.root === undefined && parsed.problems.length === 0)
    return rejected(problemAt(syntax('extra', 'unexpected "..."'), { ...at, offset: marker.start }))
  const rest = marker && skipComments(written, marker.end - start)
  return rest === undefined || rest === written.length
    ? parsed
    : withUnreadRest(parsed, { ...at, offset: start + rest })
}

/** What makes a document unreadable wherever its content is, or however it begins. */
function startProblem(written: string): { readonly mistake: TextMistake; readonly offset: number } | undefined {
  const control = written.search(CONTROL)
  if (control !== -1) return { mistake: syntax('control', 'control characters are not allowed'), offset: control }
  const mark = written.search(LATE_MARK)
  if (mark !== -1) return { mistake: syntax('control', 'a byte order mark (U+FEFF) within the text'), offset: mark }
  const offset = skipComments(written, 0)
  const isIndented = lineStart(written, offset) !== offset
  // kubectl has cut off the `---` that must follow a directive.
  if (!isIndented && written[offset] === '%') return { mistake: syntax(...DIRECTIVE), offset }
  const isMarker = isIndented && written.startsWith('---', offset) && isSpaceAt(written, offset + 3)
  return isMarker ? { mistake: syntax('separator', 'the line "---" must not be indented'), offset } : undefined
}

/** Characters that go-yaml rejects anywhere in a document. */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x84\x86-\x9F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** A byte order mark at the beginning of a line, which parsers drop or keep as they like. */
const LATE_MARK = /(?<=[\n\r])\uFEFF|(?<=^\uFEFF)\uFEFF/

const rejected = (problem: TextProblem): ParsedText => ({ root: undefined, problems: [problem] })

const AFTER_END = syntax('separator', 'kubectl ignores what follows after the end of the document')
const LESS_INDENTED = syntax(
  'first-line',
  'kubectl ignores the document from here on: this line has less indentation than the first one',
)

/** kubectl reads one document from a text and ignores what follows it. */
const withUnreadRest = (
  { root, problems }: ParsedText,
  at: Position,
  mistake: TextMistake = AFTER_END,
): ParsedText => ({
  root,
  problems: [...problems, problemAt(mistake, at)],
})

const END_MARKER = /^\.\.\.(?=[ \t\r\n]|$)/m

/** The line `...` that ends a document; what follows it is not read. */
function endMarker(written: string, start: number): { start: number; end: number } | undefined {
  const found = written.search(END_MARKER)
  return found === -1 ? undefined : { start: start + found, end: start + found + 3 }
}

function parseUntil(document: Position): ParsedText {
  const { text, start, end } = document
  const source = createSource(text.slice(start, end), start)
  const parsed = readEvents(source)
  if (!('code' in parsed)) return buildTree(source, parsed)
  const at = { ...document, offset: source.toFile(parsed.offset) }
  const before =
    parsed.code === 'after-document' && at.offset > start ? parseUntil({ ...document, end: at.offset }) : undefined
  if (before?.root?.kind === 'mapping') {
    if (before.root.isFlow) return withUnreadRest(before, at)
    if (columnOf(text, before.root.start) > columnOf(text, at.offset)) return withUnreadRest(before, at, LESS_INDENTED)
  }
  return rejected(explain(parsed, at))
}
