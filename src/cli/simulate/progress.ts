/** The progress of reading a log, on a terminal. */
import type { Io } from '../core/io.ts'

/** Shows the progress in one line. */
export type ReadingProgress = {
  onBytes(bytes: number): void
  onLines(lines: number): void
  /** Removes the line. */
  clear(): void
}

/** Milliseconds before the line is first shown, and between two updates. */
const DELAY = 1000
const INTERVAL = 200

/** Writes nothing unless the standard error is a terminal. `total`: bytes of all logs; undefined where unknown. */
export function createReadingProgress(
  { stderr, now }: Pick<Io, 'stderr' | 'now'>,
  total: number | undefined,
): ReadingProgress {
  if (!stderr.isTTY) return { onBytes: () => {}, onLines: () => {}, clear: () => {} }
  const started = now()
  let next = started + DELAY
  let bytes = 0
  let shown = false
  return {
    onBytes(more) {
      bytes += more
    },
    onLines(lines) {
      const time = now()
      if (time < next) return
      next = time + INTERVAL
      shown = true
      stderr.write(`\r${describeReading({ lines, bytes, total, seconds: (time - started) / 1000 })}\x1b[K`, 'exact')
    },
    clear() {
      if (shown) stderr.write('\r\x1b[K', 'exact')
      shown = false
    },
  }
}

/** What was read so far: `bytes` of `total`. */
type ReadingState = {
  readonly lines: number
  readonly bytes: number
  readonly total: number | undefined
  readonly seconds: number
}

/** One line: what was read, how fast, the share of the bytes, the remaining time. */
export function describeReading({ lines, bytes, total, seconds }: ReadingState): string {
  const rate = Math.round(lines / Math.max(seconds, 0.001))
  const read = `${lines.toLocaleString('en')} lines, ${rate.toLocaleString('en')} per second`
  if (total === undefined || total === 0 || bytes === 0) return read
  const share = Math.min(1, bytes / total)
  const left = Math.ceil((seconds / share) * (1 - share))
  const time = left >= 60 ? `${Math.floor(left / 60)} min ${left % 60} s` : `${left} s`
  return `${read}, ${Math.floor(share * 100)} %, ${time} left`
}
