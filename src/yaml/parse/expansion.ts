/** Bounds what aliases make of a document, with go-yaml's own measure. */
import type { TextNode } from './node.ts'

/** Levels of nesting that a document may have, aliases followed. */
export const MAX_DEPTH = 100

/** Why a document grows too large when its aliases are followed; undefined where it does not. */
export function excess(root: TextNode): string | undefined {
  const count: Count = { nodes: 1, aliased: 0, inAlias: 0, reason: undefined }
  visit(count, root, 1)
  return count.reason
}

type Count = { nodes: number; aliased: number; inAlias: number; reason: string | undefined }

/** Visits nodes in go-yaml's order and as often as it does, until one is too many. */
function visit(count: Count, node: TextNode, depth: number): void {
  if (count.reason !== undefined) return
  count.nodes++
  if (count.inAlias > 0) count.aliased++
  if (isExcessive(count)) count.reason = 'aliases make the document too large'
  else if (depth > MAX_DEPTH) count.reason = `nested deeper than ${MAX_DEPTH} levels`
  if (count.reason !== undefined) return
  if (node.kind === 'alias') {
    count.inAlias++
    if (node.target) visit(count, node.target, depth)
    count.inAlias--
    return
  }
  if (node.kind === 'sequence') for (const item of node.items) visit(count, item, depth + 1)
  if (node.kind !== 'mapping') return
  for (const { key, value } of node.members) {
    visit(count, key, depth + 1)
    visit(count, value, depth + 1)
  }
}

/** go-yaml lets 99 % of 400,000 nodes come from aliases, and ever less of more, down to 10 % of 4,000,000. */
function isExcessive({ nodes, aliased }: Count): boolean {
  if (aliased <= 100 || nodes <= 1000) return false
  const growth = Math.min(Math.max((nodes - 400_000) / 3_600_000, 0), 1)
  return aliased / nodes > 0.99 - 0.89 * growth
}
