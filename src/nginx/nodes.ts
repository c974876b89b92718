/** Parts of an nginx configuration as plain data, and their text. Source: nginx, syntax of the configuration file. */

/** A comment, a directive, a block of them, or an empty line. */
export type Node =
  | { readonly type: 'comment'; readonly text: string }
  /** Without the semicolon, printed as it is. */
  | { readonly type: 'directive'; readonly text: string }
  | { readonly type: 'block'; readonly head: string; readonly body: readonly Node[] }
  | { readonly type: 'space' }

/** An empty line; printed only between other nodes. */
export const SPACE: Node = { type: 'space' }
/** A comment; it is wrapped when it is printed. */
export const comment = (text: string): Node => ({ type: 'comment', text })
/** A directive without its semicolon. */
export const directive = (text: string): Node => ({ type: 'directive', text })
/** A block: `head { body }`. */
export const block = (head: string, body: readonly Node[]): Node => ({ type: 'block', head, body })

/** Values that nginx reads as one parameter without quotes. */
const PLAIN = /^[\w./*~=@:+,-]+$/

/** Any value as one parameter of a directive; `$` is not escaped, so nginx expands variables where it does in that directive. */
export const quoted = (text: string): string =>
  PLAIN.test(text) ? text : `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`

/** A regular expression that matches exactly a string, at its place. */
export const escapePattern = (text: string): string =>
  text.replace(/[\\^$.|?*+()[\]{}]/g, (character) => `\\${character}`)

/** Columns of a line of comment. */
const WIDTH = 100

/** The text of nodes; every line ends with a newline. */
export function print(nodes: readonly Node[]): string {
  const lines: string[] = []
  printInto(lines, nodes, '')
  return `${lines.join('\n')}\n`
}

function printInto(lines: string[], nodes: readonly Node[], indent: string): void {
  for (const [index, node] of nodes.entries()) {
    if (node.type === 'space') {
      const isBetween = index > 0 && index < nodes.length - 1
      if (isBetween && lines.at(-1) !== '') lines.push('')
    } else if (node.type === 'directive') lines.push(`${indent}${node.text};`)
    else if (node.type === 'comment') lines.push(...commentLines(node.text, indent))
    else {
      lines.push(`${indent}${node.head} {`)
      printInto(lines, node.body, `${indent}    `)
      lines.push(`${indent}}`)
    }
  }
}

/** A line break in a comment would let the rest of it become directives. */
const visible = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')

function commentLines(text: string, indent: string): readonly string[] {
  const lines: string[] = []
  let line = `${indent}#`
  for (const word of visible(text).split(' ')) {
    if (line.length > indent.length + 1 && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = `${indent}#`
    }
    line += ` ${word}`
  }
  return [...lines, line]
}
