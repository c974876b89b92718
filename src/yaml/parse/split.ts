/** Cuts a text into documents the way kubectl does: by its lines, before any parser looks at it. */

import type { TextProblem } from '../view.ts'
import { jsonEnd } from './json.ts'

/** The place of one document in a text. */
export type Piece = {
  readonly start: number
  readonly end: number
  readonly format: 'yaml' | 'json'
  /** What is wrong with the line that parts it from the document before. */
  readonly problem?: TextProblem
}

/** kubectl takes a text for JSON whose first character is a brace; it looks no further than this. */
const JSON_PREFIX = /^\uFEFF?[ \t\r\n]{0,4095}\{/

/** Cuts a text into its documents. */
export function splitDocuments(text: string): readonly Piece[] {
  const isJson = JSON_PREFIX.test(text)
  const pieces = separate(text, isJson)
  return isJson ? pieces.flatMap((piece) => splitJson(text, piece)) : pieces
}

const SEPARATOR = /---[^\S\n]*(?:#[^\n]*)?(?=\n|$)/y

/** Cuts at the lines that begin with `---`; one that begins a document belongs to it. */
function separate(text: string, isJson: boolean): readonly Piece[] {
  const pieces: Piece[] = []
  const first = text.startsWith('\uFEFF') ? 1 : 0
  let piece: Piece = { start: first, end: text.length, format: isJson ? 'json' : 'yaml' }
  let line = text.startsWith('---', first) ? first : nextSeparator(text, first)
  while (line !== -1) {
    const next = lineAfter(text, line)
    const problem = separatorProblem(text, line, isJson)
    if (line > piece.start || problem) {
      pieces.push({ ...piece, end: line })
      piece = { start: next, end: text.length, format: formatAt(text, next, isJson), ...(problem && { problem }) }
    }
    line = text.startsWith('---', next) ? next : nextSeparator(text, next)
  }
  return [...pieces, piece]
}

function nextSeparator(text: string, from: number): number {
  const found = text.indexOf('\n---', from)
  return found === -1 ? -1 : found + 1
}

function lineAfter(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found === -1 ? text.length : found + 1
}

/** Nothing but a comment may follow `---` on its line, and it cannot part JSON. */
function separatorProblem(text: string, line: number, isJson: boolean): TextProblem | undefined {
  SEPARATOR.lastIndex = line
  const isValid = SEPARATOR.test(text)
  if (isValid && !isJson) return undefined
  const reason = isValid
    ? 'kubectl before 1.33 reads nothing after "---" in a text that begins as JSON'
    : 'only a comment may follow "---"'
  const end = line + text.slice(line, lineAfter(text, line)).trimEnd().length
  return { code: 'syntax', reason, start: line, end }
}

/** In a text that began as JSON, what follows `---` is read as what it looks like. */
function formatAt(text: string, start: number, isJson: boolean): Piece['format'] {
  return isJson && /\s*\{/y.test(text.slice(start, start + 4096)) ? 'json' : 'yaml'
}

/** JSON objects follow each other without a separator; what stands between two belongs to the first. */
function splitJson(text: string, { problem, ...piece }: Piece): readonly Piece[] {
  if (piece.format !== 'json') return [{ ...piece, ...(problem && { problem }) }]
  const pieces: Piece[] = []
  for (let start = piece.start; start < piece.end; ) {
    const opening = text.indexOf('{', start)
    const next = text.indexOf('{', jsonEnd(text, opening, piece.end))
    const end = next === -1 || next > piece.end ? piece.end : next
    pieces.push({ ...piece, start, end, ...(problem && start === piece.start && { problem }) })
    start = end
  }
  return pieces
}
