/** The comments of a text: what begins with `#` and belongs to no value. */
import type { Span, TextNode } from './parse/node.ts'
import { splitDocuments } from './parse/split.ts'
import { isBlank, isBreak } from './parse/tokens.ts'
import { parseYaml } from './parse/yaml.ts'

/** A document of a text, with its comments. */
export type Commented = Span & {
  /** From the `#` to the end of the line; none where the document cannot be read, as nobody can tell them from values. */
  readonly comments: readonly Span[]
}

/** Reads the comments of every document of a text; of those without `mention` none. JSON has none. */
export function readComments(text: string, mention: string): readonly Commented[] {
  return splitDocuments(text).map(({ start, end, format }) => {
    const isRead = format === 'yaml' && text.slice(start, end).includes(mention)
    return { start, end, comments: isRead ? commentsIn(text, start, end) : [] }
  })
}

function commentsIn(text: string, start: number, end: number): readonly Span[] {
  const { root, problems } = parseYaml(text, start, end)
  if (root === undefined && problems.length > 0) return []
  const values = root ? scalarsOf(text, root) : []
  const comments: Span[] = []
  let next = 0
  for (let at = text.indexOf('#', start); at !== -1 && at < end; ) {
    while ((values[next]?.end ?? end) <= at) next++
    const value = values[next]
    let from = at + 1
    if (value && value.start <= at) from = value.end
    else if (at === start || isBlank(text.charCodeAt(at - 1))) {
      from = lineEnd(text, at, end)
      comments.push({ start: at, end: from })
    }
    at = text.indexOf('#', from)
  }
  return comments
}

function lineEnd(text: string, from: number, end: number): number {
  let at = from
  while (at < end && !isBreak(text.charCodeAt(at))) at++
  return at
}

/** Where the scalars of a tree stand, in the order of the text. */
function scalarsOf(text: string, root: TextNode): readonly Span[] {
  const spans: Span[] = []
  const visit = (node: TextNode): void => {
    if (node.kind === 'scalar') spans.push(withoutHeader(text, node))
    else if (node.kind === 'sequence') node.items.forEach(visit)
    else if (node.kind === 'mapping')
      for (const { key, value } of node.members) {
        visit(key)
        visit(value)
      }
  }
  visit(root)
  return spans
}

/** A comment may stand behind the `|` of a block scalar, whose own text begins on the next line. */
function withoutHeader(text: string, { start, end }: Span): Span {
  const isBlock = start < end && '|>'.includes(text.charAt(start))
  return isBlock ? { start: Math.min(lineEnd(text, start, end), end), end } : { start, end }
}
