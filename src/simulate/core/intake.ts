/** Batches from one reader or several: their own numbers of texts become those of the tables. */
import type { Batch } from './batch.ts'
import { FIRST_TEXT } from './dictionary.ts'
import type { KeyTable } from './key-table.ts'

export type Intake = {
  /**
   * Takes the batches of one reader in the order in which it made them. Its keys are replaced in place.
   * True where some of its older numbers mean nothing any more, so that tables may be swept.
   */
  take(reader: number, batch: Batch): boolean
  /** Names every number of an expression's text that readers may still use. */
  nameKeys(expression: number, name: (number: number) => void): void
}

/** `expressionsOf` says whose keys a request with a code carries. */
export function createIntake(tables: readonly KeyTable[], expressionsOf: (code: number) => readonly number[]): Intake {
  /** By reader and expression: the table's number for each of the reader's texts. */
  const readers: number[][][] = []
  const translationsOf = (reader: number): number[][] => {
    const known = readers[reader] ?? tables.map(() => [])
    readers[reader] = known
    return known
  }
  return {
    take(reader, batch) {
      const translations = translationsOf(reader)
      if (batch.reset) for (const numbers of translations) numbers.length = 0
      for (const [expression, texts] of batch.fresh.entries())
        for (const text of texts) translations[expression]?.push(tables[expression]?.number(text) ?? 0)
      if (translations.some(({ length }) => length > 0)) translate(batch, translations, expressionsOf)
      return batch.reset
    },
    nameKeys(expression, name) {
      for (const translations of readers) for (const number of translations?.[expression] ?? []) name(number)
    },
  }
}

function translate(
  { codes, keys }: Batch,
  translations: readonly (readonly number[])[],
  expressionsOf: (code: number) => readonly number[],
): void {
  let at = 0
  for (let request = 0; request < codes.length; request += 1) {
    const expressions = expressionsOf(codes[request] ?? 0)
    for (let index = 0; index < expressions.length; index += 1) {
      const key = keys[at] ?? 0
      if (key >= FIRST_TEXT) keys[at] = translations[expressions[index] ?? 0]?.[key - FIRST_TEXT] ?? 0
      at += 1
    }
  }
}
