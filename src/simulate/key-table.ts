/** Keys by numbers. What nobody uses any more is swept out now and then, and its numbers are given out anew. */
import type { KeyPart } from '../limits/key.ts'
import { printIpv4 } from '../traffic/ipv4.ts'
import { createNumberMap } from '../traffic/number-map.ts'
import { keyLength } from './keys.ts'

/** The keys of one expression. */
export type KeyTable = {
  /** The number of a key, from 1 on. It stays that key's until a sweep in which nobody names it. */
  number(key: string): number
  /** The number of a key that is an IPv4 address, see `parseIpv4`, and never goes by its text. */
  numberOfAddress(ipv4: number): number
  text(number: number): string
  /** Bytes that it takes in nginx, at most 65,535. */
  length(number: number): number
  /** Forgets all keys but those whose numbers are named. */
  sweep(nameAll: (name: (number: number) => void) => void): void
  /** How many keys there are. */
  readonly size: number
}

const LONGEST = 65_535

export function createKeyTable(parts: readonly KeyPart[]): KeyTable {
  const numbers = new Map<string, number>()
  const addresses = createNumberMap()
  /** By number: the text, or the address. */
  const keys: (string | number)[] = ['']
  const free: number[] = []
  let lengths = new Uint16Array(1024)
  const textOf = (number: number): string => {
    const key = keys[number] ?? ''
    return typeof key === 'string' ? key : printIpv4(key)
  }
  const add = (key: string | number): number => {
    const number = free.pop() ?? keys.length
    keys[number] = key
    if (number >= lengths.length) {
      const larger = new Uint16Array(lengths.length * 2)
      larger.set(lengths)
      lengths = larger
    }
    lengths[number] = Math.min(LONGEST, keyLength(typeof key === 'string' ? key : printIpv4(key), parts))
    return number
  }
  return {
    number(key) {
      const known = numbers.get(key)
      if (known !== undefined) return known
      const number = add(key)
      numbers.set(key, number)
      return number
    },
    numberOfAddress(ipv4) {
      const known = addresses.get(ipv4)
      if (known >= 0) return known
      const number = add(ipv4)
      addresses.add(ipv4, number)
      return number
    },
    text: textOf,
    length: (number) => lengths[number] ?? 0,
    sweep(nameAll) {
      const isNamed = new Uint8Array(keys.length)
      nameAll((number) => {
        isNamed[number] = 1
      })
      numbers.clear()
      addresses.clear()
      free.length = 0
      for (let number = keys.length - 1; number > 0; number -= 1) {
        const key = keys[number] ?? ''
        if (isNamed[number] !== 1) {
          keys[number] = ''
          free.push(number)
        } else if (typeof key === 'string') numbers.set(key, number)
        else addresses.add(key, number)
      }
    },
    get size() {
      return numbers.size + addresses.size
    },
  }
}
