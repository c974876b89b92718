/**
 * How the cost of a work grows with its size, in processor time of this thread: what else the machine does counts little
 * in it, and in a ratio nearly nothing. The tests of this folder run one file at a time.
 */
import { expect } from 'vitest'

/** What is done once per measurement; what comes before it is not measured. */
export type Work = () => unknown

/** Four times the size: linear work grows by 4, quadratic work by 16. */
const TIMES = 4
const LIMIT = 9

/** Something may come between; something comes between all of these only where the work itself is to blame. */
const TRIES = 5

/** Milliseconds of processor time for which a work is repeated: a clock of microseconds, and a collection of garbage. */
const ENOUGH = 25

/** How many times as much work of four times the size costs; the least of some tries. */
export function growth(prepare: (size: number) => Work, size: number): number {
  const [small, large] = [prepare(size), prepare(size * TIMES)]
  // Compiled code must not make the large one look cheap.
  costOf(small)
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < TRIES && least >= LIMIT; attempt++)
    least = Math.min(least, costOf(large) / costOf(small))
  return least
}

/** Fails where work of four times the size costs far more than four times as much. */
export function expectLinear(prepare: (size: number) => Work, size: number): void {
  expect(growth(prepare, size), `${TIMES} times the size costs so many times as much`).toBeLessThan(LIMIT)
}

/** Milliseconds of processor time that a work takes. */
function costOf(work: Work): number {
  const start = process.threadCpuUsage()
  for (let count = 1; ; count++) {
    work()
    const { user, system } = process.threadCpuUsage(start)
    const milliseconds = (user + system) / 1000
    if (milliseconds >= ENOUGH) return milliseconds / count
  }
}
