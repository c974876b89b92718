/** Numbers for keys on the side of those who read traffic. Bounded: it begins anew when it has grown large. */
import { LONGEST_KEY_BYTES } from '../nginx/memory.ts'

/** Keys of one expression or several, each with numbers of its own. */
export type Dictionary = {
  /** The number of a key; -1 for a key that nginx skips: an empty one, or one of more than 65,535 bytes. */
  number(expression: number, key: string): number
  /** Begins a batch; true where the numbers begin anew. */
  begin(): boolean
  /** The keys that have got a number since, by expression. */
  fresh(): readonly (readonly string[])[]
}

/** How many keys, and characters of keys, an expression remembers before it begins anew. */
export type DictionaryLimits = { readonly keys: number; readonly characters: number }

const LIMITS: DictionaryLimits = { keys: 2 ** 18, characters: 2 ** 24 }

/** A dictionary for so many expressions. */
export function createDictionary(expressions: number, limits: DictionaryLimits = LIMITS): Dictionary {
  const numbers = Array.from({ length: expressions }, () => new Map<string, number>())
  let fresh: string[][] = numbers.map(() => [])
  let characters = 0
  return {
    number(expression, key) {
      if (key === '' || key.length > LONGEST_KEY_BYTES) return -1
      const known = numbers[expression]
      const found = known?.get(key)
      if (found !== undefined || !known) return found ?? -1
      const number = known.size
      known.set(key, number)
      fresh[expression]?.push(key)
      characters += key.length
      return number
    },
    begin() {
      fresh = numbers.map(() => [])
      const isFull = characters > limits.characters || numbers.some(({ size }) => size > limits.keys)
      if (!isFull) return false
      for (const known of numbers) known.clear()
      characters = 0
      return true
    },
    fresh: () => fresh,
  }
}
