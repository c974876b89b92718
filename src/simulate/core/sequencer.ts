/**
 * Brings requests into the order in which they came. nginx writes a line when a request ends, and several workers
 * write one log, so lines are somewhat out of order; some logs know whole seconds only.
 */
import type { Batch } from './batch.ts'
import type { RequestAt } from './decision.ts'

/** Receives requests one after another. The object `at` is reused for the next request. */
export type RequestSink = (code: number, at: RequestAt) => void

/** How many keys a request with a code carries. */
type KeyCount = (code: number) => number

/**
 * Milliseconds within which requests are put in order of time. A time further back means that the clock was set back:
 * nginx too takes a step back of more than a minute as a new time (ngx_http_limit_req_module).
 */
export const WINDOW = 60_000

/** How requests are put in order. */
export type SequencerOptions = {
  /**
   * For logs of whole seconds: `even` spreads the requests of a second over it in the order of the log, `none` has all
   * of them come at its beginning. Undefined where times are finer.
   */
  readonly spread: 'even' | 'none' | undefined
  readonly keyCount: KeyCount
  readonly sink: RequestSink
  /** The most requests that are held back; beyond, the oldest seconds are released early. */
  readonly limit?: number
}

/** The requests of a batch; the sink must know the numbers of their keys. */
type Requests = Pick<Batch, 'times' | 'codes' | 'keys' | 'latest'>

/** Puts requests in order and passes them to its sink. */
type Sequencer = {
  put(requests: Requests): void
  /** Visits every request that is held back. */
  visit(visit: RequestSink): void
  /** Releases what is held back. */
  finish(): void
  /** How often the clock was set back by more than a minute. */
  readonly setBacks: number
}

const MOST_HELD = 2 ** 20
const SECOND = 1000

/** A sequencer that holds no request. */
export function createSequencer({ spread, keyCount, sink, limit = MOST_HELD }: SequencerOptions): Sequencer {
  const buckets = new Map<number, SecondBucket>()
  /** The first second that is still open, the first that has requests, and the last that had any. */
  let [floor, first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [held, setBacks] = [0, 0]

  const release = (second: number, bucket: SecondBucket): void => {
    buckets.delete(second)
    held -= bucket.size
    if (spread === 'even') emitSpread(bucket, keyCount, sink, second * SECOND)
    else emitSorted(bucket, keyCount, sink)
  }
  const releaseBefore = (second: number): void => {
    const complete = [...buckets].filter(([open]) => open < second).sort(([a], [b]) => a - b)
    for (const [open, bucket] of complete) release(open, bucket)
    floor = Math.max(floor, second)
    first = Math.max(first, second)
  }
  const finish = (): void => {
    releaseBefore(last + 1)
    floor = Number.NEGATIVE_INFINITY
    first = Number.POSITIVE_INFINITY
    last = Number.NEGATIVE_INFINITY
  }
  /** The bucket for a second; requests that come too late go into the first second that is open. */
  const bucketOf = (second: number): SecondBucket => {
    if (last - second > WINDOW / SECOND) {
      setBacks += 1
      finish()
    }
    const owner = Math.max(second, floor)
    last = Math.max(last, owner)
    const bucket = buckets.get(owner) ?? { slices: [], size: 0 }
    buckets.set(owner, bucket)
    first = Math.min(first, owner)
    return bucket
  }
  return {
    put(requests) {
      forEachSecond(requests, keyCount, (second, from, to, keyFrom) => {
        const bucket = bucketOf(second)
        bucket.slices.push({ ...requests, from, to, keyFrom })
        bucket.size += to - from
        held += to - from
        while (held > limit) releaseBefore(first + 1)
      })
      const complete = Math.min(Math.floor((requests.latest - WINDOW) / SECOND), last + 1)
      if (complete > first) releaseBefore(complete)
    },
    visit(visit) {
      for (const { slices } of buckets.values()) visitRequests(slices, keyCount, visit)
    },
    finish,
    get setBacks() {
      return setBacks
    },
  }
}

type VisitSlice = (second: number, from: number, to: number, keyFrom: number) => void

/** Visits the requests of a batch in slices of the same second. */
function forEachSecond({ times, codes }: Requests, keyCount: KeyCount, visit: VisitSlice): void {
  let [from, keyFrom, keyTo] = [0, 0, 0]
  let [start, end] = [0, 0]
  let [lastCode, count] = [-1, 0]
  for (let index = 0; index < codes.length; index += 1) {
    const time = times[index] ?? 0
    if (time < start || time >= end) {
      if (index > from) visit(start / SECOND, from, index, keyFrom)
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
  if (codes.length > from) visit(start / SECOND, from, codes.length, keyFrom)
}

/** Requests of a batch that stand side by side: from one position to before another. */
type BatchSlice = {
  readonly times: Float64Array
  readonly codes: Int32Array
  readonly keys: Float64Array
  readonly from: number
  readonly to: number
  /** The position of the first request's first key. */
  readonly keyFrom: number
}

/** Requests of one second, in the order in which they were put. */
type SecondBucket = { readonly slices: BatchSlice[]; size: number }

/** Emits the requests of a bucket in their order, spread evenly over the second that begins at `start` (milliseconds). */
function emitSpread({ slices, size }: SecondBucket, keyCount: KeyCount, sink: RequestSink, start: number): void {
  let index = 0
  visitRequests(slices, keyCount, (code, at) => {
    at.time = start + Math.floor((index * 1000) / size)
    index += 1
    sink(code, at)
  })
}

/** Emits the requests of a bucket in the order of their times; equal times keep their order. */
function emitSorted({ slices }: SecondBucket, keyCount: KeyCount, sink: RequestSink): void {
  if (isSorted(slices)) {
    visitRequests(slices, keyCount, sink)
    return
  }
  const all: { readonly code: number; readonly at: RequestAt }[] = []
  visitRequests(slices, keyCount, (code, { time, keys, at }) => all.push({ code, at: { time, keys, at } }))
  all.sort((a, b) => a.at.time - b.at.time)
  for (const { code, at } of all) sink(code, at)
}

function isSorted(slices: readonly BatchSlice[]): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (const { times, from, to } of slices) {
    for (let index = from; index < to; index += 1) {
      const time = times[index] ?? 0
      if (time < last) return false
      last = time
    }
  }
  return true
}

/** Visits every request in order; the object that is passed is reused for the next request. */
export function visitRequests(slices: readonly BatchSlice[], keyCount: KeyCount, visit: RequestSink): void {
  const cursor: RequestAt = { time: 0, keys: new Float64Array(0), at: 0 }
  for (const { times, codes, keys, from, to, keyFrom } of slices) {
    let [lastCode, count, at] = [-1, 0, keyFrom]
    cursor.keys = keys
    for (let index = from; index < to; index += 1) {
      const code = codes[index] ?? 0
      if (code !== lastCode) {
        lastCode = code
        count = keyCount(code)
      }
      cursor.time = times[index] ?? 0
      cursor.at = at
      visit(code, cursor)
      at += count
    }
  }
}
