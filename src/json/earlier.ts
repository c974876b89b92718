/** Where the parts of a document were in its earlier version: elements of lists are known by what they are, not by their place. */
import { isObject, type Json } from './member.ts'
import { escapeToken, pointerTokens, tokenIndex } from './pointer.ts'
import { textOf } from './same.ts'

/** Finds the pointer of the same part in the earlier version; undefined for an element that is new there. */
export function createEarlierPointer(now: Json | undefined, before: Json | undefined) {
  const known = new Map<readonly Json[], readonly (number | undefined)[]>()
  const earlierIndexes = (list: readonly Json[], old: readonly Json[]) => {
    const indexes = known.get(list) ?? matched(list, old)
    known.set(list, indexes)
    return indexes
  }
  return (pointer: string): string | undefined => {
    let earlier = ''
    let [value, old] = [now, before]
    for (const token of pointerTokens(pointer)) {
      const lists = Array.isArray(value) && Array.isArray(old) ? { value, old } : undefined
      const isElement = lists && Number(tokenIndex(token)) < lists.value.length
      const place = isElement ? earlierIndexes(lists.value, lists.old)[Number(token)] : token
      if (place === undefined) return undefined
      earlier += `/${escapeToken(place)}`
      value = memberAt(value, token)
      old = memberAt(old, String(place))
    }
    return earlier
  }
}

/**
 * The indexes that the elements of a list had: that of an equal element, the first of several for the first, else its own
 * where no other element of the list has come from there.
 */
function matched(now: readonly Json[], before: readonly Json[]): readonly (number | undefined)[] {
  const places = new Map<string, number[]>()
  // From the end, so that the first one is taken first.
  for (const [place, item] of [...before.entries()].reverse()) {
    const text = textOf(item)
    const equal = places.get(text)
    if (equal) equal.push(place)
    else places.set(text, [place])
  }
  const equal = now.map((item) => places.get(textOf(item))?.pop())
  const taken = new Set(equal)
  return equal.map((place, index) => place ?? (index < before.length && !taken.has(index) ? index : undefined))
}

function memberAt(value: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(token)]
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}
