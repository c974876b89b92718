/** JSON Patch (RFC 6902), as far as rules mend with it. */
import { pointerTokens } from './pointer.ts'

/** One operation on an object. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** What a value becomes, in a place of its own as undefined may be asked for, too. */
type Made = { readonly value: unknown }

/** What operations make of a value, which stays as it is; undefined where one of them does not apply. */
export function patched(value: unknown, operations: readonly PatchOperation[]): Made | undefined {
  let made: Made | undefined = { value }
  for (const operation of operations) made = made && changed(made.value, pointerTokens(operation.path), operation)
  return made
}

function changed(value: unknown, [token, ...rest]: readonly string[], operation: PatchOperation): Made | undefined {
  if (token === undefined) return operation.op === 'remove' ? undefined : { value: operation.value }
  if (Array.isArray(value)) return changedList(value, { token, rest }, operation)
  return typeof value === 'object' && value !== null ? changedObject(value, { token, rest }, operation) : undefined
}

/** The next step of a path, and those behind it. */
type Path = { readonly token: string; readonly rest: readonly string[] }

function changedObject(object: object, { token, rest }: Path, operation: PatchOperation): Made | undefined {
  const own: Readonly<Record<string, unknown>> = { ...object }
  const isThere = Object.hasOwn(own, token)
  if (!isThere && (rest.length > 0 || operation.op !== 'add')) return undefined
  if (rest.length === 0 && operation.op === 'remove')
    return { value: Object.fromEntries(Object.entries(own).filter(([name]) => name !== token)) }
  const made = changed(own[token], rest, operation)
  return made && { value: { ...own, [token]: made.value } }
}

function changedList(list: readonly unknown[], { token, rest }: Path, operation: PatchOperation): Made | undefined {
  const isLast = rest.length === 0
  const isAdded = isLast && operation.op === 'add'
  const index = isAdded && token === '-' ? list.length : indexOf(token)
  if (index === undefined || index >= list.length + (isAdded ? 1 : 0)) return undefined
  if (isLast && operation.op === 'remove') return { value: list.toSpliced(index, 1) }
  const made = changed(list[index], rest, operation)
  return made && { value: isAdded ? list.toSpliced(index, 0, made.value) : list.with(index, made.value) }
}

/** The index that a token of a pointer means; undefined where it is none. */
export const indexOf = (token: string): number | undefined =>
  /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : undefined

/** Whether two values are the same as JSON. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isSameValue(Reflect.get(a, name), Reflect.get(b, name)))
}
