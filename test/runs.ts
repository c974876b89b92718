/** How many random cases a property has. */
import { test } from 'vitest'

/** `npm run test:nightly` sets it. */
export const ALL_CASES = process.env.SLUICE_ALL_CASES !== undefined

/** What other runs try of them: CI has another seed for each tree of files. */
const SHARE = 1 / 5

/** The parameter of `fc.assert` for a property that has that many cases at night. */
export const runs = (many: number): { readonly numRuns: number } => ({
  numRuns: ALL_CASES ? many : Math.max(20, Math.ceil(many * SHARE)),
})

/** Which part of what takes its turn is tried by day. */
const TURN = Number(process.env.SLUICE_SEED ?? 0)

/** A table of cases for `test.each`: all of them at night, by day only so many, other ones with another seed. */
export const share = <T>(all: readonly T[], many: number): T[] =>
  ALL_CASES ? [...all] : all.map((_, index) => all[(index + TURN) % all.length] as T).slice(0, many)

/** A test of the nightly run alone. */
export const testAtNight = test.runIf(ALL_CASES)
