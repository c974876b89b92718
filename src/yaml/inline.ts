/** Texts within texts: the content of a scalar, such as an inline patch, and the places of its characters. */
import type { Span } from './scan.ts'

/** Where the characters of a scalar's content stand in the text around it, and how new ones are written there. */
export type InlineText = {
  /** The offset around it. Both ends of a line of the content are on the same line outside. */
  outside(offset: number): number
  /** New content as it is written there; undefined where it cannot be. */
  write(content: string): string | undefined
}

/**
 * Finds the characters of a scalar's content: of a literal block (`|`), or of a scalar in quotes. `scalar` is its span
 * in `text`, from its `|` or quote on; undefined where it is written in another way.
 */
export function inlineText(text: string, scalar: Span, content: string): InlineText | undefined {
  const first = text.charAt(scalar.start)
  if (first === '|') return ofBlock(text, scalar, content)
  return first === '"' || first === "'" ? ofQuotes(text, scalar, content) : undefined
}

function ofBlock(text: string, block: Span, content: string): InlineText | undefined {
  const starts: { readonly inside: number; readonly outside: number }[] = []
  let indent: string | undefined
  let outside = text.indexOf('\n', block.start) + 1
  const lineBreak = text.charAt(outside - 2) === '\r' ? '\r\n' : '\n'
  let inside = 0
  for (const line of content.split('\n')) {
    if (outside === 0) break
    const end = text.indexOf('\n', outside)
    const written = text.slice(outside, end === -1 ? undefined : end).replace(/\r$/, '')
    const start = line === '' ? 0 : written.length - line.length
    if (line !== '' && (!written.endsWith(line) || written.slice(0, start).trim() !== '')) return undefined
    if (line !== '') indent ??= written.slice(0, start)
    starts.push({ inside, outside: outside + start })
    inside += line.length + 1
    outside = end + 1
  }
  return {
    outside(offset) {
      const line = starts.findLast((start) => start.inside <= offset)
      return line ? line.outside + offset - line.inside : block.start
    },
    write: (added) => added.replaceAll('\n', `${lineBreak}${indent ?? ''}`),
  }
}

function ofQuotes(text: string, scalar: Span, content: string): InlineText | undefined {
  const quote = text.charAt(scalar.start)
  const offsets: number[] = []
  let at = scalar.start + 1
  while (offsets.length < content.length) {
    const token = tokenAt(text, at, quote)
    if (!token || !content.startsWith(token.content, offsets.length)) return undefined
    for (let index = 0; index < token.content.length; index++) offsets.push(at)
    at += token.length
  }
  if (text.charAt(at) !== quote) return undefined
  return {
    outside: (offset) => offsets[offset] ?? at,
    write: (added) => (quote === '"' ? JSON.stringify(added).slice(1, -1) : inSingleQuotes(added)),
  }
}

/** A line break in single quotes would become a space. */
const inSingleQuotes = (added: string): string | undefined =>
  added.includes('\n') ? undefined : added.replaceAll("'", "''")

/** Line breaks with the blanks around them: one is a space, each further one a line break. */
const FOLD = /[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/y

/** A line that goes on below. */
const CONTINUATION = /\\\r?\n[ \t]*/y

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', ' ': ' ', '"': '"', '\\': '\\', '/': '/' }

type Token = { readonly content: string; readonly length: number }

/** What stands at an offset of a quoted scalar; undefined for an escape that is not known here. */
function tokenAt(text: string, at: number, quote: string): Token | undefined {
  FOLD.lastIndex = at
  const fold = FOLD.exec(text)?.[0]
  if (fold !== undefined) {
    const breaks = fold.split('\n').length - 1
    return { content: breaks === 1 ? ' ' : '\n'.repeat(breaks - 1), length: fold.length }
  }
  const char = text.charAt(at)
  if (quote === '"' && char === '\\') {
    CONTINUATION.lastIndex = at
    const continuation = CONTINUATION.exec(text)?.[0]
    if (continuation !== undefined) return { content: '', length: continuation.length }
    const content = ESCAPES[text.charAt(at + 1)]
    return content === undefined ? undefined : { content, length: 2 }
  }
  if (char === quote) return quote === "'" && text.charAt(at + 1) === quote ? { content: quote, length: 2 } : undefined
  return { content: char, length: 1 }
}
