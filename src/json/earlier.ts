/** Where the parts of a document were in its earlier version: elements of lists are known by what they are, not by their place. */
import { isObject, type Json } from './member.ts'
import { escapeToken, pointerTokens, tokenIndex } from './pointer.ts'

/** The pointer of the same part in the earlier version; undefined for an element that is new there. */
export function earlierPointer(pointer: string, now: Json | undefined, before: Json | undefined): string | undefined {
  let earlier = ''
  let [value, old] = [now, before]
  for (const token of pointerTokens(pointer)) {
    const index = Array.isArray(value) ? tokenIndex(token) : undefined
    const place = index === undefined || !isElement(value, index) ? token : earlierIndex(value, old, index)
    if (place === undefined) return undefined
    earlier += `/${escapeToken(place)}`
    value = memberAt(value, token)
    old = memberAt(old, String(place))
  }
  return earlier
}

const isElement = (list: Json | undefined, index: number): list is Json[] => Array.isArray(list) && index < list.length

/**
 * The index that an element of a list had: that of an equal element, the first of several for the first, else its own
 * where no other element of the list has come from there.
 */
function earlierIndex(now: readonly Json[], before: Json | undefined, index: number): number | undefined {
  if (!Array.isArray(before)) return index
  const places = new Map<string, number[]>()
  for (const [place, item] of before.entries()) places.set(textOf(item), [...(places.get(textOf(item)) ?? []), place])
  const equal = now.map((item) => places.get(textOf(item))?.shift())
  const known = equal[index]
  if (known !== undefined) return known
  return index < before.length && !equal.includes(index) ? index : undefined
}

/** Equal values have equal texts: the order of the members of an object does not count. */
const textOf = (value: Json | undefined): string =>
  JSON.stringify(value, (_, member: Json) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )

function memberAt(value: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(token)]
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}
