/** The requests of one second of traffic, until it is their turn. */
import type { RequestAt } from './decision.ts'

/** Takes requests one after another. */
export type RequestSink = (code: number, at: RequestAt) => void

/** Requests of one second, in the order in which they came in. */
export type SecondBucket = {
  put(time: number, code: number, keys: Int32Array, at: number): void
  readonly size: number
  visit(show: (code: number, keys: Int32Array, at: number) => void): void
  /** Gives them away in the order of their times, or spread evenly over the second that begins at `spreadFrom`. */
  empty(sink: RequestSink, spreadFrom: number | undefined): void
}

/** `keyCount` says how many keys a request with a code carries. */
export function createSecondBucket(keyCount: (code: number) => number): SecondBucket {
  let times = new Float64Array(64)
  let codes = new Int32Array(64)
  let starts = new Int32Array(64)
  let keys = new Int32Array(64)
  let [size, keyEnd] = [0, 0]
  let isSorted = true
  let [lastCode, lastCount] = [-1, 0]
  const countOf = (code: number): number => {
    if (code !== lastCode) {
      lastCode = code
      lastCount = keyCount(code)
    }
    return lastCount
  }
  const grow = (): void => {
    times = enlarge(times, new Float64Array(size * 2))
    codes = enlarge(codes, new Int32Array(size * 2))
    starts = enlarge(starts, new Int32Array(size * 2))
  }
  return {
    put(time, code, from, at) {
      if (size === times.length) grow()
      const count = countOf(code)
      while (keyEnd + count > keys.length) keys = enlarge(keys, new Int32Array(keys.length * 2))
      for (let index = 0; index < count; index += 1) keys[keyEnd + index] = from[at + index] ?? -1
      if (size > 0 && time < (times[size - 1] ?? 0)) isSorted = false
      times[size] = time
      codes[size] = code
      starts[size] = keyEnd
      size += 1
      keyEnd += count
    },
    get size() {
      return size
    },
    visit(show) {
      for (let index = 0; index < size; index += 1) show(codes[index] ?? 0, keys, starts[index] ?? 0)
    },
    empty(sink, spreadFrom) {
      const cursor: RequestAt = { time: 0, keys, at: 0 }
      const order = isSorted || spreadFrom !== undefined ? undefined : byTime(times, size)
      for (let index = 0; index < size; index += 1) {
        const which = order?.[index] ?? index
        cursor.time = spreadFrom === undefined ? (times[which] ?? 0) : spreadFrom + Math.floor((index * 1000) / size)
        cursor.at = starts[which] ?? 0
        sink(codes[which] ?? 0, cursor)
      }
      size = 0
      keyEnd = 0
      isSorted = true
    },
  }
}

/** Positions in the order of their times; equal times keep their order. */
const byTime = (times: Float64Array, size: number): Int32Array =>
  Int32Array.from({ length: size }, (_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)

function enlarge<Numbers extends Int32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
