/**
 * The tree of a document's text. Both parsers make it; values, positions and edits follow from it.
 *
 * The span of a node is that of its own characters in the file's text: quotes and brackets belong to it, tags and
 * anchors do not. A value that is not written (`key:`) has an empty span.
 */

import type { Span } from '../scan.ts'
import type { TextProblem } from './problem.ts'
import type { Scalar } from './scalar.ts'

/** A scalar; `name` is the name of a member whose key it is, undefined where kubectl rejects it as a key. */
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

/** `*name`; the target is undefined where no anchor has that name. */
export type AliasNode = Span & { readonly kind: 'alias'; readonly target: ContentNode | undefined }

/** A node with content of its own. */
export type ContentNode = ScalarNode | SequenceNode | MappingNode

/** Any node of a tree. */
export type TextNode = ContentNode | AliasNode

/** A member of a mapping; `merges` where its key is `<<`. */
export type MemberNode = { readonly key: TextNode; readonly value: TextNode; readonly merges: boolean }

/** The node that an alias stands for; any other node itself. */
export const dereference = (node: TextNode): ContentNode | undefined => (node.kind === 'alias' ? node.target : node)

/** The name of a member; undefined where its key cannot be one. */
export function keyName(key: TextNode): string | undefined {
  const node = dereference(key)
  return node?.kind === 'scalar' ? node.name : undefined
}

/** The mappings that a `<<` member merges, the first overriding the others; undefined where it merges anything else. */
export function mergeSources(value: TextNode): readonly MappingNode[] | undefined {
  const nodes = value.kind === 'sequence' ? value.items : [value]
  const mappings = nodes.map(dereference).filter((node) => node?.kind === 'mapping')
  return mappings.length === nodes.length ? mappings : undefined
}

/** The effective member of a name: the last one, where merged mappings take the place of their `<<`. */
export function findMember(mapping: MappingNode, name: string): MemberNode | undefined {
  const { members } = mapping
  if (members.length > MANY_MEMBERS) return findIndexed(mapping, name)
  for (const member of members.toReversed()) {
    const found = member.merges ? findMerged(member, name) : keyName(member.key) === name ? member : undefined
    if (found) return found
  }
  return undefined
}

function findMerged(member: MemberNode, name: string): MemberNode | undefined {
  for (const source of mergeSources(member.value) ?? []) {
    const found = findMember(source, name)
    if (found) return found
  }
  return undefined
}

/** From so many members on, names are looked up in an index. */
const MANY_MEMBERS = 32

/** The positions of members: of the last one of each name, and of those that merge. */
type MemberIndex = { readonly own: ReadonlyMap<string | undefined, number>; readonly merges: readonly number[] }

const indexes = new WeakMap<MappingNode, MemberIndex>()

function indexOf(mapping: MappingNode): MemberIndex {
  const known = indexes.get(mapping)
  if (known) return known
  const own = new Map<string | undefined, number>()
  const merges: number[] = []
  for (const [position, { key, merges: isMerge }] of mapping.members.entries())
    if (isMerge) merges.push(position)
    else own.set(keyName(key), position)
  const index = { own, merges }
  indexes.set(mapping, index)
  return index
}

function findIndexed(mapping: MappingNode, name: string): MemberNode | undefined {
  const { own, merges } = indexOf(mapping)
  const position = own.get(name) ?? -1
  for (const later of merges.filter((merge) => merge > position).toReversed()) {
    const member = mapping.members[later]
    const found = member && findMerged(member, name)
    if (found) return found
  }
  return mapping.members[position]
}

/** The first token of a node: a bracket, a dash or the first key of a collection, a whole scalar or alias. */
export function firstToken(node: TextNode): Span {
  if (node.kind === 'scalar' || node.kind === 'alias') return node
  const key = node.kind === 'mapping' && !node.isFlow ? node.members[0]?.key : undefined
  return key && key.end > key.start ? firstToken(key) : { start: node.start, end: node.start + 1 }
}

/** A parsed document; the root is undefined where it is empty or cannot be read. */
export type ParsedText = { readonly root: TextNode | undefined; readonly problems: readonly TextProblem[] }
