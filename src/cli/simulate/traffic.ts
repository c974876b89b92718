/** The traffic that `sluice simulate` is given: opens logs, or makes a shape. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { reasonOf } from '../../files/input-problem.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { BrokenLog, type LogInput, openLogFile, openLogStream } from '../../simulate/logs/log-input.ts'
import { arrangeLogs, type Reading, type UnreadableLine } from '../../simulate/logs/logs.ts'
import type { Traffic } from '../../simulate/logs/traffic.ts'
import { fromBytes } from '../../traffic/escaping.ts'
import { columnsOf } from '../../traffic/log.ts'
import { InputError, type Io } from '../core/io.ts'
import { readCount, readPairs, readSpread, type SimulateFlags, type TrafficFlags } from './flags.ts'
import { createReadingProgress, type ReadingProgress } from './progress.ts'

/** Traffic, the values of variables that hold for all of it, and how far reading has come. */
export type OpenedTraffic = {
  readonly traffic: Traffic
  readonly constants: ReadonlyMap<string, string>
  readonly progress: ReadingProgress
}

/** Opens what the flags name. Throws {@link InputError} where that cannot be read. */
export async function openTraffic(io: Io, given: SimulateFlags, wanted: TrafficFlags): Promise<OpenedTraffic> {
  const constants = new Map(readPairs(given, 'set'))
  const host = given.value('host')
  if (wanted.type === 'shape') {
    const target = { method: given.value('method') ?? 'GET', host, target: given.value('path') ?? '/' }
    const { shape, name } = wanted
    return {
      traffic: { type: 'shape', shape, name, target },
      constants,
      progress: createReadingProgress(io, undefined),
    }
  }
  const opened = await Promise.all(wanted.files.map((file) => openLog(file, io)))
  const arranged = arrangeLogs(opened, { format: given.value('log-format'), fields: readPairs(given, 'field') })
  if (!arranged.ok) throw new InputError(escapeUnsafe(fromBytes(arranged.problem)))
  const { kind, inputs } = arranged.value
  const columns = columnsOf(kind)
  if (host !== undefined && !columns.has('host') && !columns.has('http_host') && !constants.has('http_host'))
    constants.set('http_host', host)
  const progress = createReadingProgress(io, totalSize(inputs))
  const most = Number.MAX_SAFE_INTEGER
  const traffic: Traffic = {
    type: 'log',
    kind,
    inputs,
    spread: readSpread(given),
    maxBadLines: readCount(given, 'max-bad-lines', { least: 0, most, fallback: Number.POSITIVE_INFINITY }),
    threads: readCount(given, 'threads', { least: 0, most: 64, fallback: threadsFor(inputs) }),
    quick: true,
    onBytes: progress.onBytes,
    onLines: progress.onLines,
  }
  return { traffic, constants, progress }
}

async function openLog(file: string, { cwd, stdin }: Io): Promise<LogInput> {
  if (file === '-') return await readable(file, () => openLogStream(stdin, 'standard input'))
  return await readable(file, () => openLogFile(resolve(cwd, file), file))
}

/** Does what reads a log. Throws {@link InputError} where the operating system, or the packing, is in the way. */
export async function readable<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(escapeUnsafe(`${name}: ${error instanceof BrokenLog ? error.message : reasonOf(error)}`))
  }
}

const totalSize = (inputs: readonly LogInput[]): number | undefined =>
  inputs.some(({ size }) => size === undefined) ? undefined : inputs.reduce((sum, { size = 0 }) => sum + size, 0)

/** Below this many bytes a thread costs more than it brings. */
const WORTH_A_THREAD = 16 * 1024 ** 2
const MOST_THREADS = 8

/** One thread for each processor but the one that decides. */
function threadsFor(inputs: readonly LogInput[]): number {
  const isSmall = (totalSize(inputs) ?? Number.POSITIVE_INFINITY) < WORTH_A_THREAD
  if (isSmall || inputs.every(({ isShort }) => isShort)) return 0
  return Math.max(0, Math.min(MOST_THREADS, availableParallelism() - 1))
}

const REASONS = {
  format: 'not as the format has it',
  time: 'no time that could be read',
  long: 'longer than a MiB',
} as const

/**
 * Shows the first lines that could not be read. Throws {@link InputError} where there were more than the user allows,
 * and where none could be read.
 */
export function complain({ lines, unreadable, examples, gaveUp }: Reading, traffic: Traffic, { stderr }: Io): void {
  if (traffic.type === 'shape') return
  for (const example of examples) stderr.write(`${describeLine(example)}\n`)
  const count = unreadable.toLocaleString('en')
  if (gaveUp)
    throw new InputError(
      `${count} lines could not be read as ${traffic.kind.name}, and --max-bad-lines allows ${traffic.maxBadLines}`,
    )
  if (unreadable > 0 && unreadable === lines)
    throw new InputError(
      `none of ${count} lines could be read as ${traffic.kind.name}; --log-format says how they are written`,
    )
  if (unreadable > examples.length) stderr.write(`note: ${count} lines could not be read; these are the first\n`)
}

/** Characters of a bad line that are shown. */
const SHOWN = 80

function describeLine({ log, line, reason, text }: UnreadableLine): string {
  const shown = escapeUnsafe(fromBytes(text.slice(0, SHOWN)))
  return `sluice: ${escapeUnsafe(log)}:${line}: ${REASONS[reason]}: ${shown}${text.length > SHOWN ? '…' : ''}`
}
