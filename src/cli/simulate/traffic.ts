/** Opens the logs of `sluice simulate`, and reports lines that cannot be read. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { describeSystemError } from '../../files/input-problem.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { arrangeLogs, type ReadResult, type UnreadableLine } from '../../simulate/core/log-reading.ts'
import { BrokenLog } from '../../simulate/logs/gunzip.ts'
import { type LogInput, openLogFile, openLogStream } from '../../simulate/logs/log-input.ts'
import type { LogFiles } from '../../simulate/logs/simulate-logs.ts'
import { fromBytes } from '../../traffic/escaping.ts'
import { InputError, type Io } from '../core/io.ts'
import { readCount, readPairs, readSpread, type SimulateFlags } from './flags.ts'
import { createReadingProgress, type ReadingProgress } from './progress.ts'

/** Logs, and the progress of reading them. */
type OpenedLogs = { readonly files: LogFiles; readonly progress: ReadingProgress }

/** Opens logs by their paths. Throws {@link InputError} where one cannot be read. */
export async function openLogs(io: Io, flags: SimulateFlags, paths: readonly string[]): Promise<OpenedLogs> {
  const opened = await Promise.all(paths.map((path) => openLog(path, io)))
  const arranged = arrangeLogs(opened, { format: flags.value('log-format'), fields: readPairs(flags, 'field') })
  if (!arranged.ok) throw new InputError(escapeUnsafe(arranged.problem))
  const { kind, logs } = arranged.value
  const progress = createReadingProgress(io, totalSize(logs))
  const most = Number.MAX_SAFE_INTEGER
  const files: LogFiles = {
    kind,
    logs,
    spread: readSpread(flags),
    host: flags.value('host'),
    maxBadLines: readCount(flags, 'max-bad-lines', { least: 0, most, fallback: Number.POSITIVE_INFINITY }),
    threads: readCount(flags, 'threads', { least: 0, most: 64, fallback: threadsFor(logs) }),
    onBytes: progress.onBytes,
    onLines: progress.onLines,
  }
  return { files, progress }
}

async function openLog(path: string, { cwd, stdin }: Io): Promise<LogInput> {
  if (path === '-') return await withInputErrors(path, () => openLogStream(stdin, 'standard input'))
  return await withInputErrors(path, () => openLogFile(resolve(cwd, path), path))
}

/** Runs what reads a log. Errors of the operating system and of packed data become {@link InputError}. */
export async function withInputErrors<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(
      escapeUnsafe(`${name}: ${error instanceof BrokenLog ? error.message : describeSystemError(error)}`),
    )
  }
}

const totalSize = (logs: readonly LogInput[]): number | undefined =>
  logs.some(({ size }) => size === undefined) ? undefined : logs.reduce((sum, { size = 0 }) => sum + size, 0)

/** Below this many bytes a thread costs more than it saves. */
const WORTH_A_THREAD = 16 * 1024 ** 2
const MOST_THREADS = 8

/** One thread for each processor but the one that decides. */
function threadsFor(logs: readonly LogInput[]): number {
  const isSmall = (totalSize(logs) ?? Number.POSITIVE_INFINITY) < WORTH_A_THREAD
  if (isSmall || logs.every(({ isShort }) => isShort)) return 0
  return Math.max(0, Math.min(MOST_THREADS, availableParallelism() - 1))
}

const REASONS = {
  format: 'does not match the log format',
  time: 'no valid time',
  long: 'longer than 1 MiB',
} as const

/**
 * Prints the first lines that could not be read. Throws {@link InputError} where there were more than the user allows,
 * and where none could be read.
 */
export function reportUnreadable(
  { lines, unreadable, examples, gaveUp }: ReadResult,
  { kind, maxBadLines }: LogFiles,
  { stderr }: Io,
): void {
  for (const example of examples) stderr.write(`${describeLine(example)}\n`)
  const count = unreadable.toLocaleString('en')
  if (gaveUp)
    throw new InputError(`${count} lines could not be read as ${kind.name}, and --max-bad-lines allows ${maxBadLines}`)
  if (unreadable > 0 && unreadable === lines)
    throw new InputError(
      `none of ${count} lines could be read as ${kind.name}; describe the format of the log with --log-format`,
    )
  if (unreadable > examples.length) stderr.write(`note: ${count} lines could not be read; these are the first\n`)
}

/** Characters of an unreadable line that are printed. */
const SHOWN = 80

function describeLine({ log, line, reason, text }: UnreadableLine): string {
  const shown = escapeUnsafe(fromBytes(text.slice(0, SHOWN)))
  return `sluice: ${escapeUnsafe(log)}:${line}: ${REASONS[reason]}: ${shown}${text.length > SHOWN ? '…' : ''}`
}
