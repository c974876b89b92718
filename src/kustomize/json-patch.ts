/** JSON patches (RFC 6902) as kustomize applies them. Source: kustomize, api/filters/patchjson6902; evanphx/json-patch v4. */
import { isObject } from '../json/member.ts'
import { isSameValue } from '../json/patch.ts'
import { pointerTokens } from '../json/pointer.ts'
import { rejectLargeCopy, rejectLongPath } from './bounds.ts'
import { BuildFailure, refused } from './failure.ts'
import { draftList, draftObject, isList, itemAt, memberOf, type Place, stringAt, type Traced } from './traced.ts'

/** Applies the operations of a patch. Throws {@link BuildFailure} where one does not apply. */
export function applyJsonPatch(root: Traced, operations: readonly Traced[]): Traced {
  const drafts: Drafts = { objects: new Map(), lists: new Map() }
  let patched = root
  for (const operation of operations) patched = applyOperation(patched, operation, drafts)
  return patched
}

/** What the patch has copied already, and may change in place. */
type Drafts = {
  readonly objects: Map<Traced, ReturnType<typeof draftObject>>
  readonly lists: Map<Traced, ReturnType<typeof draftList>>
}

function objectDraft({ objects }: Drafts, object: Traced): ReturnType<typeof draftObject> {
  const draft = objects.get(object) ?? draftObject(object)
  objects.set(draft.traced, draft)
  return draft
}

function listDraft({ lists }: Drafts, list: Traced): ReturnType<typeof draftList> {
  const draft = lists.get(list) ?? draftList(list)
  lists.set(draft.traced, draft)
  return draft
}

type Step = {
  readonly operation: Traced
  readonly op: string
  readonly value: Traced | undefined
  readonly drafts: Drafts
}

function applyOperation(root: Traced, operation: Traced, drafts: Drafts): Traced {
  const op = stringAt(operation, 'op') ?? ''
  const path = tokensAt(operation, 'path')
  const value = memberOf(operation, 'value')
  rejectLongPath(path, operation.at.part.source.file)
  switch (op) {
    case 'add':
    case 'remove':
    case 'replace':
      return change(root, path, { operation, op, value, drafts })
    case 'test': {
      const found = find(root, path)
      if (isSameValue(found?.value ?? null, value?.value ?? null)) return root
      throw fails({ operation, op })
    }
    case 'copy':
    case 'move': {
      const from = tokensAt(operation, 'from')
      const moved = find(root, from) ?? (op === 'copy' ? nullIn(root, from, operation) : undefined)
      if (!moved) throw fails({ operation, op }, 'from')
      rejectLargeCopy(moved.value, path, operation.at.part.source.file)
      // What stands in two places must not change in both.
      drafts.objects.clear()
      drafts.lists.clear()
      const rest = op === 'move' ? change(root, from, { operation, op: 'remove', value: undefined, drafts }) : root
      return change(rest, path, { operation, op: 'add', value: moved, drafts })
    }
    default:
      throw refused('operation', placeIn(operation, 'op'), `unknown operation "${op}" in a JSON patch`)
  }
}

function tokensAt(operation: Traced, name: string): readonly string[] {
  const path = stringAt(operation, name)
  const [first, ...rest] = path?.split('/') ?? []
  // What stands before the first slash is passed over.
  if (first !== undefined && rest.length > 0) return pointerTokens(`/${rest.join('/')}`)
  const reason = `a JSON patch needs a ${name} that begins with "/"`
  if (path === '') throw new BuildFailure(operation.at.part.source.file, reason)
  throw refused('operation', placeIn(operation, name), reason)
}

const placeIn = (operation: Traced, name: string): Place => (memberOf(operation, name) ?? operation).at

const fails = ({ operation, op }: Pick<Step, 'operation' | 'op'>, member: 'path' | 'from' = 'path'): BuildFailure =>
  refused(
    'operation',
    placeIn(operation, member),
    `the operation "${op}" at ${stringAt(operation, member)} does not apply`,
  )

/** What this library copies where an object has no such member. */
function nullIn(root: Traced, path: readonly string[], { at }: Traced): Traced | undefined {
  return isObject(find(root, path.slice(0, -1))?.value ?? null) ? { value: null, at } : undefined
}

function find(root: Traced, tokens: readonly string[]): Traced | undefined {
  let at: Traced | undefined = root
  for (const token of tokens) at = at && childOf(at, token)
  return at
}

const childOf = (parent: Traced, token: string): Traced | undefined =>
  isList(parent.value) ? itemAt(parent, indexOf(token, parent.value.length) ?? -1) : memberOf(parent, token)

/** An index; one below zero counts from the end. */
function indexOf(token: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(token)) return undefined
  const index = Number(token)
  return index < 0 ? index + length : index
}

function change(parent: Traced, [token = '', ...rest]: readonly string[], step: Step): Traced {
  const isLast = rest.length === 0
  if (isList(parent.value)) return isLast ? changeItem(parent, token, step) : changeWithin(parent, token, rest, step)
  if (!isObject(parent.value)) throw fails(step)
  if (!isLast) return changeWithin(parent, token, rest, step)
  // This library lets "replace" set a member that is not there.
  if (step.op === 'remove' && !Object.hasOwn(parent.value, token)) throw fails(step)
  const draft = objectDraft(step.drafts, parent)
  if (step.op === 'remove') draft.remove(token)
  else draft.set(token, operandOf(step))
  return draft.traced
}

function changeWithin(parent: Traced, token: string, rest: readonly string[], step: Step): Traced {
  const child = childOf(parent, token)
  if (!child || child.value === null) throw fails(step)
  const changed = change(child, rest, step)
  if (!isList(parent.value)) {
    const draft = objectDraft(step.drafts, parent)
    draft.set(token, changed)
    return draft.traced
  }
  const draft = listDraft(step.drafts, parent)
  draft.set(indexOf(token, parent.value.length) ?? 0, changed)
  return draft.traced
}

function changeItem(list: Traced, token: string, step: Step): Traced {
  const length = isList(list.value) ? list.value.length : 0
  const isAdded = step.op === 'add'
  const last = length - (isAdded ? 0 : 1)
  const index = isAdded && token === '-' ? length : indexOf(token, length + (isAdded ? 1 : 0))
  if (index === undefined || index < 0 || index > last) throw fails(step)
  const draft = listDraft(step.drafts, list)
  if (isAdded) draft.insert(index, operandOf(step))
  else if (step.op === 'remove') draft.remove(index)
  else draft.set(index, operandOf(step))
  return draft.traced
}

const operandOf = ({ value, operation }: Step): Traced => value ?? { value: null, at: operation.at }
