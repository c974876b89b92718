/** Replaces one value in a text. */

import type { TextNode } from '../parse/node.ts'
import type { EditPlan, Site } from './edit-site.ts'
import { lineEnd } from './layout.ts'
import { quoteOf, writeToken } from './write-token.ts'

/** A value, and the key before it where it has one. */
export type Held = { readonly node: TextNode; readonly key?: TextNode | undefined }

/**
 * Plans a new value in the place of a node; undefined where that is a block of lines or has comments within. Tags and
 * anchors stay.
 */
export function replaceNode({ text, format }: Site, { node, key }: Held, value: unknown): EditPlan | undefined {
  const { start, end } = node
  const token = writeToken(value, { format, quote: quoteOf(text, start) })
  if (node.kind === 'mapping' || node.kind === 'sequence') {
    const mayComment = format === 'yaml' && text.slice(start, end).includes('#')
    return node.isFlow && !mayComment ? [{ start, end, text: token }] : undefined
  }
  if (start === end) return [{ start, end, text: `${lacksColon(text, { node, key }) ? ':' : ''} ${token}` }]
  return [{ start, end, text: token + headComment(text, node) }]
}

/** A key within brackets may stand alone: `{a}`. */
const lacksColon = (text: string, { node, key }: Held): boolean =>
  key !== undefined && !text.slice(key.end, node.start).includes(':')

/** The comment behind the `|` of a block scalar, which would go with it. */
function headComment(text: string, { start }: Pick<TextNode, 'start'>): string {
  if (text[start] !== '|' && text[start] !== '>') return ''
  const comment = /[ \t]+#.*$/.exec(text.slice(start, lineEnd(text, start)))?.[0]
  return comment ?? ''
}
