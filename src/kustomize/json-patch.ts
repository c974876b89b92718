/** JSON patches (RFC 6902) as kustomize applies them. Source: kustomize, api/filters/patchjson6902; evanphx/json-patch v4. */
import { isObject } from '../json/member.ts'
import { isSameValue } from '../json/patch.ts'
import { pointerTokens } from '../json/pointer.ts'
import { BuildFailure } from './failure.ts'
import { isList, itemsOf, memberOf, stringAt, type Traced, withItems, withMember, withoutMember } from './traced.ts'

/** Applies the operations of a patch. Throws {@link BuildFailure} where one does not apply. */
export function applyJsonPatch(root: Traced, operations: readonly Traced[]): Traced {
  let patched = root
  for (const operation of operations) patched = applyOperation(patched, operation)
  return patched
}

type Step = { readonly operation: Traced; readonly op: string; readonly value: Traced | undefined }

function applyOperation(root: Traced, operation: Traced): Traced {
  const op = stringAt(operation, 'op') ?? ''
  const path = tokensAt(operation, 'path')
  const value = memberOf(operation, 'value')
  switch (op) {
    case 'add':
    case 'remove':
    case 'replace':
      return change(root, path, { operation, op, value })
    case 'test': {
      const found = find(root, path)
      if (isSameValue(found?.value ?? null, value?.value ?? null)) return root
      throw fails({ operation, op })
    }
    case 'copy':
    case 'move': {
      const from = tokensAt(operation, 'from')
      const moved = find(root, from)
      if (!moved) throw fails({ operation, op })
      const rest = op === 'move' ? change(root, from, { operation, op: 'remove', value: undefined }) : root
      return change(rest, path, { operation, op: 'add', value: moved })
    }
    default:
      throw new BuildFailure(operation.at.part.source.file, `unknown operation "${op}" in a JSON patch`)
  }
}

function tokensAt(operation: Traced, name: string): readonly string[] {
  const path = stringAt(operation, name)
  if (path?.startsWith('/')) return pointerTokens(path)
  throw new BuildFailure(operation.at.part.source.file, `a JSON patch needs a ${name} that begins with "/"`)
}

const fails = ({ operation, op }: Pick<Step, 'operation' | 'op'>): BuildFailure =>
  new BuildFailure(
    operation.at.part.source.file,
    `the operation "${op}" at ${stringAt(operation, 'path')} does not apply`,
  )

function find(root: Traced, tokens: readonly string[]): Traced | undefined {
  let at: Traced | undefined = root
  for (const token of tokens) at = at && childOf(at, token)
  return at
}

const childOf = (parent: Traced, token: string): Traced | undefined =>
  isList(parent.value) ? itemsOf(parent)?.[indexOf(token, parent.value.length) ?? -1] : memberOf(parent, token)

/** An index; one below zero counts from the end. */
function indexOf(token: string, length: number): number | undefined {
  if (!/^-?\d+$/.test(token)) return undefined
  const index = Number(token)
  return index < 0 ? index + length : index
}

function change(parent: Traced, [token = '', ...rest]: readonly string[], step: Step): Traced {
  const isLast = rest.length === 0
  if (isList(parent.value)) return isLast ? changeItem(parent, token, step) : changeWithin(parent, token, rest, step)
  if (!isObject(parent.value)) throw fails(step)
  if (!isLast) return changeWithin(parent, token, rest, step)
  // This library lets "replace" set a member that is not there.
  if (step.op !== 'remove') return withMember(parent, token, operandOf(step))
  if (!Object.hasOwn(parent.value, token)) throw fails(step)
  return withoutMember(parent, token)
}

function changeWithin(parent: Traced, token: string, rest: readonly string[], step: Step): Traced {
  const child = childOf(parent, token)
  if (!child || child.value === null) throw fails(step)
  const changed = change(child, rest, step)
  const items = itemsOf(parent)
  if (!items) return withMember(parent, token, changed)
  return withItems(parent, items.with(indexOf(token, items.length) ?? 0, changed))
}

function changeItem(list: Traced, token: string, step: Step): Traced {
  const items = itemsOf(list) ?? []
  const isAdded = step.op === 'add'
  const last = items.length - (isAdded ? 0 : 1)
  const index = isAdded && token === '-' ? items.length : indexOf(token, items.length + (isAdded ? 1 : 0))
  if (index === undefined || index < 0 || index > last) throw fails(step)
  if (isAdded) return withItems(list, items.toSpliced(index, 0, operandOf(step)))
  return withItems(list, step.op === 'remove' ? items.toSpliced(index, 1) : items.with(index, operandOf(step)))
}

const operandOf = ({ value, operation }: Step): Traced => value ?? { value: null, at: operation.at }
