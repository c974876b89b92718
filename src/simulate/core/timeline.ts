/** What happened when, in bounded memory: intervals become longer as the traffic does. */

/** Requests of one interval, by what became of them. */
export type TimelinePoint = {
  /** Milliseconds at which it begins. */
  readonly start: number
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  readonly unmatched: number
}

export type Timeline = {
  /** Counts a request: `outcome` 0 passed, 1 delayed, 2 rejected, 3 unmatched. */
  add(time: number, outcome: number): void
  /** Milliseconds of an interval. */
  readonly interval: number
  /** From the first request to the last, without gaps; empty where there was none. */
  points(): readonly TimelinePoint[]
}

/** Milliseconds; each divides the next, so that counts can be joined. Longer ones double. */
const INTERVALS = [
  10, 50, 100, 500, 1000, 5000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 43_200_000, 86_400_000,
]
const MOST_POINTS = 240
const OUTCOMES = 4

/** The next longer interval. */
const longer = (interval: number): number => INTERVALS.find((next) => next > interval) ?? interval * 2

/** Counts by interval and outcome, from one interval to another (both since the epoch, inclusive). */
type Counts = {
  readonly interval: number
  readonly first: number
  readonly last: number
  readonly values: Float64Array
}

/** The same counts in longer intervals. */
function widen({ interval, first, last, values }: Counts): Counts {
  const next = longer(interval)
  const newFirst = Math.floor((first * interval) / next)
  const joined = new Float64Array(values.length)
  for (let index = 0; index < (last - first + 1) * OUTCOMES; index += 1) {
    const at = first + Math.floor(index / OUTCOMES)
    const to = (Math.floor((at * interval) / next) - newFirst) * OUTCOMES + (index % OUTCOMES)
    joined[to] = (joined[to] ?? 0) + (values[index] ?? 0)
  }
  return { interval: next, first: newFirst, last: Math.floor((last * interval) / next), values: joined }
}

/** The same counts with room for a time outside, earlier or later. */
function reach(counts: Counts, time: number): Counts {
  const { interval, first, last, values } = counts
  const at = Math.floor(time / interval)
  if (last < first) return { ...counts, first: at, last: at }
  const [from, to] = [Math.min(first, at), Math.max(last, at)]
  if (to - from >= MOST_POINTS) return reach(widen(counts), time)
  const moved = new Float64Array(values.length)
  moved.set(values.subarray(0, (last - first + 1) * OUTCOMES), (first - from) * OUTCOMES)
  return { interval, first: from, last: to, values: moved }
}

/** A timeline whose intervals are at least so long. */
export function createTimeline(shortest = INTERVALS[0] ?? 1): Timeline {
  let counts: Counts = { interval: shortest, first: 0, last: -1, values: new Float64Array(MOST_POINTS * OUTCOMES) }
  /** The interval of the last request, in which most often the next one falls too: its bounds, and where it is counted. */
  let [start, end, place] = [0, 0, 0]
  const find = (time: number): void => {
    const at = Math.floor(time / counts.interval)
    if (at < counts.first || at > counts.last) counts = reach(counts, time)
    const found = Math.floor(time / counts.interval)
    start = found * counts.interval
    end = start + counts.interval
    place = (found - counts.first) * OUTCOMES
  }
  return {
    add(time, outcome) {
      if (!(time >= start && time < end)) find(time)
      const index = place + outcome
      counts.values[index] = (counts.values[index] ?? 0) + 1
    },
    get interval() {
      return counts.interval
    },
    points: () =>
      Array.from({ length: counts.last - counts.first + 1 }, (_, index) => {
        const [passed = 0, delayed = 0, rejected = 0, unmatched = 0] = counts.values.subarray(index * OUTCOMES)
        return { start: (counts.first + index) * counts.interval, passed, delayed, rejected, unmatched }
      }),
  }
}
