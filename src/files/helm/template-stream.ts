/** What `helm template` prints, split by the templates that it was rendered from. */

/** The text that one template was rendered to. */
export type RenderedTemplate = { readonly file: string; readonly text: string }

/** Helm prints this above every document. */
const HEADING = /^---[^\S\n]*\r?\n# Source: (.+?)[^\S\n]*(?:\n|$)/

/** A path within a chart, which begins with the chart's name. Must not lead elsewhere, or hold control characters. */
const IS_TEMPLATE = /^(?!\.)[^\s/\\:\p{Cc}]+(?:\/(?!\.\.?(?:\/|$))[^/\\\p{Cc}]+)+$/u

/**
 * Splits a stream by its `# Source:` comments. The text of a template is what `helm template --show-only` prints, so
 * lines count in that. Documents without such a comment keep the stream's name and their lines in it. Empty where no
 * document has such a comment.
 */
export function splitByTemplate(stream: string, name: string): readonly RenderedTemplate[] {
  const texts = new Map<string, string>()
  let rest = ''
  for (const piece of stream.split(/^(?=---)/m)) {
    const file = HEADING.exec(piece)?.[1] ?? ''
    const isNamed = IS_TEMPLATE.test(file)
    if (isNamed) texts.set(file, (texts.get(file) ?? '') + piece)
    rest += isNamed ? emptyLines(piece) : piece
  }
  if (texts.size === 0) return []
  const parts = [...texts].map(([file, text]) => ({ file, text }))
  return rest.trim() === '' ? parts : [...parts, { file: name, text: rest }]
}

/** As many line breaks as the piece has, so that what follows keeps its line numbers. */
const emptyLines = (piece: string): string => piece.replace(/[^\n]+/g, '')
