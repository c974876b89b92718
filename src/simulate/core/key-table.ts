/** Keys by numbers. Texts that nobody uses any more are swept out now and then, and their numbers are given out anew. */
import type { KeyPart } from '../../limits/key.ts'
import { printIpv4 } from '../../traffic/ipv4.ts'
import { FIRST_TEXT } from './dictionary.ts'
import { keyLength } from './keys.ts'

/** The keys of one expression. */
export type KeyTable = {
  /** The number of a text. It stays that text's until a sweep in which nobody names it. */
  number(key: string): number
  /** The text of any number, addresses included. */
  text(number: number): string
  /** Bytes that it takes in nginx. */
  length(number: number): number
  /** Forgets all texts but those whose numbers are named. */
  sweep(nameAll: (name: (number: number) => void) => void): void
  /** How many texts there are. */
  readonly size: number
}

export function createKeyTable(parts: readonly KeyPart[]): KeyTable {
  const numbers = new Map<string, number>()
  /** By number, counted from the first text. */
  const texts: string[] = []
  const lengths: number[] = []
  const free: number[] = []
  const add = (key: string): number => {
    const index = free.pop() ?? texts.length
    texts[index] = key
    lengths[index] = keyLength(key, parts)
    numbers.set(key, FIRST_TEXT + index)
    return FIRST_TEXT + index
  }
  const textOf = (number: number): string =>
    number < FIRST_TEXT ? printIpv4(number) : (texts[number - FIRST_TEXT] ?? '')
  /** In binary all addresses take the same. */
  const isBinary = keyLength('255.255.255.255', parts) === 4
  return {
    number: (key) => numbers.get(key) ?? add(key),
    text: textOf,
    length(number) {
      if (number >= FIRST_TEXT) return lengths[number - FIRST_TEXT] ?? 0
      return isBinary ? 4 : textOf(number).length
    },
    sweep(nameAll) {
      const isNamed = new Uint8Array(texts.length)
      nameAll((number) => {
        isNamed[number - FIRST_TEXT] = 1
      })
      for (const [key, number] of numbers) {
        const index = number - FIRST_TEXT
        if (isNamed[index] === 1) continue
        numbers.delete(key)
        texts[index] = ''
        free.push(index)
      }
    },
    get size() {
      return numbers.size
    },
  }
}
