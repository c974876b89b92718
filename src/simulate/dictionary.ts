/** Numbers for keys on the side of those who read traffic. Bounded: it begins anew when it has grown large. */
import { LONGEST_KEY_BYTES } from '../nginx/memory.ts'
import { parseIpv4 } from '../traffic/ipv4.ts'
import { createNumberMap } from '../traffic/number-map.ts'
import { isAddressKey } from './keys.ts'
import type { Plan } from './plan.ts'

/** Keys that have got a number in a batch, in the order of their numbers. */
export type FreshKeys = {
  /** IPv4 addresses that are a whole key, see `parseIpv4`: their numbers are even, counting 0, 2, 4 and so on. */
  readonly addresses: Int32Array
  /** All others: 1, 3, 5 and so on. */
  readonly texts: readonly string[]
}

/** Keys of one expression or several, each with numbers of its own. */
export type Dictionary = {
  /** The number of a key; -1 for a key that nginx skips: an empty one, or one of more than 65,535 bytes. */
  number(expression: number, key: string): number
  /** The number of a key that is an IPv4 address, where the expression is made of nothing else. */
  numberOfAddress(expression: number, ipv4: number): number
  /** Begins a batch; true where the numbers begin anew. */
  begin(): boolean
  /** The keys that have got a number since, by expression. */
  fresh(): readonly FreshKeys[]
}

/** How many keys, and characters of keys, are remembered before all begins anew. */
export type DictionaryLimits = { readonly keys: number; readonly characters: number }

const LIMITS: DictionaryLimits = { keys: 2 ** 18, characters: 2 ** 24 }

/** A dictionary for the expressions of a plan. */
export function createDictionary({ expressions }: Pick<Plan, 'expressions'>, limits = LIMITS): Dictionary {
  const all = expressions.map((parts) => createNumbers(isAddressKey(parts)))
  return {
    number(expression, key) {
      if (key === '' || key.length > LONGEST_KEY_BYTES) return -1
      return all[expression]?.ofText(key) ?? -1
    },
    numberOfAddress: (expression, ipv4) => all[expression]?.ofAddress(ipv4) ?? -1,
    begin() {
      for (const numbers of all) numbers.begin()
      if (!all.some(({ size }) => size.keys > limits.keys || size.characters > limits.characters)) return false
      for (const numbers of all) numbers.clear()
      return true
    },
    fresh: () => all.map((numbers) => numbers.fresh()),
  }
}

/** The numbers of one expression's keys. */
function createNumbers(mayBeAddress: boolean) {
  const texts = new Map<string, number>()
  const addresses = createNumberMap()
  let freshTexts: string[] = []
  let freshAddresses: number[] = []
  let characters = 0
  const ofAddress = (ipv4: number): number => {
    const known = addresses.get(ipv4)
    if (known >= 0) return known
    const number = addresses.size * 2
    addresses.add(ipv4, number)
    freshAddresses.push(ipv4)
    return number
  }
  return {
    ofAddress,
    ofText(key: string): number {
      const ipv4 = mayBeAddress ? parseIpv4(key) : undefined
      if (ipv4 !== undefined) return ofAddress(ipv4)
      const known = texts.get(key)
      if (known !== undefined) return known
      const number = texts.size * 2 + 1
      texts.set(key, number)
      freshTexts.push(key)
      characters += key.length
      return number
    },
    get size() {
      return { keys: texts.size + addresses.size, characters }
    },
    begin() {
      freshTexts = []
      freshAddresses = []
    },
    clear() {
      texts.clear()
      addresses.clear()
      characters = 0
    },
    fresh: (): FreshKeys => ({ texts: freshTexts, addresses: Int32Array.from(freshAddresses) }),
  }
}
