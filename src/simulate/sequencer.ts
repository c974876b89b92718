/**
 * Brings requests into the order in which they came. nginx writes a line when a request ends, and several workers
 * write one log, so lines are somewhat out of order; some logs know whole seconds only.
 */
import { createSecondBucket, type RequestSink, type SecondBucket } from './bucket-of-second.ts'

/** Requests are put in order of time within so many milliseconds; a time further back means that the clock was set back. */
export const WINDOW = 60_000

export type SequencerOptions = {
  /**
   * What to do with logs of whole seconds: `even` spreads the requests of a second over it in the order of the log,
   * `none` has all of them come at its beginning. Undefined where times are finer.
   */
  readonly spread: 'even' | 'none' | undefined
  keyCount(code: number): number
  readonly sink: RequestSink
  /** Most requests that are held back; beyond, the oldest go early. */
  readonly limit?: number
}

export type Sequencer = {
  /** A request that came at `time`. */
  put(time: number, code: number, keys: Int32Array, at: number): void
  /** Says that everything that was put had been logged by a time (milliseconds): what came long before is complete. */
  loggedUntil(time: number): void
  /** Shows every request that is held back. */
  visit(show: (code: number, keys: Int32Array, at: number) => void): void
  finish(): void
  /** How often the clock was set back by more than a minute. */
  readonly setBacks: number
}

const MOST_HELD = 2 ** 20
const SECOND = 1000

export function createSequencer({ spread, keyCount, sink, limit = MOST_HELD }: SequencerOptions): Sequencer {
  const buckets = new Map<number, SecondBucket>()
  const spare: SecondBucket[] = []
  /** The first second that is still open, the first that has requests, and the last that had any. */
  let [floor, first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [held, setBacks] = [0, 0]

  const release = (second: number): void => {
    const bucket = buckets.get(second)
    if (!bucket) return
    buckets.delete(second)
    held -= bucket.size
    bucket.empty(sink, spread === 'even' ? second * SECOND : undefined)
    spare.push(bucket)
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
  const open = (second: number): SecondBucket => {
    const bucket = spare.pop() ?? createSecondBucket(keyCount)
    buckets.set(second, bucket)
    first = Math.min(first, second)
    return bucket
  }
  return {
    put(time, code, keys, at) {
      const second = Math.floor(time / SECOND)
      if (last - second > WINDOW / SECOND) {
        setBacks += 1
        finish()
      }
      const owner = Math.max(second, floor)
      if (owner > last) last = owner
      const bucket = buckets.get(owner) ?? open(owner)
      bucket.put(time, code, keys, at)
      held += 1
      if (held > limit) releaseBefore(first + 1)
    },
    loggedUntil(time) {
      const second = Math.min(Math.floor((time - WINDOW) / SECOND), last + 1)
      if (second > first) releaseBefore(second)
    },
    visit(show) {
      for (const bucket of buckets.values()) bucket.visit(show)
    },
    finish,
    get setBacks() {
      return setBacks
    },
  }
}

/** The open seconds from one to before another, in order; the log may have been silent for long. */
function secondsBetween(from: number, to: number, buckets: ReadonlyMap<number, unknown>): Iterable<number> {
  const isSparse = to - from > buckets.size
  return isSparse ? [...buckets.keys()].filter((second) => second < to).sort((a, b) => a - b) : upTo(from, to)
}

function* upTo(from: number, to: number): Iterable<number> {
  for (let second = from; second < to; second += 1) yield second
}
