/** How many cases a suite runs, and from which seed: `SLUICE_CASES=100000 SLUICE_SEED=7 npm run test:nginx`. */

import { runs } from '../runs.ts'

/** The environment variables that set a number of cases. */
type Counted = 'SLUICE_CASES' | 'SLUICE_PAIRS' | 'SLUICE_REQUESTS' | 'SLUICE_SNIPPETS'

/** Cases of a suite: from the environment, else this number; of configurations to test, by day a part of it. */
export function countOf(variable: Counted, otherwise: number): number {
  const usual = variable === 'SLUICE_CASES' ? runs(otherwise).numRuns : otherwise
  const said = Number(process.env[variable] ?? usual)
  if (!Number.isSafeInteger(said) || said < 1) throw new Error(`${variable} is no number of cases`)
  return said
}

/** The seed of the generators: from the environment, else a new one each time. A failure prints it. */
export const SEED = Number(process.env.SLUICE_SEED ?? Date.now() % 2 ** 31)

/** Prints what was compared, where the environment sets a number of cases. */
export function printCount(variable: Counted, sentence: string): void {
  if (process.env[variable] !== undefined) console.log(`${sentence} (seed ${SEED})`)
}
