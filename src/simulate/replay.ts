/** Logs in, batches of requests out, in the order of the logs: on this thread or on others. */
import { rangesOf } from '../traffic/blocks.ts'
import type { LogInput } from '../traffic/log-input.ts'
import type { Batch } from './batch.ts'
import type { EncoderOptions } from './encoder-options.ts'
import { createTaskReader, type Task } from './tasks.ts'
import { startThread } from './threads.ts'

/** A batch, who read it, and from which log. */
export type ReadBatch = {
  readonly batch: Batch
  readonly reader: number
  readonly log: number
}

export type ReplayOptions = {
  readonly inputs: readonly LogInput[]
  readonly encoder: EncoderOptions
  /** How many threads read; 0 has this one do it. */
  readonly threads: number
  /** Hears of bytes of the logs, as they are stored, that were taken up. */
  onBytes(bytes: number): void
}

/** Reads tasks wherever; `reader` tells whose numbers a batch has. */
type Readers = {
  read(task: Task): { readonly reader: number; readonly batch: Promise<Batch> | Batch }
  /** How many tasks to hand out ahead. */
  readonly ahead: number
  end(): Promise<void>
}

/** Reads logs. Batches come in the order of the logs, whoever read them. */
export async function* replay(options: ReplayOptions): AsyncIterable<ReadBatch> {
  const readers = options.threads > 0 ? onThreads(options) : here(options.encoder)
  const queue: { readonly log: number; readonly reader: number; readonly batch: Promise<Batch> | Batch }[] = []
  try {
    for await (const { task, log } of tasksOf(options)) {
      queue.push({ log, ...readers.read(task) })
      if (queue.length < readers.ahead) continue
      const next = queue.shift()
      if (next) yield { ...next, batch: await next.batch }
    }
    for (const next of queue) yield { ...next, batch: await next.batch }
  } finally {
    await readers.end()
  }
}

function here(encoder: EncoderOptions): Readers {
  const reader = createTaskReader(encoder)
  return { read: (task) => ({ reader: 0, batch: reader.read(task) }), ahead: 1, end: async () => reader.close() }
}

/** Tasks go round: each thread has the next one at hand while it works. */
function onThreads({ threads, encoder }: ReplayOptions): Readers {
  const all = Array.from({ length: threads }, () => startThread(encoder))
  let next = 0
  return {
    read(task) {
      const reader = next
      next = (next + 1) % all.length
      const batch = all[reader]?.read(task) ?? Promise.reject(new Error('no thread'))
      /** Whoever waits for it will see the error; until then it is nobody's. */
      batch.catch(() => {})
      return { reader, batch }
    },
    ahead: threads * 2 + 1,
    end: async () => void (await Promise.all(all.map((thread) => thread.end()))),
  }
}

async function* tasksOf({ inputs, onBytes }: ReplayOptions): AsyncIterable<{ task: Task; log: number }> {
  for (const [log, { path, size, blocks }] of inputs.entries()) {
    if (path !== undefined && size !== undefined) {
      for (const range of rangesOf(size)) {
        onBytes(range.end - range.start)
        yield { log, task: { type: 'range', path, range } }
      }
    } else for await (const bytes of blocks(onBytes)) yield { log, task: { type: 'bytes', bytes } }
  }
}
