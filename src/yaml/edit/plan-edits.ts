/** Plans how one operation on a document's value edits its text, without a look at what else the edits change. */

import type { PatchOperation } from '../../json/patch.ts'
import { parentPointer, pointerTokens, tokenIndex } from '../../json/pointer.ts'
import { endOf } from '../../text/trim.ts'
import { dereference, findMember, keyName, type MappingNode, type SequenceNode, type TextNode } from '../parse/node.ts'
import { lineEnd } from '../scan.ts'
import { addItem, addMember, type EditedDocument, removeItem, removeMember } from './collections.ts'
import type { EditPlan } from './edit.ts'
import { quoteAt, writeToken } from './write-token.ts'

/**
 * The plans for one operation, the preferred first; empty where the text has no place for it. A value behind an alias
 * or from a merge is changed where it is written; the alternative replaces the alias, or adds a member beside the merge.
 */
export function planOperation(document: EditedDocument, operation: PatchOperation): readonly EditPlan[] {
  const tokens = pointerTokens(operation.path)
  const parent = collectionAt(document.root, tokens.slice(0, -1))
  const token = tokens.at(-1)
  if (token === undefined || parent === undefined) return []
  const plans =
    parent.kind === 'mapping'
      ? planInMapping(document, parent, token, operation)
      : planInSequence(document, parent, token, operation)
  return plans.filter((plan) => plan !== undefined)
}

/** The collection at a path; undefined where there is none. */
function collectionAt(root: TextNode, tokens: readonly string[]): MappingNode | SequenceNode | undefined {
  let at: TextNode | undefined = root
  for (const token of tokens) {
    const node: TextNode | undefined = at && dereference(at)
    if (node?.kind === 'mapping') at = findMember(node, token)?.value
    else at = node?.kind === 'sequence' ? node.items[tokenIndex(token) ?? -1] : undefined
  }
  const node = at && dereference(at)
  return node?.kind === 'scalar' ? undefined : node
}

type Plans = readonly (EditPlan | undefined)[]

function planInMapping(document: EditedDocument, mapping: MappingNode, name: string, operation: PatchOperation): Plans {
  const own = mapping.members.findLast(({ key, merges }) => !merges && keyName(key) === name)
  if (operation.op === 'remove') return own ? [removeMember(document, mapping, own)] : []
  const order = document.orderOf(parentPointer(operation.path))
  const addition = () => addMember(document, mapping, { name, value: operation.value, order })
  const member = findMember(mapping, name)
  if (!member) return operation.op === 'add' ? [addition()] : []
  const replacements = planReplacement(document, { node: member.value, key: member.key }, operation.value)
  return member === own ? replacements : [...replacements.slice(0, 1), addition()]
}

function planInSequence(
  document: EditedDocument,
  sequence: SequenceNode,
  token: string,
  operation: PatchOperation,
): Plans {
  const { items } = sequence
  const index = token === '-' ? items.length : tokenIndex(token)
  if (index === undefined) return []
  if (operation.op === 'add') return [addItem(document, sequence, { index, value: operation.value })]
  const item = items[index]
  if (!item) return []
  return operation.op === 'remove'
    ? [removeItem(document, sequence, index)]
    : planReplacement(document, { node: item }, operation.value)
}

/** A value, and its key where it is that of a member. */
type KeyedNode = { readonly node: TextNode; readonly key?: TextNode | undefined }

function planReplacement(document: EditedDocument, keyed: KeyedNode, value: unknown): Plans {
  const { node } = keyed
  const ofAnchor = node.kind === 'alias' && node.target ? [replaceNode(document, { node: node.target }, value)] : []
  return [...ofAnchor, replaceNode(document, keyed, value)]
}

/** Replaces a node; undefined where it is a block of lines or contains comments. Tags and anchors stay. */
function replaceNode({ text, format }: EditedDocument, { node, key }: KeyedNode, value: unknown): EditPlan | undefined {
  const { start, end } = node
  const token = writeToken(value, { format, quote: quoteAt(text, start) })
  if (node.kind === 'mapping' || node.kind === 'sequence') {
    const mayHaveComment = format === 'yaml' && text.slice(start, end).includes('#')
    return node.isFlow && !mayHaveComment ? [{ start, end, text: token }] : undefined
  }
  if (start === end) return [{ start, end, text: `${lacksColon(text, { node, key }) ? ':' : ''} ${token}` }]
  return [{ start, end, text: token + headerComment(text, node) }]
}

/** A key within brackets may have no colon: `{a}`. */
const lacksColon = (text: string, { node, key }: KeyedNode): boolean =>
  key !== undefined && !text.slice(key.end, node.start).includes(':')

/** The comment after the `|` of a block scalar, which the replacement would remove. */
function headerComment(text: string, { start }: Pick<TextNode, 'start'>): string {
  if (text[start] !== '|' && text[start] !== '>') return ''
  const header = text.slice(start, lineEnd(text, start))
  const blank = header.search(/[ \t]#/)
  return blank < 0 ? '' : header.slice(endOf(header.slice(0, blank), ' \t'))
}
