/** What several places of a document mean at once, through an anchor. */

import type { ContentNode, TextNode } from '../parse/node.ts'
import type { TextEdit } from './edit.ts'
import { lineEnd } from './layout.ts'

/** Tells whether an edit may change what an alias stands for. It may also say so of one that stands right behind. */
export function sharedContent(text: string, root: TextNode): (edit: TextEdit) => boolean {
  const targets = new Set<ContentNode>()
  collect(root, targets)
  const spans = [...targets].map(({ kind, start, end }) => ({
    start,
    // A new member stands behind the last line.
    end: kind === 'scalar' ? end : lineEnd(text, end) + 1,
  }))
  return (edit) => spans.some(({ start, end }) => edit.start < end && edit.end >= start)
}

function collect(node: TextNode, targets: Set<ContentNode>): void {
  if (node.kind === 'alias' && node.target) targets.add(node.target)
  if (node.kind === 'sequence') for (const item of node.items) collect(item, targets)
  if (node.kind !== 'mapping') return
  for (const { key, value } of node.members) {
    collect(key, targets)
    collect(value, targets)
  }
}
