/** Logs as traffic: which kind they are, in which order they come, what could not be read. */

import type { QueryResult } from '../../queries/find.ts'
import { detectLog, type LogHints } from '../../traffic/detect.ts'
import { type LogKind, openLog } from '../../traffic/log.ts'
import type { BadLineReason } from '../core/batch.ts'
import type { PlanRun } from '../core/run-plan.ts'
import type { EncoderOptions } from './encoder-options.ts'
import type { LogInput } from './log-input.ts'
import { replay } from './replay.ts'

/** Logs of one kind, the earliest first. */
export type Logs = { readonly inputs: readonly LogInput[]; readonly kind: LogKind }

/** Tells the kind of logs by the first that has a line, and puts them in the order of their first requests. */
export function arrangeLogs(inputs: readonly LogInput[], hints: LogHints): QueryResult<Logs> {
  const [first] = inputs.filter(({ sample }) => sample.some((line) => line !== ''))
  if (!first) return { ok: false, problem: `${inputs.map(({ name }) => name).join(', ')}: no line in it` }
  const detected = detectLog(first.sample, hints)
  if (!detected.ok) return { ok: false, problem: `${first.name}: ${detected.problem}` }
  const { kind } = detected
  const timed = inputs.map((input) => ({ input, time: firstTime(input, kind) }))
  return { ok: true, value: { kind, inputs: timed.sort((a, b) => a.time - b.time).map(({ input }) => input) } }
}

/** Where no line tells, a log stays behind those before it. */
function firstTime({ sample }: LogInput, kind: LogKind): number {
  const log = openLog(kind, new Map())
  const read = log.reader()
  for (const line of sample) {
    const row = read(line)
    const time = row ? log.logged(row) : Number.NaN
    if (!Number.isNaN(time)) return time
  }
  return 0
}

/** A line that could not be read, by its place in its log. */
export type UnreadableLine = {
  readonly log: string
  readonly line: number
  readonly reason: BadLineReason
  /** Its beginning, one character a byte. */
  readonly text: string
}

/** What reading came to. */
export type Reading = {
  readonly lines: number
  readonly unreadable: number
  /** The first of them. */
  readonly examples: readonly UnreadableLine[]
  /** Logs that break in their middle, and why. */
  readonly broken: readonly { readonly log: string; readonly reason: string }[]
  /** True where it ended early, for too many lines could not be read. */
  readonly gaveUp: boolean
}

export type ReadingOptions = Logs & {
  readonly encoder: EncoderOptions
  readonly threads: number
  /** Lines that may be unreadable. */
  readonly maxBadLines: number
  onBytes(bytes: number): void
  /** Hears, now and then, how many lines were read. */
  onLines(lines: number): void
}

const EXAMPLES = 5

/** Reads logs and hands their requests to a plan at work. */
export async function readLogs(options: ReadingOptions, run: PlanRun): Promise<Reading> {
  const { inputs, maxBadLines } = options
  const broken: { log: string; reason: string }[] = []
  const examples: UnreadableLine[] = []
  const linesOf = inputs.map(() => 0)
  let [lines, unreadable] = [0, 0]
  const nameOf = (log: number): string => inputs[log]?.name ?? ''
  const onBroken = (log: number, { message }: Error) => void broken.push({ log: nameOf(log), reason: message })
  for await (const { batch, reader, log } of replay({ ...options, onBroken })) {
    for (const bad of batch.badLines.slice(0, EXAMPLES - examples.length))
      examples.push({ ...bad, log: nameOf(log), line: (linesOf[log] ?? 0) + bad.line })
    linesOf[log] = (linesOf[log] ?? 0) + batch.lines
    lines += batch.lines
    unreadable += batch.bad
    if (unreadable > maxBadLines) return { lines, unreadable, examples, broken, gaveUp: true }
    run.take(reader, batch)
    options.onLines(lines)
  }
  return { lines, unreadable, examples, broken, gaveUp: false }
}
