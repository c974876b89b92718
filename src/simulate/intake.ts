/** Batches from one reader or several: their own numbers of keys become those of the tables. */
import type { Batch } from './batch.ts'
import type { KeyTable } from './key-table.ts'
import { createExpressionsOf, type Plan } from './plan.ts'

/** The requests of a batch, with numbers of keys that the tables know and that are held once for each request. */
export type Taken = { readonly times: Float64Array; readonly codes: Int32Array; readonly keys: Int32Array }

export type Intake = {
  /** Takes the batches of one reader in the order in which it made them. Its keys are replaced in place. */
  take(reader: number, batch: Batch): Taken
  /** How many keys a request with a code carries. */
  keyCount(code: number): number
  /** Lets go the keys of one request. */
  letGo(code: number, keys: Int32Array, at: number): void
}

export function createIntake(plan: Plan, tables: readonly KeyTable[]): Intake {
  const expressionsOf = createExpressionsOf(plan)
  /** By reader and expression: the table's number for each of the reader's. */
  const readers: number[][][] = []
  const translations = (reader: number): number[][] => {
    const known = readers[reader] ?? tables.map(() => [])
    readers[reader] = known
    return known
  }
  const forget = (reader: number): void => {
    for (const [expression, numbers] of translations(reader).entries()) {
      for (const number of numbers) tables[expression]?.release(number)
      numbers.length = 0
    }
  }
  const learn = (reader: number, fresh: Batch['fresh']): void => {
    for (const [expression, keys] of fresh.entries()) {
      const numbers = translations(reader)[expression]
      const table = tables[expression]
      if (numbers && table) for (const key of keys) numbers.push(table.hold(key))
    }
  }
  return {
    take(reader, batch) {
      if (batch.reset) forget(reader)
      learn(reader, batch.fresh)
      const { codes, keys, times } = batch
      const numbers = translations(reader)
      let at = 0
      for (let request = 0; request < codes.length; request += 1) {
        const expressions = expressionsOf(codes[request] ?? 0)
        for (let index = 0; index < expressions.length; index += 1, at += 1) {
          const key = keys[at] ?? -1
          if (key < 0) continue
          const expression = expressions[index] ?? 0
          const number = numbers[expression]?.[key] ?? 0
          keys[at] = number
          tables[expression]?.keep(number)
        }
      }
      return { times, codes, keys }
    },
    keyCount: (code) => expressionsOf(code).length,
    letGo(code, keys, at) {
      const expressions = expressionsOf(code)
      for (let index = 0; index < expressions.length; index += 1) {
        const number = keys[at + index] ?? -1
        if (number > 0) tables[expressions[index] ?? 0]?.release(number)
      }
    },
  }
}
