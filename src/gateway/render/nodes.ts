/** Pieces of an nginx configuration as plain data, and their text. Source: nginx, syntax of the configuration file. */

/** A comment, a directive, a block of them, or an empty line. */
export type Node =
  | { readonly type: 'comment'; readonly text: string }
  /** Without its semicolon, written as it is. */
  | { readonly type: 'directive'; readonly text: string }
  | { readonly type: 'block'; readonly head: string; readonly body: readonly Node[] }
  | { readonly type: 'space' }

/** An empty line, where something stands before and behind it. */
export const SPACE: Node = { type: 'space' }
/** A comment; it is broken into lines when it is printed. */
export const comment = (text: string): Node => ({ type: 'comment', text })
/** A directive without its semicolon. */
export const directive = (text: string): Node => ({ type: 'directive', text })
/** A block: `head { body }`. */
export const block = (head: string, body: readonly Node[]): Node => ({ type: 'block', head, body })

/** What nginx reads as one parameter without quotes. */
const PLAIN = /^[\w./*~=@:+,-]+$/

/** A value as one parameter of a directive, whatever stands in it; where variables are expanded, `$` stays one. */
export const quoted = (text: string): string =>
  PLAIN.test(text) ? text : `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`

/** Columns of a line of comment. */
const WIDTH = 100

/** The text of nodes, each line with its end. */
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

/** A comment ends with its line, so nothing in it may begin another one. */
const visible = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')

function commentLines(text: string, indent: string): readonly string[] {
  const broken: string[] = []
  let line = `${indent}#`
  for (const word of visible(text).split(' ')) {
    if (line.length > indent.length + 1 && line.length + 1 + word.length > WIDTH) {
      broken.push(line)
      line = `${indent}#`
    }
    line += ` ${word}`
  }
  return [...broken, line]
}
