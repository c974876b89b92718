/** Waits of requests in bounded memory. */

/** Percentiles of waits in milliseconds. */
export type WaitSummary = { readonly p50: number; readonly p95: number; readonly max: number }

/** Waits: exact below 2,048 ms, above in steps of less than a thousandth of the time. */
export type WaitHistogram = {
  /** Adds a wait in whole milliseconds, above 0. */
  add(wait: number): void
  /** Milliseconds, rounded down to a step; the largest is exact. Undefined where nothing was added. */
  summary(): WaitSummary | undefined
}

/** Steps in each doubling; below twice as many milliseconds each millisecond has its own step. */
const STEPS = 1024
const STEP_BITS = 10

/** A histogram without waits. */
export function createWaitHistogram(): WaitHistogram {
  /** Grows with the longest wait. */
  let counts = new Float64Array(0)
  let total = 0
  let max = 0
  const percentile = (share: number): number => {
    let left = Math.ceil(total * share)
    for (let step = 0; step < counts.length; step += 1) {
      left -= counts[step] ?? 0
      if (left <= 0) return Math.min(max, startOf(step))
    }
    return max
  }
  return {
    add(wait) {
      const step = stepOf(wait)
      if (step >= counts.length) {
        const larger = new Float64Array(Math.ceil((step + 1) / STEPS) * STEPS)
        larger.set(counts)
        counts = larger
      }
      counts[step] = (counts[step] ?? 0) + 1
      total += 1
      max = Math.max(max, wait)
    },
    summary: () => (total === 0 ? undefined : { p50: percentile(0.5), p95: percentile(0.95), max }),
  }
}

/** The step of a wait: its doubling, and its leading bits within it. */
function stepOf(wait: number): number {
  if (wait < STEPS * 2) return wait
  const doublings = Math.floor(Math.log2(wait)) - STEP_BITS
  return doublings * STEPS + Math.floor(wait / 2 ** doublings)
}

/** The shortest wait of a step. */
function startOf(step: number): number {
  if (step < STEPS * 2) return step
  const doublings = Math.floor(step / STEPS) - 1
  return (step - doublings * STEPS) * 2 ** doublings
}
