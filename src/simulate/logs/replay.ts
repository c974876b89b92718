/** Reads logs into batches of requests, in the order of the logs: on this thread and on others. */
import type { Batch } from '../core/batch.ts'
import { createLineCounter, type EncoderOptions, type ReadResult } from '../core/log-reading.ts'
import type { PlanRun } from '../core/run-plan.ts'
import { rangesOf } from './blocks.ts'
import { BrokenLog } from './gunzip.ts'
import type { LogInput } from './log-input.ts'
import { canStartThreads, createTaskReader, startThread, type Task, type TaskReader, type Thread } from './threads.ts'

/** How logs are read. */
type ReadLogsOptions = {
  /** The earliest first. */
  readonly logs: readonly LogInput[]
  readonly encoder: EncoderOptions
  /** How many other threads read. */
  readonly threads: number
  /** Lines that may be unreadable before reading stops. */
  readonly maxBadLines: number
  /** Called with the numbers of stored bytes of which reading begins. */
  onBytes(bytes: number): void
  /** Called now and then with the number of lines that were read. */
  onLines(lines: number): void
}

/** Reads logs and passes their requests to a run. Throws the operating system's error where a file cannot be read. */
export async function readLogs(options: ReadLogsOptions, run: Pick<PlanRun, 'take'>): Promise<ReadResult> {
  const { logs, maxBadLines } = options
  const names = logs.map(({ name }) => name)
  const counter = createLineCounter(names, maxBadLines)
  for await (const { batch, reader, log } of batchesOf(options, counter.addBroken)) {
    if (!counter.add(log, batch)) break
    run.take(reader, batch)
    options.onLines(counter.lines)
  }
  return counter.result()
}

/** A batch, the reader that made it, and the position of its log. */
type ReadBatch = {
  readonly batch: Batch
  readonly reader: number
  readonly log: number
}

/** Called with the position of a log that could be read only in part; the next log follows. */
type OnBroken = (log: number, reason: string) => void

/** A task that is being read or was read. */
type Entry = {
  readonly log: number
  readonly reader: number
  readonly reading: Promise<Batch>
  batch: Batch | undefined
}

/** How many tasks each thread has at a time. */
const AHEAD = 6
/** How many batches may wait for one that takes longer. */
const MOST_WAITING = 24

/** Batches in the order of the logs, whichever thread read them; this thread reads too when it has time. */
async function* batchesOf(options: ReadLogsOptions, onBroken: OnBroken): AsyncIterable<ReadBatch> {
  /** Pieces of a wrapped line may stand in two blocks: one reader reads them all. */
  const isWrapped = options.encoder.kind.wrapper !== undefined
  const count = canStartThreads() && !isWrapped ? options.threads : 0
  const threads = Array.from({ length: count }, () => startThread(options.encoder))
  const own = createTaskReader(options.encoder)
  try {
    yield* inOrder(tasksOf(options, onBroken)[Symbol.asyncIterator](), threads, own)
  } finally {
    own.close()
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

async function* inOrder(
  tasks: AsyncIterator<LogTask>,
  threads: readonly Thread[],
  own: TaskReader,
): AsyncIterable<ReadBatch> {
  const queue: Entry[] = []
  let more = true
  const take = async (begin: (task: LogTask) => Entry): Promise<void> => {
    const next = await tasks.next()
    if (next.done) more = false
    else queue.push(begin(next.value))
  }
  while (more || queue.length > 0) {
    const free = [...threads.entries()].find(([reader]) => waitingFor(reader, queue) < AHEAD)
    if (more && free) {
      await take((task) => readOnThread(task, ...free))
      continue
    }
    await receiveMessages()
    const [head] = queue
    if (head?.batch) {
      queue.shift()
      yield { batch: head.batch, reader: head.reader, log: head.log }
    } else if (more && queue.length < MOST_WAITING) await take((task) => readHere(task, threads.length, own))
    else await head?.reading
  }
}

const waitingFor = (reader: number, queue: readonly Entry[]): number =>
  queue.reduce((count, entry) => count + (entry.reader === reader && !entry.batch ? 1 : 0), 0)

function readOnThread({ task, log }: LogTask, reader: number, thread: Thread): Entry {
  const reading = thread.read(task)
  const entry: Entry = { log, reader, reading, batch: undefined }
  reading.then(
    (batch) => {
      entry.batch = batch
    },
    /** The error is thrown where `reading` is awaited. */
    () => {},
  )
  return entry
}

function readHere({ task, log }: LogTask, reader: number, own: TaskReader): Entry {
  const batch = own.read(task)
  return { log, reader, reading: Promise.resolve(batch), batch }
}

/** Lets the event loop deliver messages of threads. */
const receiveMessages = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type LogTask = { readonly task: Task; readonly log: number }

async function* tasksOf({ logs, onBytes }: ReadLogsOptions, onBroken: OnBroken): AsyncIterable<LogTask> {
  for (const [log, { path, size, blocks }] of logs.entries()) {
    if (path !== undefined && size !== undefined) {
      for (const range of rangesOf(size)) {
        onBytes(range.end - range.start)
        yield { log, task: { type: 'range', path, range } }
      }
      continue
    }
    try {
      for await (const bytes of blocks(onBytes)) yield { log, task: { type: 'bytes', bytes } }
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error
      onBroken(log, error.message)
    }
  }
}
