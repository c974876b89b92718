/** Counts of requests in bounded memory: totals by location, waits, a timeline. */
import type { Totals } from '../report/report.ts'
import { DELAYED, REJECTED } from './decision.ts'
import { BAD_REQUEST, type Scenario } from './plan.ts'
import { NOT_MATCHED, type RequestOutcome } from './scenario-run.ts'
import { createWaitHistogram, type WaitHistogram } from './waits.ts'

/** Counts the outcomes of one scenario. */
export type Counters = {
  add(outcome: RequestOutcome): void
  totals(): Totals
  /** The totals of one location. */
  totalsAt(location: number): Totals
  /** Requests that nginx answers with 400 before it looks at limits. */
  readonly badRequests: number
  readonly waits: WaitHistogram
  readonly timeline: Timeline
  /** Milliseconds of the first and the last request; undefined where there was none. */
  readonly span: { readonly from: number; readonly to: number } | undefined
}

/** Passed, delayed, rejected, not matched. */
const OUTCOMES = 4

/** Counters at zero. `shortest`: milliseconds, the least length of the timeline's intervals. */
export function createCounters({ locations }: Scenario, shortest: number): Counters {
  const counts = new Float64Array(locations.length * OUTCOMES)
  const waits = createWaitHistogram()
  const timeline = createTimeline(shortest)
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const count = (location: number, outcome: number): number => counts[location * OUTCOMES + outcome] ?? 0
  const totalsOf = (chosen: readonly number[]): Totals => {
    const sum = (outcome: number) => chosen.reduce((total, location) => total + count(location, outcome), 0)
    const [passed, delayed, rejected, unmatched] = [sum(0), sum(DELAYED), sum(REJECTED), sum(NOT_MATCHED)]
    return { requests: passed + delayed + rejected + unmatched, passed, delayed, rejected, unmatched }
  }
  return {
    add({ time, location, outcome, wait, fill }) {
      const at = location * OUTCOMES + outcome
      counts[at] = (counts[at] ?? 0) + 1
      if (outcome === DELAYED) waits.add(wait)
      from = Math.min(from, time)
      to = Math.max(to, time)
      timeline.add(time, outcome, fill)
    },
    totals: () => totalsOf(locations.map((_, location) => location)),
    totalsAt: (location) => totalsOf([location]),
    get badRequests() {
      return count(BAD_REQUEST, NOT_MATCHED)
    },
    waits,
    timeline,
    get span() {
      return to < from ? undefined : { from, to }
    },
  }
}

/** Requests of one interval by outcome. */
type TimelinePoint = {
  /** Milliseconds at which the interval begins. */
  readonly start: number
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  readonly unmatched: number
  /** The fullest bucket that a request met, as a share of its burst: from 0 to 1. */
  readonly fill: number
}

/** Requests over time: the intervals become longer as the traffic does. */
type Timeline = {
  /** Counts a request: `outcome` 0 passed, 1 delayed, 2 rejected, 3 unmatched; `fill` from 0 to 1. */
  add(time: number, outcome: number, fill: number): void
  /** The length of an interval in milliseconds. */
  readonly interval: number
  /** From the first request to the last, without gaps; empty where there was none. */
  points(): readonly TimelinePoint[]
}

/** Lengths in milliseconds; each divides the next, so that counts can be joined. Longer ones double. */
const INTERVALS = [
  10, 50, 100, 500, 1000, 5000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 43_200_000, 86_400_000,
]
const MOST_POINTS = 240

/** What an interval has: the number of requests of each outcome, and the greatest fill. */
const FILL = OUTCOMES
const MEMBERS = OUTCOMES + 1

/** The length after `interval`. */
const longer = (interval: number): number => INTERVALS.find((next) => next > interval) ?? interval * 2

/** What intervals have, `MEMBERS` numbers of each. `first` and `last` number intervals since the epoch, inclusive. */
type IntervalCounts = {
  readonly interval: number
  readonly first: number
  readonly last: number
  readonly values: Float64Array
}

/** The same counts in longer intervals. */
function widen({ interval, first, last, values }: IntervalCounts): IntervalCounts {
  const next = longer(interval)
  const newFirst = Math.floor((first * interval) / next)
  const joined = new Float64Array(values.length)
  for (let index = 0; index < (last - first + 1) * MEMBERS; index += 1) {
    const at = first + Math.floor(index / MEMBERS)
    const member = index % MEMBERS
    const to = (Math.floor((at * interval) / next) - newFirst) * MEMBERS + member
    const [before, value] = [joined[to] ?? 0, values[index] ?? 0]
    joined[to] = member === FILL ? Math.max(before, value) : before + value
  }
  return { interval: next, first: newFirst, last: Math.floor((last * interval) / next), values: joined }
}

/** The same counts with room for an earlier or later time. */
function extend(counts: IntervalCounts, time: number): IntervalCounts {
  const { interval, first, last, values } = counts
  const at = Math.floor(time / interval)
  if (last < first) return { ...counts, first: at, last: at }
  const [from, to] = [Math.min(first, at), Math.max(last, at)]
  if (to - from >= MOST_POINTS) return extend(widen(counts), time)
  const moved = new Float64Array(values.length)
  moved.set(values.subarray(0, (last - first + 1) * MEMBERS), (first - from) * MEMBERS)
  return { interval, first: from, last: to, values: moved }
}

/** A timeline without requests. `shortest`: milliseconds, the least length of its intervals. */
export function createTimeline(shortest = INTERVALS[0] ?? 1): Timeline {
  let counts: IntervalCounts = {
    interval: shortest,
    first: 0,
    last: -1,
    values: new Float64Array(MOST_POINTS * MEMBERS),
  }
  /** The interval of the last request, which most often is the next one's too: its bounds, and the index of its counts. */
  let [start, end, base] = [0, 0, 0]
  const find = (time: number): void => {
    counts = extend(counts, time)
    const found = Math.floor(time / counts.interval)
    start = found * counts.interval
    end = start + counts.interval
    base = (found - counts.first) * MEMBERS
  }
  return {
    add(time, outcome, fill) {
      if (time < start || time >= end) find(time)
      const { values } = counts
      values[base + outcome] = (values[base + outcome] ?? 0) + 1
      values[base + FILL] = Math.max(fill, values[base + FILL] ?? 0)
    },
    get interval() {
      return counts.interval
    },
    points: () =>
      Array.from({ length: counts.last - counts.first + 1 }, (_, index) => {
        const [passed = 0, delayed = 0, rejected = 0, unmatched = 0, fill = 0] = counts.values.subarray(index * MEMBERS)
        return { start: (counts.first + index) * counts.interval, passed, delayed, rejected, unmatched, fill }
      }),
  }
}
