/**
 * How the cost of a work grows with its size, in processor time of this thread: what else the machine does counts little
 * in it, and in a ratio nearly nothing. The tests of this folder run one file at a time.
 */
import { expect } from 'vitest'
import { costOf, costOfEach, type Work } from './cost.ts'

/** Sixteen times the size: linear work grows by 16, quadratic work by 256. Caches and a busy machine blur both. */
const TIMES = 16
const LIMIT = 64

/** Whatever else happens only adds to a cost, so that the least of some is the truest. One is enough where all is clear. */
const ROUNDS = 5
const CLEAR = LIMIT / 2

/** Milliseconds of processor time for which a work is repeated within a round: the clock may be a coarse one. */
const ENOUGH = 5

/** Undefined for a size that is larger than what is read at all. */
type Prepare = (size: number) => Work | undefined

/** How many times as much a work of sixteen times the size costs. Yields each work that is to be measured, and takes its cost. */
function* growth(prepare: Prepare, size: number): Generator<Work, number, number> {
  const [small, large] = [prepare(size), prepare(size * TIMES)]
  if (!small || !large) throw new Error(`the size ${size} is too large to be measured`)
  // What is compiled meanwhile would make the small one look dear.
  yield small
  const least = { small: yield small, large: yield large }
  for (let round = 1; round < ROUNDS && least.large / least.small > CLEAR; round++) {
    least.small = Math.min(least.small, yield small)
    least.large = Math.min(least.large, yield large)
  }
  return least.large / least.small
}

const expectSmall = (ratio: number): void =>
  expect(ratio, `${TIMES} times the size costs so many times as much`).toBeLessThan(LIMIT)

/** Fails where the cost of a work grows far more than its size. */
export function expectLinear(prepare: Prepare, size: number): void {
  const measuring = growth(prepare, size)
  let next = measuring.next()
  while (!next.done) next = measuring.next(costOf(next.value, ENOUGH))
  expectSmall(next.value)
}

/** The same for a work that may wait. */
export async function expectLinearEach(prepare: Prepare, size: number): Promise<void> {
  const measuring = growth(prepare, size)
  let next = measuring.next()
  while (!next.done) next = measuring.next(await costOfEach(next.value, ENOUGH))
  expectSmall(next.value)
}

/** Fails where one work costs more than so many times another one of the same size. */
export function expectAtMost(times: number, dear: Work, cheap: Work): void {
  costOf(cheap, ENOUGH)
  const least = { dear: costOf(dear, ENOUGH), cheap: costOf(cheap, ENOUGH) }
  for (let round = 1; round < ROUNDS * 2 && least.dear / least.cheap > times; round++) {
    least.dear = Math.min(least.dear, costOf(dear, ENOUGH))
    least.cheap = Math.min(least.cheap, costOf(cheap, ENOUGH))
  }
  expect(least.dear / least.cheap, 'one costs so many times the other').toBeLessThanOrEqual(times)
}
