/**
 * Tables of cases in YAML beside the file of tests: `rate.cases.yaml` for `rate.test.ts`, each table under its name. The
 * word `undefined` is no string, `!re '/a/i'` is a regular expression, and `!times '/ a 500'` a slash and 500 letters.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CORE_SCHEMA, defineScalarTag, load, mergeTag, NOT_RESOLVED } from 'js-yaml'
import { afterAll, expect, test } from 'vitest'

/** YAML with these tags, and `<<`. */
export const SCHEMA = CORE_SCHEMA.withTags(
  mergeTag,
  defineScalarTag('!undefined', {
    implicit: true,
    resolve: (text) => (text === 'undefined' ? undefined : NOT_RESOLVED),
    identify: () => false,
  }),
  defineScalarTag('!re', { resolve: toExpression, identify: () => false }),
  defineScalarTag('!times', {
    resolve(text) {
      const [count, unit = '', head = ''] = text.split(' ').reverse()
      return head + unit.repeat(Number(count))
    },
    identify: () => false,
  }),
)

function toExpression(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1))
}

/** The tables beside a module. What they hold is for the caller to say. */
export type Cases = {
  /** A table by its name. */
  cases<Table>(name: string): Table
  /** Declares a test for each row of a table, whose name is the title of the tests unless another one is given. */
  each<Row extends readonly unknown[]>(title: string, run: (...row: Row) => void | Promise<void>, table?: string): void
}

/** Reads the tables beside a module, by its URL. A table that no test reads is a failure. */
export function casesOf(module: string): Cases {
  const path = fileURLToPath(module).replace(/(?:\.test)?\.ts$/, '.cases.yaml')
  const tables = new Map(
    Object.entries(load(readFileSync(path, 'utf8'), { schema: SCHEMA }) as Record<string, unknown>),
  )
  const unread = new Set(tables.keys())
  afterAll(() => expect([...unread], `tables in ${path} that no test reads`).toEqual([]))
  const cases: Cases['cases'] = <Table>(name: string) => {
    if (!tables.has(name)) throw new Error(`${path} has no table "${name}"`)
    unread.delete(name)
    return tables.get(name) as Table
  }
  return {
    cases,
    each<Row extends readonly unknown[]>(title: string, run: (...row: Row) => void | Promise<void>, table = title) {
      const rows = cases<readonly unknown[]>(table).map((row) => (Array.isArray(row) ? row : [row]) as unknown as Row)
      test.for(rows)(title, (row) => run(...row))
    },
  }
}
