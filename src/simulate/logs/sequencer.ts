/**
 * Brings requests into the order in which they came. nginx writes a line when a request ends, and several workers
 * write one log, so lines are somewhat out of order; some logs know whole seconds only.
 */
import type { Batch } from '../core/batch.ts'
import {
  emptyBucket,
  emptySorted,
  emptySpread,
  type KeyCount,
  putRun,
  type RequestSink,
  type SecondBucket,
  visitRuns,
} from './bucket-of-second.ts'

/** Requests are put in order of time within so many milliseconds; a time further back means that the clock was set back. */
export const WINDOW = 60_000

export type SequencerOptions = {
  /**
   * What to do with logs of whole seconds: `even` spreads the requests of a second over it in the order of the log,
   * `none` has all of them come at its beginning. Undefined where times are finer.
   */
  readonly spread: 'even' | 'none' | undefined
  readonly keyCount: KeyCount
  readonly sink: RequestSink
  /** Most requests that are held back; beyond, the oldest go early. */
  readonly limit?: number
}

/** The requests of a batch, whose numbers of keys mean something to the sink. */
export type Requests = Pick<Batch, 'times' | 'codes' | 'keys' | 'latest'>

export type Sequencer = {
  put(requests: Requests): void
  /** Shows every request that is held back. */
  visit(show: RequestSink): void
  finish(): void
  /** How often the clock was set back by more than a minute. */
  readonly setBacks: number
}

const MOST_HELD = 2 ** 20
const SECOND = 1000

export function createSequencer({ spread, keyCount, sink, limit = MOST_HELD }: SequencerOptions): Sequencer {
  const buckets = new Map<number, SecondBucket>()
  /** The first second that is still open, the first that has requests, and the last that had any. */
  let [floor, first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [held, setBacks] = [0, 0]

  const release = (second: number): void => {
    const bucket = buckets.get(second)
    if (!bucket) return
    buckets.delete(second)
    held -= bucket.size
    if (spread === 'even') emptySpread(bucket, keyCount, sink, second * SECOND)
    else emptySorted(bucket, keyCount, sink)
  }
  const releaseBefore = (second: number): void => {
    for (const open of secondsBetween(first, second, buckets)) release(open)
    floor = Math.max(floor, second)
    first = Math.max(first, second)
  }
  const finish = (): void => {
    releaseBefore(last + 1)
    floor = Number.NEGATIVE_INFINITY
    first = Number.POSITIVE_INFINITY
    last = Number.NEGATIVE_INFINITY
  }
  /** The bucket for a second; what comes too late goes into the first that is open. */
  const bucketOf = (second: number): SecondBucket => {
    if (last - second > WINDOW / SECOND) {
      setBacks += 1
      finish()
    }
    const owner = Math.max(second, floor)
    last = Math.max(last, owner)
    const bucket = buckets.get(owner) ?? emptyBucket()
    buckets.set(owner, bucket)
    first = Math.min(first, owner)
    return bucket
  }
  return {
    put(requests) {
      forEachSecond(requests, keyCount, (second, from, to, keyFrom) => {
        putRun(bucketOf(second), { ...requests, from, to, keyFrom })
        held += to - from
        while (held > limit) releaseBefore(first + 1)
      })
      const complete = Math.min(Math.floor((requests.latest - WINDOW) / SECOND), last + 1)
      if (complete > first) releaseBefore(complete)
    },
    visit(show) {
      for (const { runs } of buckets.values()) visitRuns(runs, keyCount, show)
    },
    finish,
    get setBacks() {
      return setBacks
    },
  }
}

type Show = (second: number, from: number, to: number, keyFrom: number) => void

/** Shows the requests of a batch in runs of the same second. */
function forEachSecond({ times, codes }: Requests, keyCount: KeyCount, show: Show): void {
  let [from, keyFrom, keyTo] = [0, 0, 0]
  let [start, end] = [0, 0]
  let [lastCode, count] = [-1, 0]
  for (let index = 0; index < codes.length; index += 1) {
    const time = times[index] ?? 0
    if (time < start || time >= end) {
      if (index > from) show(start / SECOND, from, index, keyFrom)
      start = Math.floor(time / SECOND) * SECOND
      end = start + SECOND
      from = index
      keyFrom = keyTo
    }
    const code = codes[index] ?? 0
    if (code !== lastCode) {
      lastCode = code
      count = keyCount(code)
    }
    keyTo += count
  }
  if (codes.length > from) show(start / SECOND, from, codes.length, keyFrom)
}

/** The open seconds from one to before another, in order; the log may have been silent for long. */
function secondsBetween(from: number, to: number, buckets: ReadonlyMap<number, unknown>): Iterable<number> {
  const isSparse = to - from > buckets.size
  return isSparse ? [...buckets.keys()].filter((second) => second < to).sort((a, b) => a - b) : upTo(from, to)
}

function* upTo(from: number, to: number): Iterable<number> {
  for (let second = from; second < to; second += 1) yield second
}
