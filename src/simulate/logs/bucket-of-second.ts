/** The requests of one second of traffic, until it is their turn. */
import type { RequestAt } from '../core/decision.ts'

/** Takes requests one after another. */
export type RequestSink = (code: number, at: RequestAt) => void

/** Requests that stand side by side in a batch: from one position to before another. */
export type Run = {
  readonly times: Float64Array
  readonly codes: Int32Array
  readonly keys: Float64Array
  readonly from: number
  readonly to: number
  /** Where the keys of the first begin. */
  readonly keyFrom: number
}

/** Requests of one second, in the order in which they came in. */
export type SecondBucket = { readonly runs: Run[]; size: number }

export const emptyBucket = (): SecondBucket => ({ runs: [], size: 0 })

/** Puts a run into a bucket. */
export function putRun(bucket: SecondBucket, run: Run): void {
  bucket.runs.push(run)
  bucket.size += run.to - run.from
}

/** How many keys a request with a code carries. */
export type KeyCount = (code: number) => number

/** Hands on the requests of a bucket as they came in, spread evenly over the second that begins at `spreadFrom`. */
export function emptySpread(
  { runs, size }: SecondBucket,
  keyCount: KeyCount,
  sink: RequestSink,
  spreadFrom: number,
): void {
  let index = 0
  visitRuns(runs, keyCount, (code, at) => {
    at.time = spreadFrom + Math.floor((index * 1000) / size)
    index += 1
    sink(code, at)
  })
}

/** Hands on the requests of a bucket in the order of their times; equal times keep their order. */
export function emptySorted({ runs, size }: SecondBucket, keyCount: KeyCount, sink: RequestSink): void {
  if (isSorted(runs)) {
    visitRuns(runs, keyCount, sink)
    return
  }
  const all: { readonly code: number; readonly at: RequestAt }[] = []
  visitRuns(runs, keyCount, (code, { time, keys, at }) => all.push({ code, at: { time, keys, at } }))
  if (all.length !== size) throw new Error('a bucket has lost requests')
  all.sort((a, b) => a.at.time - b.at.time)
  for (const { code, at } of all) sink(code, at)
}

function isSorted(runs: readonly Run[]): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (const { times, from, to } of runs) {
    for (let index = from; index < to; index += 1) {
      const time = times[index] ?? 0
      if (time < last) return false
      last = time
    }
  }
  return true
}

/** Shows every request; the object is used again. */
export function visitRuns(runs: readonly Run[], keyCount: KeyCount, visit: RequestSink): void {
  const cursor: RequestAt = { time: 0, keys: new Float64Array(0), at: 0 }
  for (const { times, codes, keys, from, to, keyFrom } of runs) {
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
