/** The text that the YAML parser gets: the document, changed where the parser rejects what kubectl accepts. */

import { type Event, parseEvents, YAMLException } from 'js-yaml'
import { endOf } from '../../text/trim.ts'
import { type ParserError, parserError } from './parser-error.ts'
import { MAX_DEPTH } from './problem.ts'

/** The text of a document for the parser; `toFile` converts its offsets to those of the file. */
export type ParserSource = {
  text: string
  /** The document as it is written. */
  readonly written: string
  /** Its offset in the file. */
  readonly base: number
  readonly insertions: Insertion[]
  readonly toFile: (offset: number) => number
}

/** Characters inserted before an offset of the document, in the order of the text. */
type Insertion = { readonly before: number; length: number }

/** Line breaks of go-yaml that YAML 1.2 does not have: next line, line separator, paragraph separator. */
export const OLD_BREAKS = /[\u0085\u2028\u2029]/g

/** Creates the source of a document that begins at offset `base` of its file. */
export function createSource(text: string, base: number): ParserSource {
  const insertions: Insertion[] = []
  return {
    text: parserText(text),
    written: text,
    base,
    insertions,
    toFile: (offset) => base + Math.min(insertions.length === 0 ? offset : original(insertions, offset), text.length),
  }
}

/**
 * The text with other characters where kubectl breaks lines otherwise: it drops a return before `\r\n`, and adds a line
 * feed at the end.
 */
const parserText = (text: string): string =>
  text
    .replace(/[ \t\u0085\u2028\u2029]$/, '$&\n')
    .replace(/\r(?=[\u0085\u2028\u2029])/g, '\n')
    .replace(OLD_BREAKS, '\n')
    .replace(/\r(?=\r\n)/g, ' ')

/** Bounds of parsing one document again after a repair: times, and characters in all. */
const MAX_TRIES = 1000
const MAX_CHARACTERS = 8 * 1024 * 1024

/** The parser's events, after repairing what it alone rejects; else why it rejects the text. */
export function readEvents(source: ParserSource): Event[] | ParserError {
  for (let tries = 1; ; tries++) {
    try {
      return parseEvents(source.text, { maxDepth: MAX_DEPTH })
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error
      const isLast = tries >= MAX_TRIES || tries * source.text.length > MAX_CHARACTERS
      const found = parserError(error)
      if (isLast || !repair(source, found)) return found
    }
  }
}

/** Spaces that an indentation gets more, so that few tries are needed. */
const STEP = 64

/**
 * Changes the text where the parser rejected it and kubectl would not: lines within brackets and quotes that are
 * indented too little or with tabs, the escape `\'`, a comment right behind what ends a value. False where kubectl
 * rejects it, too.
 */
function repair(source: ParserSource, { code, offset }: ParserError): boolean {
  const { text } = source
  if (code === 'escape' && text[offset] === "'" && text[offset - 1] === '\\') {
    insert(source, offset, 'x2')
    source.text = `${source.text.slice(0, offset + 2)}7${source.text.slice(offset + 3)}`
    return true
  }
  if (text[offset] === '#' && AFTER_TOKEN.test(text.slice(Math.max(0, offset - 4), offset))) {
    insert(source, offset, ' ')
    return true
  }
  if (code !== 'less-indentation') return false
  const line = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  const before = text.slice(line, offset)
  const tabbed = /["']/.test(before) ? endOf(before, ' \t') : 0
  const untabbed = before.slice(0, tabbed) + before.slice(tabbed).replaceAll('\t', ' ')
  if (untabbed !== before) source.text = text.slice(0, line) + untabbed + text.slice(offset)
  else insert(source, line, ' '.repeat(STEP))
  return true
}

/** What a comment may follow without a space: a closing quote or bracket, and the header of a block scalar. */
const AFTER_TOKEN = /(?:["'\]}]|[|>][-+\d]{0,2})$/

function insert(source: ParserSource, offset: number, text: string): void {
  const before = original(source.insertions, offset)
  source.text = source.text.slice(0, offset) + text + source.text.slice(offset)
  const last = source.insertions.at(-1)
  if (last?.before === before) last.length += text.length
  else source.insertions.push({ before, length: text.length })
}

function original(insertions: readonly Insertion[], offset: number): number {
  let shift = 0
  for (const { before, length } of insertions) {
    if (offset <= before + shift) break
    shift += Math.min(length, offset - before - shift)
  }
  return offset - shift
}
