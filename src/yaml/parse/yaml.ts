/** Reads the text of one YAML document into a tree. */
import { YAMLException } from 'js-yaml'
import type { TextProblem } from '../view.ts'
import { explain, isAfterEnd } from './explain.ts'
import type { ParsedText } from './node.ts'
import { type Place, problemAt } from './problem.ts'
import { createSource, readEvents } from './source.ts'
import { skipBlank } from './tokens.ts'
import { buildTree } from './tree.ts'

/** Reads the document that stands at [start, end) of a text. */
export function parseYaml(text: string, start: number, end: number): ParsedText {
  const place = { text, start, end, offset: start }
  const control = text.slice(start, end).search(CONTROL)
  if (control !== -1)
    return refused(problemAt('syntax', 'control characters are not allowed', { ...place, offset: start + control }))
  const marker = endMarker(text, start, end)
  const parsed = parseUntil({ ...place, end: marker?.start ?? end })
  const rest = marker && firstWord(text, marker.end, end)
  return rest === undefined ? parsed : withUnreadRest(parsed, { ...place, offset: rest })
}

/** What go-yaml refuses wherever it stands. */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x84\x86-\x9F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const refused = (problem: TextProblem): ParsedText => ({ root: undefined, problems: [problem] })

const AFTER_END = 'nothing is read after the end of the document'
const AFTER_INDENTED = 'nothing is read from a line on that has less indentation than the first one'

/** kubectl reads one document from a text and does not look at what follows it. */
const withUnreadRest = ({ root, problems }: ParsedText, place: Place, reason = AFTER_END): ParsedText => ({
  root,
  problems: [...problems, problemAt('syntax', reason, place)],
})

const END_MARKER = /^\.\.\.(?=[ \t\r\n]|$)/m

/** Finds the line `...` that ends a document, and with it what is read of the text. */
function endMarker(text: string, start: number, end: number): { start: number; end: number } | undefined {
  const found = text.slice(start, end).search(END_MARKER)
  return found === -1 ? undefined : { start: start + found, end: start + found + 3 }
}

/** Where the first word stands that is no comment. */
function firstWord(text: string, start: number, end: number): number | undefined {
  const first = skipBlank(text.slice(0, end), start)
  return first < end ? first : undefined
}

function parseUntil(place: Place): ParsedText {
  const { text, start, end } = place
  const source = createSource(text.slice(start, end), start)
  const parsed = readEvents(source)
  if (!(parsed instanceof YAMLException)) return buildTree(source, parsed)
  const at = { ...place, offset: source.toFile(parsed.mark?.position ?? 0) }
  const before = isAfterEnd(parsed) && at.offset > start ? parseUntil({ ...place, end: at.offset }) : undefined
  if (before?.root?.kind === 'mapping') {
    if (before.root.isFlow) return withUnreadRest(before, at)
    if (columnOf(text, before.root.start) > columnOf(text, at.offset)) return withUnreadRest(before, at, AFTER_INDENTED)
  }
  return refused(explain(parsed.reason, at))
}

const columnOf = (text: string, offset: number): number => offset - text.lastIndexOf('\n', offset - 1) - 1
