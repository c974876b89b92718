/** Requests as numbers, many at a time: what readers of traffic pass to the run that decides. */

import type { PackedTexts } from './packed-texts.ts'

/** A line that could not be read. */
type BadLine = {
  /** Counts from 1 within its batch. */
  readonly line: number
  readonly reason: BadLineReason
  /** The beginning of the line, one character a byte. */
  readonly text: string
}

/** `format`: the line does not fit the log's format. `time`: it has no valid time. `long`: it is longer than 1 MiB. */
export type BadLineReason = 'format' | 'time' | 'long'

/** Bad lines of a batch that are kept with their text. */
const BAD_LINES_KEPT = 5
/** Characters that are kept of a bad line. */
const BAD_LINE_TEXT = 200

/** Requests in the order of the log. */
export type Batch = {
  /** Milliseconds since the epoch. */
  readonly times: Float64Array<ArrayBuffer>
  /** The locations of each request, see `codeOf`. */
  readonly codes: Int32Array<ArrayBuffer>
  /** The numbers of the keys, request by request, one for each expression of the request's code. See `FIRST_TEXT`. */
  readonly keys: Float64Array<ArrayBuffer>
  /** True where the reader numbers its keys from the start again with this batch. */
  readonly reset: boolean
  /** The keys that got a number in this batch, by expression, in the order of their numbers. */
  readonly newTexts: readonly PackedTexts[]
  /** Lines that were read, including empty and bad ones. */
  readonly lines: number
  /** How many lines could not be read. */
  readonly bad: number
  /** The first of the bad lines. */
  readonly badLines: readonly BadLine[]
  /** Requests with a limit by address whose client has none, and the first text in its place, one character a byte. */
  readonly withoutAddress: number
  readonly addressExample: string
  /** Milliseconds since the epoch: the latest time at which a request was logged; -Infinity where there is none. */
  readonly latest: number
}

/** Collects one batch after another. */
export type BatchBuilder = {
  /** Begins a request; its keys follow. */
  add(time: number, code: number): void
  addKey(key: number): void
  /** Records the time at which a request was logged. */
  logged(time: number): void
  addBad(line: number, reason: BadLineReason, text: string): void
  /** Counts a request whose client has no address but this text. */
  addWithoutAddress(text: string): void
  /** Ends the batch; the builder is then ready for the next. */
  finish(rest: Pick<Batch, 'reset' | 'newTexts' | 'lines'>): Batch
}

const FIRST_SIZE = 16 * 1024

/** A builder without requests. */
export function createBatchBuilder(): BatchBuilder {
  let times = new Float64Array(FIRST_SIZE)
  let codes = new Int32Array(FIRST_SIZE)
  let keys = new Float64Array(FIRST_SIZE)
  let [requests, keyCount] = [0, 0]
  let rest = emptyRest()
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
      rest.latest = Math.max(rest.latest, time)
    },
    addBad(line, reason, text) {
      rest.bad += 1
      if (rest.badLines.length < BAD_LINES_KEPT)
        rest.badLines.push({ line, reason, text: text.slice(0, BAD_LINE_TEXT) })
    },
    addWithoutAddress(text) {
      rest.withoutAddress += 1
      if (rest.addressExample === '') rest.addressExample = text.slice(0, BAD_LINE_TEXT)
    },
    finish(given) {
      const batch = {
        ...given,
        ...rest,
        times: times.slice(0, requests),
        codes: codes.slice(0, requests),
        keys: keys.slice(0, keyCount),
      }
      requests = 0
      keyCount = 0
      rest = emptyRest()
      return batch
    },
  }
}

/** What a batch has beside its requests. */
type Rest = {
  -readonly [Name in 'bad' | 'withoutAddress' | 'addressExample' | 'latest']: Batch[Name]
} & { readonly badLines: BadLine[] }

const emptyRest = (): Rest => ({
  bad: 0,
  badLines: [],
  withoutAddress: 0,
  addressExample: '',
  latest: Number.NEGATIVE_INFINITY,
})

function enlarge<Numbers extends Int32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
