/** What all readers of logs share: options, the kind and the order of logs, counts of lines. */
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { QueryResult } from '../../queries/find.ts'
import { detectLog, type LogHints } from '../../traffic/detect.ts'
import { columnsOf, type LogKind, openLog } from '../../traffic/log.ts'
import { unwrapLines } from '../../traffic/wrapper.ts'
import type { BadLineReason, Batch } from './batch.ts'
import type { Plan } from './plan.ts'

/** Everything that reading a log needs to know. Plain data, so that threads can get a copy. */
export type EncoderOptions = {
  readonly kind: LogKind
  /** Variables that the user sets for all requests, and their values. */
  readonly constants: readonly (readonly [name: string, value: string])[]
  readonly plan: Plan
  readonly platform: VariablePlatform
  /** False to read every line in full, which gives the same result and takes longer. */
  readonly quick: boolean
}

/** The bytes of a block from `start` to before `end`, one character a byte. */
export type BlockText = (start: number, end: number) => string

/** Bytes of a block of lines: large enough to be worth a message between threads, small enough for caches. */
export const BLOCK_BYTES = 1 << 20
/** The longest line in bytes that is read; what is longer counts as unreadable. */
export const LONGEST_LINE = 1 << 20
/** Bytes at the beginning of a log from which its format is detected. */
export const SAMPLE_BYTES = 64 * 1024
/** Lines of these bytes that are looked at. */
const SAMPLE_LINES = 50

/** The byte order mark of UTF-8, which some editors write, one character a byte. */
const BOM = /^\xef\xbb\xbf/

/** The first line of a log without a byte order mark; one character a byte. */
export const withoutBom = (text: string): string => text.replace(BOM, '')

/**
 * The first lines of a log, from its beginning, one character a byte. `isComplete`: the text ends with a whole line,
 * with or without a line break.
 */
export function sampleLines(text: string, isComplete: boolean): readonly string[] {
  const lines = withoutBom(text)
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
  const complete = isComplete || lines.length < 2 ? lines : lines.slice(0, -1)
  return complete.slice(0, SAMPLE_LINES)
}

/** A log by its name in messages and its first lines. */
type SampledLog = { readonly name: string; readonly sample: readonly string[] }

/** Logs of one kind, the earliest first. */
export type Logs<Log extends SampledLog> = { readonly logs: readonly Log[]; readonly kind: LogKind }

/** Detects the kind of logs from the first one that has a line, and sorts them by the time of their first requests. */
export function arrangeLogs<Log extends SampledLog>(logs: readonly Log[], hints: LogHints): QueryResult<Logs<Log>> {
  const first = logs.find(({ sample }) => sample.some((line) => line !== ''))
  if (!first) return { ok: false, problem: `${logs.map(({ name }) => name).join(', ')}: the log has no lines` }
  const detected = detectLog(first.sample, hints)
  if (!detected.ok) return { ok: false, problem: `${first.name}: ${detected.problem}` }
  const { kind } = detected
  const timed = logs.map((log) => ({ log, time: firstTime(log, kind) }))
  return { ok: true, value: { kind, logs: timed.sort((a, b) => a.time - b.time).map(({ log }) => log) } }
}

/** Milliseconds since the epoch; 0 where no line has a time. */
function firstTime({ sample }: SampledLog, kind: LogKind): number {
  const log = openLog(kind, new Map())
  const read = log.reader()
  for (const line of unwrapLines(kind.wrapper, sample)) {
    const row = read(line)
    const time = row ? log.logged(row) : Number.NaN
    if (!Number.isNaN(time)) return time
  }
  return 0
}

/** The constants for a kind of log: `host` is used where the log does not have the host of requests. */
export function logConstants(
  kind: LogKind,
  constants: ReadonlyMap<string, string>,
  host: string | undefined,
): ReadonlyMap<string, string> {
  const columns = columnsOf(kind)
  const hasHost = columns.has('host') || columns.has('http_host') || constants.has('http_host')
  return host === undefined || hasHost ? constants : new Map([...constants, ['http_host', host]])
}

/** A line that could not be read, by its position in its log. */
export type UnreadableLine = {
  readonly log: string
  /** From 1. */
  readonly line: number
  readonly reason: BadLineReason
  /** The beginning of the line, one character a byte. */
  readonly text: string
}

/** The result of reading logs. */
export type ReadResult = {
  /** Lines that were read, including empty and unreadable ones. */
  readonly lines: number
  readonly unreadable: number
  /** Requests with a limit by address whose client has none, and the first text in its place, one character a byte. */
  readonly withoutAddress: number
  readonly addressExample: string
  /** The first unreadable lines. */
  readonly examples: readonly UnreadableLine[]
  /** Logs that could be read only in part, and why. */
  readonly broken: readonly { readonly log: string; readonly reason: string }[]
  /** True where reading stopped because too many lines were unreadable. */
  readonly gaveUp: boolean
}

/** The result for traffic that is not a log. */
export const NOTHING_READ: ReadResult = {
  lines: 0,
  unreadable: 0,
  withoutAddress: 0,
  addressExample: '',
  examples: [],
  broken: [],
  gaveUp: false,
}

/** Counts the lines of logs. */
type LineCounter = {
  /** Adds the next batch of the log at a position. False once more lines were unreadable than allowed. */
  add(log: number, batch: Batch): boolean
  /** Records that a log could be read only in part. */
  addBroken(log: number, reason: string): void
  readonly lines: number
  result(): ReadResult
}

/** Unreadable lines that are kept as examples. */
const EXAMPLES = 5

/** A counter for logs by their names. `maxBadLines`: unreadable lines that are allowed. */
export function createLineCounter(names: readonly string[], maxBadLines: number): LineCounter {
  const broken: { log: string; reason: string }[] = []
  const examples: UnreadableLine[] = []
  const linesOf = names.map(() => 0)
  let [lines, unreadable, withoutAddress, addressExample] = [0, 0, 0, '']
  const nameOf = (log: number): string => names[log] ?? ''
  return {
    add(log, batch) {
      for (const bad of batch.badLines.slice(0, EXAMPLES - examples.length))
        examples.push({ ...bad, log: nameOf(log), line: (linesOf[log] ?? 0) + bad.line })
      linesOf[log] = (linesOf[log] ?? 0) + batch.lines
      lines += batch.lines
      unreadable += batch.bad
      withoutAddress += batch.withoutAddress
      if (addressExample === '') addressExample = batch.addressExample
      return unreadable <= maxBadLines
    },
    addBroken: (log, reason) => void broken.push({ log: nameOf(log), reason }),
    get lines() {
      return lines
    },
    result: () => ({
      lines,
      unreadable,
      withoutAddress,
      addressExample,
      examples,
      broken,
      gaveUp: unreadable > maxBadLines,
    }),
  }
}
