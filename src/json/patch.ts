/** JSON Patch (RFC 6902), as far as rules need it for their fixes. */
import { setMember } from './member.ts'
import { pointerTokens, tokenIndex } from './pointer.ts'

/** One operation on an object. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** A patched value, in an object of its own because the value may be undefined. */
type Patched = { readonly value: unknown }

/** Objects and arrays that have been copied already, and may be changed. */
type Copies = Set<object>

/**
 * Applies operations to a value, which stays as it is; undefined where one of them does not apply. An object or array
 * is copied once, however many operations change something in it.
 */
export function applyPatch(value: unknown, operations: readonly PatchOperation[]): Patched | undefined {
  const copies: Copies = new Set()
  let patched: Patched | undefined = { value }
  for (const operation of operations)
    patched = patched && applyAt(patched.value, pointerTokens(operation.path), { operation, copies })
  return patched
}

type PatchStep = { readonly operation: PatchOperation; readonly copies: Copies }

function applyAt(value: unknown, [token, ...rest]: readonly string[], change: PatchStep): Patched | undefined {
  const { operation } = change
  if (token === undefined) return operation.op === 'remove' ? undefined : { value: operation.value }
  if (Array.isArray(value)) return applyInList(value, { token, rest }, change)
  return isRecord(value) ? applyInObject(value, { token, rest }, change) : undefined
}

/** The next token of a path, and those after it. */
type Path = { readonly token: string; readonly rest: readonly string[] }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function applyInObject(object: Record<string, unknown>, { token, rest }: Path, change: PatchStep): Patched | undefined {
  const { operation, copies } = change
  if (!Object.hasOwn(object, token) && (rest.length > 0 || operation.op !== 'add')) return undefined
  const copy = copies.has(object) ? object : remember(copies, { ...object })
  if (rest.length === 0 && operation.op === 'remove') {
    delete copy[token]
    return { value: copy }
  }
  const patched = applyAt(copy[token], rest, change)
  if (patched) setMember(copy, token, patched.value)
  return patched && { value: copy }
}

function applyInList(list: unknown[], { token, rest }: Path, change: PatchStep): Patched | undefined {
  const { operation, copies } = change
  const isLast = rest.length === 0
  const isAdded = isLast && operation.op === 'add'
  const index = isAdded && token === '-' ? list.length : tokenIndex(token)
  if (index === undefined || index >= list.length + (isAdded ? 1 : 0)) return undefined
  const copy = copies.has(list) ? list : remember(copies, [...list])
  if (isLast && operation.op === 'remove') {
    copy.splice(index, 1)
    return { value: copy }
  }
  const patched = applyAt(copy[index], rest, change)
  if (patched) copy.splice(index, isAdded ? 0 : 1, patched.value)
  return patched && { value: copy }
}

function remember<Container extends object>(copies: Copies, copy: Container): Container {
  copies.add(copy)
  return copy
}

/** Whether two values are the same as JSON; the order of members does not matter. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isSameValue(Reflect.get(a, name), Reflect.get(b, name)))
}
