/** The comments of a text. */
import type { TextNode } from './parse/node.ts'
import { splitDocuments } from './parse/split.ts'
import { parseYaml } from './parse/yaml.ts'
import { isSpace, lineEnd, type Span } from './scan.ts'

/** The comments of one document; its offsets are those of the document. */
type DocumentComments = Span & {
  /** From the `#` to the end of the line. Empty where the document cannot be read: a `#` may then belong to a value. */
  readonly comments: readonly Span[]
}

/** Reads the comments of the documents of a text. Empty for documents that do not contain `mention` and for JSON. */
export function readComments(text: string, mention: string): readonly DocumentComments[] {
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
    else if (at === start || isSpace(text.charCodeAt(at - 1))) {
      from = lineEnd(text, at, end)
      comments.push({ start: at, end: from })
    }
    at = text.indexOf('#', from)
  }
  return comments
}

/** The scalars of a tree, in the order of the text. */
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

/** The text of a block scalar begins on the line after its `|`, which a comment may follow. */
function withoutHeader(text: string, { start, end }: Span): Span {
  const isBlock = start < end && '|>'.includes(text.charAt(start))
  return isBlock ? { start: lineEnd(text, start, end), end } : { start, end }
}
