/** Texts within texts: the content of a literal block (`|`), such as an inline patch, and the places of its characters. */
import type { Span } from './scan.ts'

/** Where the characters of a literal block stand in the text around it. */
export type InlineText = {
  /** The offset around it. Both ends of a line of the content are on the same line outside. */
  outside(offset: number): number
  /** The spaces before every line of the content. */
  readonly indent: string
}

/**
 * Finds the characters of a block's content. `block` is the span of the scalar in `text`, from its `|` on; undefined
 * where the scalar is written in another way, so that its content has no lines of its own in the text.
 */
export function inlineText(text: string, block: Span, content: string): InlineText | undefined {
  if (text.charAt(block.start) !== '|') return undefined
  const starts: { readonly inside: number; readonly outside: number }[] = []
  let indent: string | undefined
  let outside = text.indexOf('\n', block.start) + 1
  let inside = 0
  for (const line of content.split('\n')) {
    if (outside === 0) break
    const end = text.indexOf('\n', outside)
    const written = text.slice(outside, end === -1 ? undefined : end)
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
    indent: indent ?? '',
  }
}
