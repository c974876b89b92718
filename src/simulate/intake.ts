/** Batches from one reader or several: their own numbers of keys become those of the tables. */
import type { Batch } from './batch.ts'
import type { FreshKeys } from './dictionary.ts'
import type { KeyTable } from './key-table.ts'

/** The tables' numbers for those of a reader: of even numbers and of odd ones, see `FreshKeys`. */
type Translation = { readonly even: Numbers; readonly odd: Numbers }

/** A list that grows. */
type Numbers = { values: Int32Array; size: number }

export type Intake = {
  /**
   * Takes the batches of one reader in the order in which it made them. Its keys are replaced in place.
   * True where some of its older numbers mean nothing any more, so that tables may be swept.
   */
  take(reader: number, batch: Batch): boolean
  /** Names every number of an expression that readers may still use. */
  nameKeys(expression: number, name: (number: number) => void): void
}

/** `expressionsOf` says whose keys a request with a code carries. */
export function createIntake(tables: readonly KeyTable[], expressionsOf: (code: number) => readonly number[]): Intake {
  const readers: Translation[][] = []
  const translationsOf = (reader: number): Translation[] => {
    const known = readers[reader] ?? tables.map(() => ({ even: noNumbers(), odd: noNumbers() }))
    readers[reader] = known
    return known
  }
  return {
    take(reader, batch) {
      const translations = translationsOf(reader)
      if (batch.reset) translations.forEach(clear)
      for (const [expression, fresh] of batch.fresh.entries())
        learn(translations[expression], tables[expression], fresh)
      translate(batch, translations, expressionsOf)
      return batch.reset
    },
    nameKeys(expression, name) {
      for (const translations of readers) {
        const { even, odd } = translations?.[expression] ?? NOTHING
        for (const { values, size } of [even, odd]) values.subarray(0, size).forEach(name)
      }
    },
  }
}

const noNumbers = (): Numbers => ({ values: new Int32Array(64), size: 0 })
const NOTHING: Translation = { even: noNumbers(), odd: noNumbers() }

function clear({ even, odd }: Translation): void {
  even.size = 0
  odd.size = 0
}

function push(numbers: Numbers, value: number): void {
  if (numbers.size === numbers.values.length) {
    const larger = new Int32Array(numbers.size * 2)
    larger.set(numbers.values)
    numbers.values = larger
  }
  numbers.values[numbers.size] = value
  numbers.size += 1
}

function learn(translation: Translation | undefined, table: KeyTable | undefined, fresh: FreshKeys): void {
  if (!translation || !table) return
  for (const address of fresh.addresses) push(translation.even, table.numberOfAddress(address))
  for (const text of fresh.texts) push(translation.odd, table.number(text))
}

function translate(
  { codes, keys }: Batch,
  translations: readonly Translation[],
  expressionsOf: (code: number) => readonly number[],
): void {
  let at = 0
  for (let request = 0; request < codes.length; request += 1) {
    const expressions = expressionsOf(codes[request] ?? 0)
    for (let index = 0; index < expressions.length; index += 1) {
      const key = keys[at] ?? -1
      const translation = translations[expressions[index] ?? 0]
      if (key >= 0 && translation) {
        const numbers = (key & 1) === 0 ? translation.even : translation.odd
        keys[at] = numbers.values[key >> 1] ?? 0
      }
      at += 1
    }
  }
}
