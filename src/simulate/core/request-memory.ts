/** Requests that were met, and what they mean: each is understood once. */
import { createByteTable } from '../../traffic/byte-table.ts'
import { type QuickTexts, REQUEST } from '../logs/quick-texts.ts'
import type { Dictionary } from './dictionary.ts'
import { createMemo, NOTHING } from './number-memo.ts'

/** How many requests are remembered, and bytes of them. */
const LIMITS = { entries: 2 ** 18, bytes: 2 ** 24 }

/** What requests mean. */
export type RequestMemory = {
  /** The number of the request `bytes[start, end)`, whose hash the caller knows. */
  number(bytes: Buffer, start: number, end: number, hash: number): number
  /** The code of the request with a number, which stands at `bytes[start, end)`. */
  code(number: number, bytes: Buffer, start: number, end: number): number
  /** The number of an expression's key that depends on the request alone, or on nothing; text as for `code`. */
  key(expression: number, number: number, text: () => string): number
  /** The numbers of keys begin anew. */
  forgetKeys(): void
}

export function createRequestMemory(texts: QuickTexts, dictionary: Dictionary): RequestMemory {
  const table = createByteTable(LIMITS)
  const codes = createMemo()
  const keys = texts.uses.map(createMemo)
  const forgetKeys = (): void => {
    for (const memo of keys) memo.clear()
  }
  const learn = (number: number, bytes: Buffer, start: number, end: number): number => {
    const code = texts.code(bytes.toString('latin1', start, end))
    codes.set(number, code)
    return code
  }
  return {
    number(bytes, start, end, hash) {
      const known = table.number(bytes, start, end, hash)
      if (known >= 0) return known
      /** Full: all begins anew. */
      table.clear()
      codes.clear()
      forgetKeys()
      return table.number(bytes, start, end, hash)
    },
    code(number, bytes, start, end) {
      const known = codes.get(number)
      return known === NOTHING ? learn(number, bytes, start, end) : known
    },
    key(expression, number, text) {
      const owner = texts.uses[expression] === REQUEST ? number : 0
      const memo = keys[expression]
      const known = memo ? memo.get(owner) : NOTHING
      if (known !== NOTHING) return known
      const key = dictionary.number(expression, texts.key(expression, '', text()))
      memo?.set(owner, key)
      return key
    },
    forgetKeys,
  }
}
