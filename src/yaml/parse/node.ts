/** A document's text as a tree with places: what both parsers make, and what values and positions are read from. */

import type { TextProblem } from '../view.ts'
import type { Scalar } from './scalar.ts'

/**
 * UTF-16 offsets of a node's own characters within the file's text, end exclusive: quotes and brackets belong to it,
 * tags and anchors do not. A node that is written by nothing at all (`key:`) is empty: its start is its end.
 */
export type Span = { readonly start: number; readonly end: number }

/** A scalar: `name` is what it is called as a key; undefined where kubectl refuses it as one. */
export type ScalarNode = Span & {
  readonly kind: 'scalar'
  readonly value: Scalar
  readonly name: string | undefined
}

/** A list, in brackets (`isFlow`) or with dashes. */
export type SequenceNode = Span & {
  readonly kind: 'sequence'
  readonly isFlow: boolean
  readonly items: readonly TextNode[]
}

/** A mapping, in braces (`isFlow`) or without. */
export type MappingNode = Span & {
  readonly kind: 'mapping'
  readonly isFlow: boolean
  readonly members: readonly MemberNode[]
}

/** `*name`; the target is undefined where nothing has that name. */
export type AliasNode = Span & { readonly kind: 'alias'; readonly target: ContentNode | undefined }

export type ContentNode = ScalarNode | SequenceNode | MappingNode
export type TextNode = ContentNode | AliasNode

/** A member of a mapping; `merges` where its key is `<<`. */
export type MemberNode = { readonly key: TextNode; readonly value: TextNode; readonly merges: boolean }

/** The node that an alias stands for; any other node itself. */
export const dereference = (node: TextNode): ContentNode | undefined => (node.kind === 'alias' ? node.target : node)

/** What a member is called; undefined where its key is no name. */
export function keyName(key: TextNode): string | undefined {
  const node = dereference(key)
  return node?.kind === 'scalar' ? node.name : undefined
}

/** The mappings that a `<<` member merges, the first over the others; undefined where something else stands there. */
export function mergeSources(value: TextNode): readonly MappingNode[] | undefined {
  const nodes = value.kind === 'sequence' ? value.items : [value]
  const mappings = nodes.map(dereference).filter((node) => node?.kind === 'mapping')
  return mappings.length === nodes.length ? mappings : undefined
}

/** The member of a mapping that counts: the last of its name, where merged mappings stand in the place of their `<<`. */
export function findMember(mapping: MappingNode, name: string): MemberNode | undefined {
  for (const member of mapping.members.toReversed()) {
    if (!member.merges) {
      if (keyName(member.key) === name) return member
      continue
    }
    for (const source of mergeSources(member.value) ?? []) {
      const merged = findMember(source, name)
      if (merged) return merged
    }
  }
  return undefined
}

/** The first token of a node: a bracket, a dash or the first key of a collection, a whole scalar or alias. */
export function firstToken(node: TextNode): Span {
  if (node.kind === 'scalar' || node.kind === 'alias') return node
  const key = node.kind === 'mapping' && !node.isFlow ? node.members[0]?.key : undefined
  return key && key.end > key.start ? firstToken(key) : { start: node.start, end: node.start + 1 }
}

/** A document as its parser leaves it: no root where it says nothing or cannot be read. */
export type ParsedText = { readonly root: TextNode | undefined; readonly problems: readonly TextProblem[] }
