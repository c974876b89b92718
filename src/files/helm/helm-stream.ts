/** What `helm template` prints, taken apart by the templates that it was made of. */

/** The text that was made of one template. */
export type Part = { readonly file: string; readonly text: string }

/** What stands above every document that Helm prints. */
const HEADING = /^---[^\S\n]*\r?\n# Source: (.+?)[^\S\n]*(?:\n|$)/

/** A path within a chart, which begins with the chart's name: nothing that leads elsewhere, or moves a cursor. */
const IS_TEMPLATE = /^(?!\.)[^\s/\\:\p{Cc}]+(?:\/(?!\.\.?(?:\/|$))[^/\\\p{Cc}]+)+$/u

/**
 * Takes a stream apart by its `# Source:` comments. The text of a template is what `helm template --show-only` prints,
 * so lines count in that. Documents without such a comment keep the stream's name and its lines. Empty where there is
 * no such comment.
 */
export function partByTemplate(stream: string, name: string): readonly Part[] {
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

/** Keeps the lines of what follows where they are. */
const emptyLines = (piece: string): string => piece.replace(/[^\n]+/g, '')
