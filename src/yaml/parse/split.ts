/** Splits a text into documents as kubectl does: by its lines, before any parser reads it. */

import type { Span } from '../scan.ts'
import { jsonEnd } from './json.ts'
import { syntax, type TextProblem } from './problem.ts'

/** One document of a text, not read yet. */
export type Piece = Span & {
  readonly format: 'yaml' | 'json'
  /** What is wrong with the line that separates it from the document before. */
  readonly problem?: TextProblem
}

/**
 * kubectl reads a text as JSON if its first character is a brace, which must be among its first 4096. One that begins as
 * a template does (`{{`, `{%`) is never JSON.
 */
const JSON_PREFIX = /^\uFEFF?(?:[^\S\uFEFF]|\u0085){0,4095}\{(?![{%])/

/** Whether kubectl reads a text as JSON. */
export const isJsonText = (text: string): boolean => JSON_PREFIX.test(text)

/** Splits a text into its documents; with `isYaml`, as kustomize does, for which JSON is YAML. */
export function splitDocuments(text: string, isYaml = false): readonly Piece[] {
  const isJson = !isYaml && isJsonText(text)
  const pieces = separate(text, isJson)
  return isJson ? pieces.flatMap((piece) => splitJson(text, piece)) : pieces
}

const SEPARATOR = /---(?:[^\S\n\uFEFF]|\u0085)*(?:#[^\n]*)?(?=\n|$)/y

/** Splits at the lines that begin with `---`. One at the start of the text belongs to the first document. */
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

/** Only a comment may follow `---` on its line, and it does not separate JSON. */
function separatorProblem(text: string, line: number, isJson: boolean): TextProblem | undefined {
  SEPARATOR.lastIndex = line
  const isValid = SEPARATOR.test(text)
  if (isValid && !isJson) return undefined
  const mistake = isValid
    ? syntax('json-separator', 'kubectl before 1.33 ignores what follows "---" in a file that begins with JSON')
    : syntax(/\s/.test(text.charAt(line + 3)) ? 'separator' : 'dashes', 'only a comment may follow "---"')
  const end = line + text.slice(line, lineAfter(text, line)).trimEnd().length
  return { ...mistake, start: line, end }
}

/** In a text that begins with JSON, a document after `---` may be JSON or YAML. */
function formatAt(text: string, start: number, isJson: boolean): Piece['format'] {
  return isJson && /\s*\{(?![{%])/y.test(text.slice(start, start + 4096)) ? 'json' : 'yaml'
}

/** JSON objects follow each other without a separator; what is between two belongs to the first. */
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
