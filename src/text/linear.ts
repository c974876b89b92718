/**
 * Regular expressions that others wrote, in the language of RE2 and of Go. A text of n characters is matched in time that
 * grows with n, whatever the expression; JavaScript's own could take years.
 */
import { compileRe2 } from './re2.ts'

/** Tells whether a text holds what an expression matches. */
export type LinearPattern = { test(text: string): boolean }

/** Characters of an expression times its repetitions: more would be slow, though linear. */
const LARGEST = 10_000

/** Compiles an expression. Returns undefined for one that RE2 does not know, and for a very large one. */
export function compileLinear(written: string): LinearPattern | undefined {
  const counts = [...written.matchAll(/\{(?:\d+,)?(\d{1,9})/g)].map(([, count]) => Number(count))
  if (written.length * Math.max(1, sumOf(counts)) > LARGEST) return undefined
  try {
    return compileRe2(written)
  } catch {
    return undefined
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
