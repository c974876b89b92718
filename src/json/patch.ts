/** JSON Patch (RFC 6902), as far as rules need it for their fixes. */
import { pointerTokens, tokenIndex } from './pointer.ts'

/** One operation on an object. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** A patched value, in an object of its own because the value may be undefined. */
type Patched = { readonly value: unknown }

/** Applies operations to a copy of a value; undefined where one of them does not apply. */
export function applyPatch(value: unknown, operations: readonly PatchOperation[]): Patched | undefined {
  let patched: Patched | undefined = { value }
  for (const operation of operations)
    patched = patched && applyAt(patched.value, pointerTokens(operation.path), operation)
  return patched
}

function applyAt(value: unknown, [token, ...rest]: readonly string[], operation: PatchOperation): Patched | undefined {
  if (token === undefined) return operation.op === 'remove' ? undefined : { value: operation.value }
  if (Array.isArray(value)) return applyInList(value, { token, rest }, operation)
  return typeof value === 'object' && value !== null ? applyInObject(value, { token, rest }, operation) : undefined
}

/** The next token of a path, and those after it. */
type Path = { readonly token: string; readonly rest: readonly string[] }

function applyInObject(object: object, { token, rest }: Path, operation: PatchOperation): Patched | undefined {
  const own: Readonly<Record<string, unknown>> = { ...object }
  const isPresent = Object.hasOwn(own, token)
  if (!isPresent && (rest.length > 0 || operation.op !== 'add')) return undefined
  if (rest.length === 0 && operation.op === 'remove')
    return { value: Object.fromEntries(Object.entries(own).filter(([name]) => name !== token)) }
  const patched = applyAt(own[token], rest, operation)
  return patched && { value: { ...own, [token]: patched.value } }
}

function applyInList(list: readonly unknown[], { token, rest }: Path, operation: PatchOperation): Patched | undefined {
  const isLast = rest.length === 0
  const isAdded = isLast && operation.op === 'add'
  const index = isAdded && token === '-' ? list.length : tokenIndex(token)
  if (index === undefined || index >= list.length + (isAdded ? 1 : 0)) return undefined
  if (isLast && operation.op === 'remove') return { value: list.toSpliced(index, 1) }
  const patched = applyAt(list[index], rest, operation)
  return patched && { value: isAdded ? list.toSpliced(index, 0, patched.value) : list.with(index, patched.value) }
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
