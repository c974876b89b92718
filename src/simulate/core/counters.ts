/** Counts what becomes of requests, of one scenario. */

import type { Totals } from '../report/report.ts'
import { DELAYED, REJECTED } from './decision.ts'
import { type Plan, REFUSED } from './plan.ts'
import { NOT_MATCHED, type Settled } from './scenario-run.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { createWaitHistogram, type WaitHistogram } from './waits.ts'

export type Tally = {
  add(settled: Settled): void
  totals(): Totals
  /** Of one place. */
  totalsAt(place: number): Totals
  /** Requests that nginx answers with 400 before it looks at limits. */
  readonly invalid: number
  readonly waits: WaitHistogram
  readonly timeline: Timeline
  /** Milliseconds of the first and the last request; undefined where there was none. */
  readonly span: { readonly from: number; readonly to: number } | undefined
}

/** Passed, delayed, rejected, not matched. */
const OUTCOMES = 4

/** `shortest`: milliseconds of the timeline's intervals at least. */
export function createTally({ places }: Plan['scenarios'][number], shortest: number): Tally {
  const counts = new Float64Array(places.length * OUTCOMES)
  const waits = createWaitHistogram()
  const timeline = createTimeline(shortest)
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const count = (place: number, outcome: number): number => counts[place * OUTCOMES + outcome] ?? 0
  const totalsOf = (chosen: readonly number[]): Totals => {
    const sum = (outcome: number) => chosen.reduce((total, place) => total + count(place, outcome), 0)
    const [passed, delayed, rejected, unmatched] = [sum(0), sum(DELAYED), sum(REJECTED), sum(NOT_MATCHED)]
    return { requests: passed + delayed + rejected + unmatched, passed, delayed, rejected, unmatched }
  }
  return {
    add({ time, place, outcome, wait }) {
      const at = place * OUTCOMES + outcome
      counts[at] = (counts[at] ?? 0) + 1
      if (outcome === DELAYED) waits.add(wait)
      if (time < from) from = time
      if (time > to) to = time
      timeline.add(time, outcome)
    },
    totals: () => totalsOf(places.map((_, place) => place)),
    totalsAt: (place) => totalsOf([place]),
    get invalid() {
      return count(REFUSED, NOT_MATCHED)
    },
    waits,
    timeline,
    get span() {
      return from <= to ? { from, to } : undefined
    },
  }
}
