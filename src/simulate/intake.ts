/** Batches from one reader or several: their own numbers of keys become those of the tables. */
import type { Batch } from './batch.ts'
import type { KeyTable } from './key-table.ts'

/** The tables' numbers for those of a reader, by expression. */
type Translation = { values: Int32Array; size: number }

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
    const known = readers[reader] ?? tables.map(() => ({ values: new Int32Array(64), size: 0 }))
    readers[reader] = known
    return known
  }
  return {
    take(reader, batch) {
      const translations = translationsOf(reader)
      if (batch.reset) for (const translation of translations) translation.size = 0
      for (const [expression, keys] of batch.fresh.entries()) learn(translations[expression], tables[expression], keys)
      translate(batch, translations, expressionsOf)
      return batch.reset
    },
    nameKeys(expression, name) {
      for (const translations of readers) {
        const { values, size } = translations?.[expression] ?? NOTHING
        for (let index = 0; index < size; index += 1) name(values[index] ?? 0)
      }
    },
  }
}

const NOTHING: Translation = { values: new Int32Array(0), size: 0 }

function learn(translation: Translation | undefined, table: KeyTable | undefined, keys: readonly string[]): void {
  if (!translation || !table) return
  for (const key of keys) {
    if (translation.size === translation.values.length) {
      const larger = new Int32Array(translation.size * 2)
      larger.set(translation.values)
      translation.values = larger
    }
    translation.values[translation.size] = table.number(key)
    translation.size += 1
  }
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
      if (key >= 0) keys[at] = translations[expressions[index] ?? 0]?.values[key] ?? 0
      at += 1
    }
  }
}
