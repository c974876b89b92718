/** Logs in, batches of requests out, in the order of the logs: on this thread or on others. */

import type { Batch } from '../core/batch.ts'
import { rangesOf } from './blocks.ts'
import type { EncoderOptions } from './encoder-options.ts'
import { BrokenLog, type LogInput } from './log-input.ts'
import { createTaskReader, type Task, type TaskReader } from './tasks.ts'
import { canStartThreads, startThread, type Thread } from './threads.ts'

/** A batch, who read it, and from which log. */
export type ReadBatch = {
  readonly batch: Batch
  readonly reader: number
  readonly log: number
}

export type ReplayOptions = {
  readonly inputs: readonly LogInput[]
  readonly encoder: EncoderOptions
  /** How many other threads read. */
  readonly threads: number
  /** Hears of bytes of the logs, as they are stored, that were taken up. */
  onBytes(bytes: number): void
  /** Hears of a log that breaks in its middle; the next one follows. */
  onBroken(log: number, error: BrokenLog): void
}

/** A task that somebody reads or has read. */
type Entry = {
  readonly log: number
  readonly reader: number
  readonly reading: Promise<Batch>
  batch: Batch | undefined
}

/** How many tasks each thread has at hand. */
const AHEAD = 6
/** How many batches may wait for one that takes longer. */
const MOST_WAITING = 24

/** Reads logs. Batches come in the order of the logs, whoever read them; this thread reads too where it has time. */
export async function* replay(options: ReplayOptions): AsyncIterable<ReadBatch> {
  const threads = Array.from({ length: canStartThreads() ? options.threads : 0 }, () => startThread(options.encoder))
  const own = createTaskReader(options.encoder)
  try {
    yield* inTurns(tasksOf(options)[Symbol.asyncIterator](), threads, own)
  } finally {
    own.close()
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

async function* inTurns(
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
    const thread = threads.findIndex((_, reader) => waitingFor(reader, queue) < AHEAD)
    if (more && thread >= 0) {
      await take((task) => handOver(task, thread, threads))
      continue
    }
    if (threads.length > 0) await turn()
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

function handOver({ task, log }: LogTask, reader: number, threads: readonly Thread[]): Entry {
  const reading = threads[reader]?.read(task) ?? Promise.reject(new Error('no such thread'))
  const entry: Entry = { log, reader, reading, batch: undefined }
  reading.then(
    (batch) => {
      entry.batch = batch
    },
    /** Whoever waits for it will see the error. */
    () => {},
  )
  return entry
}

function readHere({ task, log }: LogTask, reader: number, own: TaskReader): Entry {
  const batch = own.read(task)
  return { log, reader, reading: Promise.resolve(batch), batch }
}

/** Lets messages of threads come in. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type LogTask = { readonly task: Task; readonly log: number }

async function* tasksOf({ inputs, onBytes, onBroken }: ReplayOptions): AsyncIterable<LogTask> {
  for (const [log, { path, size, blocks }] of inputs.entries()) {
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
      onBroken(log, error)
    }
  }
}
