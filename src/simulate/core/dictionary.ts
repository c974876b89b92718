/** Numbers for keys on the side of those who read traffic. Bounded: it begins anew when it has grown large. */
import { LONGEST_KEY_BYTES } from '../../nginx/memory.ts'
import { parseIpv4 } from '../../traffic/ipv4.ts'
import { isAddressKey } from './keys.ts'
import type { Plan } from './plan.ts'

/**
 * Keys are numbers: an IPv4 address that is a whole key is its own 32 bits; from here on they stand for texts.
 * A reader of traffic counts its texts by itself, see `createIntake`.
 */
export const FIRST_TEXT = 2 ** 32
/** The number of a key that nginx skips: an empty one, or one of more than 65,535 bytes. */
export const NO_KEY = -1

/** Keys of one expression or several. */
export type Dictionary = {
  /** The number of a key. */
  number(expression: number, key: string): number
  /** Begins a batch; true where the numbers of texts begin anew. */
  begin(): boolean
  /** The texts that have got a number since, by expression, in the order of their numbers. */
  fresh(): readonly (readonly string[])[]
}

/** How many texts, and characters of texts, are remembered before all begins anew. */
export type DictionaryLimits = { readonly keys: number; readonly characters: number }

const LIMITS: DictionaryLimits = { keys: 2 ** 18, characters: 2 ** 24 }

/** A dictionary for the expressions of a plan. */
export function createDictionary({ expressions }: Pick<Plan, 'expressions'>, limits = LIMITS): Dictionary {
  const mayBeAddress = expressions.map(isAddressKey)
  const texts = expressions.map(() => new Map<string, number>())
  let fresh: string[][] = expressions.map(() => [])
  let characters = 0
  return {
    number(expression, key) {
      if (key === '' || key.length > LONGEST_KEY_BYTES) return NO_KEY
      const address = mayBeAddress[expression] ? parseIpv4(key) : undefined
      if (address !== undefined) return address >>> 0
      const known = texts[expression]
      const found = known?.get(key)
      if (found !== undefined || !known) return found ?? NO_KEY
      const number = FIRST_TEXT + known.size
      known.set(key, number)
      fresh[expression]?.push(key)
      characters += key.length
      return number
    },
    begin() {
      fresh = expressions.map(() => [])
      if (characters <= limits.characters && texts.every(({ size }) => size <= limits.keys)) return false
      for (const known of texts) known.clear()
      characters = 0
      return true
    },
    fresh: () => fresh,
  }
}
