/** JSON Patch (RFC 6902), as far as rules mend with it. */
import { setMember } from './construct.ts'
import { pointerTokens } from './pointer.ts'

/** One operation on an object. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** What a value becomes, in a place of its own as undefined may be asked for, too. */
type Made = { readonly value: unknown }

/**
 * What operations make of a value, which stays as it is; undefined where one of them does not apply. An object or a
 * list is copied once, however many operations lead through it.
 */
export function patched(value: unknown, operations: readonly PatchOperation[]): Made | undefined {
  const copies: Copies = new Set()
  let made: Made | undefined = { value }
  for (const operation of operations)
    made = made && changed(made.value, pointerTokens(operation.path), { operation, copies })
  return made
}

/** Objects and lists that were copied already, and may be changed. */
type Copies = Set<object>

type Change = { readonly operation: PatchOperation; readonly copies: Copies }

function changed(value: unknown, [token, ...rest]: readonly string[], change: Change): Made | undefined {
  const { operation } = change
  if (token === undefined) return operation.op === 'remove' ? undefined : { value: operation.value }
  if (Array.isArray(value)) return changedList(value, { token, rest }, change)
  return isMembers(value) ? changedObject(value, { token, rest }, change) : undefined
}

/** The next step of a path, and those behind it. */
type Path = { readonly token: string; readonly rest: readonly string[] }

type Members = Record<string, unknown>

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

function changedObject(object: Members, { token, rest }: Path, change: Change): Made | undefined {
  const { operation, copies } = change
  if (!Object.hasOwn(object, token) && (rest.length > 0 || operation.op !== 'add')) return undefined
  const copy = copies.has(object) ? object : remember(copies, { ...object })
  if (rest.length === 0 && operation.op === 'remove') {
    delete copy[token]
    return { value: copy }
  }
  const made = changed(copy[token], rest, change)
  if (made) setMember(copy, token, made.value)
  return made && { value: copy }
}

function changedList(list: unknown[], { token, rest }: Path, change: Change): Made | undefined {
  const { operation, copies } = change
  const isLast = rest.length === 0
  const isAdded = isLast && operation.op === 'add'
  const index = isAdded && token === '-' ? list.length : indexOf(token)
  if (index === undefined || index >= list.length + (isAdded ? 1 : 0)) return undefined
  const copy = copies.has(list) ? list : remember(copies, [...list])
  if (isLast && operation.op === 'remove') {
    copy.splice(index, 1)
    return { value: copy }
  }
  const made = changed(copy[index], rest, change)
  if (made) copy.splice(index, isAdded ? 0 : 1, made.value)
  return made && { value: copy }
}

function remember<Container extends object>(copies: Copies, copy: Container): Container {
  copies.add(copy)
  return copy
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
