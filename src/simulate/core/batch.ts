/** Requests as numbers, many at a time: what readers of traffic hand to whoever decides. */

/** A line that could not be read. */
export type BadLine = {
  /** Counts from 1 within its batch. */
  readonly line: number
  readonly reason: BadLineReason
  /** Its beginning, one character a byte. */
  readonly text: string
}

/** `format`: not as the log's format writes it. `time`: no time in it. `long`: over a MiB. */
export type BadLineReason = 'format' | 'time' | 'long'

/** How many bad lines are kept with their text. */
export const BAD_LINES_KEPT = 5
/** Characters that are kept of a bad line. */
const BAD_LINE_TEXT = 200

/** Requests in the order of the log. */
export type Batch = {
  /** Milliseconds since the epoch. */
  readonly times: Float64Array<ArrayBuffer>
  /** The places of each, see `codeOf`. */
  readonly codes: Int32Array<ArrayBuffer>
  /** The numbers of its keys, one for each of its expressions, see `FIRST_TEXT`. */
  readonly keys: Float64Array<ArrayBuffer>
  /** True where the numbers of texts begin anew with this batch. */
  readonly reset: boolean
  /** The texts that have got a number in this batch, by expression, in the order of their numbers. */
  readonly fresh: readonly (readonly string[])[]
  /** Lines that were looked at, empty ones among them. */
  readonly lines: number
  readonly bad: number
  /** The first of them. */
  readonly badLines: readonly BadLine[]
  /** The latest time at which a request was logged; -Infinity where there is none. */
  readonly latest: number
}

/** A batch in the making. */
export type BatchBuilder = {
  /** Begins a request; its keys follow. */
  add(time: number, code: number): void
  addKey(key: number): void
  /** Notes the time at which a request was logged. */
  logged(time: number): void
  addBad(line: number, reason: BadLineReason, text: string): void
  /** Ends the batch; the builder can go on with the next. */
  finish(rest: Pick<Batch, 'reset' | 'fresh' | 'lines'>): Batch
}

const FIRST_SIZE = 16 * 1024

export function createBatchBuilder(): BatchBuilder {
  let times = new Float64Array(FIRST_SIZE)
  let codes = new Int32Array(FIRST_SIZE)
  let keys = new Float64Array(FIRST_SIZE)
  let [requests, keyCount, bad, latest] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  let badLines: BadLine[] = []
  return {
    add(time, code) {
      if (requests === times.length) {
        times = enlarge(times, new Float64Array(requests * 2))
        codes = enlarge(codes, new Int32Array(requests * 2))
      }
      times[requests] = time
      codes[requests] = code
      requests += 1
    },
    addKey(key) {
      if (keyCount === keys.length) keys = enlarge(keys, new Float64Array(keyCount * 2))
      keys[keyCount] = key
      keyCount += 1
    },
    logged(time) {
      if (time > latest) latest = time
    },
    addBad(line, reason, text) {
      bad += 1
      if (badLines.length < BAD_LINES_KEPT) badLines.push({ line, reason, text: text.slice(0, BAD_LINE_TEXT) })
    },
    finish(rest) {
      const batch = {
        ...rest,
        times: times.slice(0, requests),
        codes: codes.slice(0, requests),
        keys: keys.slice(0, keyCount),
        bad,
        badLines,
        latest,
      }
      requests = 0
      keyCount = 0
      bad = 0
      latest = Number.NEGATIVE_INFINITY
      badLines = []
      return batch
    },
  }
}

function enlarge<Numbers extends Int32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
