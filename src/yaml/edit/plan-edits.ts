/** Operations on a document's value to edits of its text. Nothing here knows what else an edit changes: `mend.ts` does. */

import { indexOf, type PatchOperation } from '../../json/patch.ts'
import { parentPointer, pointerTokens } from '../../json/pointer.ts'
import { dereference, findMember, keyName, type MappingNode, type SequenceNode, type TextNode } from '../parse/node.ts'
import { addItem, removeItem } from './edit-items.ts'
import { addMember, removeMember } from './edit-members.ts'
import { type Held, replaceNode } from './edit-node.ts'
import type { EditPlan, Site } from './edit-site.ts'

/**
 * The ways to do one operation, the preferred first; none where the text offers no place for it. What stands behind an
 * alias or comes by a merge is changed where it is written, or else the alias gives way and a member of its own stands
 * beside the merge.
 */
export function planOperation(site: Site, operation: PatchOperation): readonly EditPlan[] {
  const holder = nodeAt(site.root, pointerTokens(operation.path).slice(0, -1))
  const token = pointerTokens(operation.path).at(-1)
  if (token === undefined || holder === undefined) return []
  const plans =
    holder.kind === 'mapping' ? inMapping(site, holder, token, operation) : inSequence(site, holder, token, operation)
  return plans.filter((plan) => plan !== undefined)
}

/** The collection at a path; undefined where there is none. */
function nodeAt(root: TextNode, tokens: readonly string[]): MappingNode | SequenceNode | undefined {
  let at: TextNode | undefined = root
  for (const token of tokens) {
    const node: TextNode | undefined = at && dereference(at)
    if (node?.kind === 'mapping') at = findMember(node, token)?.value
    else at = node?.kind === 'sequence' ? node.items[indexOf(token) ?? -1] : undefined
  }
  const node = at && dereference(at)
  return node?.kind === 'scalar' ? undefined : node
}

type Plans = readonly (EditPlan | undefined)[]

function inMapping(site: Site, mapping: MappingNode, name: string, operation: PatchOperation): Plans {
  const own = mapping.members.findLast(({ key, merges }) => !merges && keyName(key) === name)
  if (operation.op === 'remove') return own ? [removeMember(site, mapping, own)] : []
  const order = site.orderOf(parentPointer(operation.path))
  const addition = () => addMember(site, mapping, { name, value: operation.value, order })
  const member = findMember(mapping, name)
  if (!member) return operation.op === 'add' ? [addition()] : []
  const replacements = replaced(site, { node: member.value, key: member.key }, operation.value)
  return member === own ? replacements : [...replacements.slice(0, 1), addition()]
}

function replaced(site: Site, held: Held, value: unknown): Plans {
  const { node } = held
  const shared = node.kind === 'alias' && node.target ? [replaceNode(site, { node: node.target }, value)] : []
  return [...shared, replaceNode(site, held, value)]
}

function inSequence(site: Site, sequence: SequenceNode, token: string, operation: PatchOperation): Plans {
  const { items } = sequence
  const index = token === '-' ? items.length : indexOf(token)
  if (index === undefined) return []
  if (operation.op === 'add') return [addItem(site, sequence, { index, value: operation.value })]
  const item = items[index]
  if (!item) return []
  return operation.op === 'remove'
    ? [removeItem(site, sequence, index)]
    : replaced(site, { node: item }, operation.value)
}
