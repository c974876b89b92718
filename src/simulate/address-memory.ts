/** IPv4 addresses that were met, and the keys that they make: each is understood once. */
import { createNumberTable } from '../traffic/number-table.ts'
import type { Dictionary } from './dictionary.ts'
import { createMemo } from './memo.ts'
import type { QuickTexts } from './quick-texts.ts'

/** Keys that depend on the address alone. They are asked for now and answered later, many at a time. */
export type AddressMemory = {
  /** Asks for the key of an expression and an address; it will belong at a place. */
  ask(expression: number, ipv4: number, place: number): void
  /** Answers all that was asked for. */
  settle(put: (place: number, key: number) => void): void
  /** The numbers of keys begin anew. */
  forgetKeys(): void
}

/** How many addresses are remembered. */
const ENTRIES = 2 ** 18

export function createAddressMemory(texts: QuickTexts, dictionary: Dictionary): AddressMemory {
  const table = createNumberTable(ENTRIES)
  const keys = texts.uses.map(createMemo)
  const asked = texts.uses.map(() => ({ addresses: new Int32Array(64), places: new Int32Array(64), size: 0 }))
  const forgetKeys = (): void => {
    for (const memo of keys) memo.clear()
  }
  const numberOf = (ipv4: number): number => {
    const known = table.number(ipv4)
    if (known >= 0) return known
    /** Full: all begins anew. */
    table.clear()
    forgetKeys()
    return table.number(ipv4)
  }
  const keyOf = (expression: number, ipv4: number): number => {
    const owner = numberOf(ipv4)
    const known = keys[expression]?.get(owner) ?? -1
    if (known >= 0) return known - 1
    const key = dictionary.number(expression, texts.key(expression, printIpv4(ipv4), ''))
    /** One more, so that the key that skips its limit is remembered too. */
    keys[expression]?.set(owner, key + 1)
    return key
  }
  return {
    ask(expression, ipv4, place) {
      const list = asked[expression]
      if (!list) return
      if (list.size === list.places.length) {
        list.addresses = enlarge(list.addresses)
        list.places = enlarge(list.places)
      }
      list.addresses[list.size] = ipv4
      list.places[list.size] = place
      list.size += 1
    },
    /** One short loop, in which the processor waits for many places in memory at once. */
    settle(put) {
      for (const [expression, list] of asked.entries()) {
        const { addresses, places, size } = list
        for (let index = 0; index < size; index += 1) put(places[index] ?? 0, keyOf(expression, addresses[index] ?? 0))
        list.size = 0
      }
    },
    forgetKeys,
  }
}

function enlarge(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

/** A 32-bit integer as nginx writes the address. */
export const printIpv4 = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`
