/** Equality of JSON values. */
import { isObject, type Json } from './member.ts'

/** True where two values are equal; the order of the members of an object does not count. */
export function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item: Json, index) => isSameValue(item, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name], b[name]))
  )
}

/** JSON that equal values have alike: the members of an object are in the order of their names. */
export const textOf = (value: Json | undefined): string =>
  JSON.stringify(value, (_, member: Json) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
