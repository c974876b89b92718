/** Readers of parts of logs: on this thread, or on others. A thread runs this very module, which is a bundle of its own. */
import { closeSync, existsSync, openSync } from 'node:fs'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { createThread, programOf, threadData } from '../../threads/thread.ts'
import type { Batch } from '../core/batch.ts'
import { createEncoder } from '../core/encoder.ts'
import type { EncoderOptions } from '../core/log-reading.ts'
import { createRangeReader, type Range } from './blocks.ts'

/** A part of a file, or bytes of whole lines. */
export type Task =
  | { readonly type: 'range'; readonly path: string; readonly range: Range }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }

/** Reads tasks one after another. Throws the operating system's error where a file cannot be read. */
export type TaskReader = {
  read(task: Task): Batch
  close(): void
}

/** A reader on this thread. It keeps the file of the last task open. */
export function createTaskReader(options: EncoderOptions): TaskReader {
  const encode = createEncoder(options, (block) => {
    const bytes = bufferOf(block)
    return (start, end) => bytes.toString('latin1', start, end)
  })
  const readRange = createRangeReader()
  let open: { readonly path: string; readonly descriptor: number } | undefined
  const close = (): void => {
    if (open) closeSync(open.descriptor)
    open = undefined
  }
  const descriptorOf = (path: string): number => {
    if (open?.path !== path) {
      close()
      open = { path, descriptor: openSync(path, 'r') }
    }
    return open.descriptor
  }
  const bytesOf = (task: Task): Uint8Array =>
    task.type === 'bytes' ? task.bytes : readRange(descriptorOf(task.path), task.range)
  return { read: (task) => encode(bufferOf(bytesOf(task))), close }
}

/** The same bytes as a `Buffer`: it finds and decodes bytes faster than other arrays. */
const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads tasks on another thread; batches come in the order of the tasks. */
export type Thread = {
  /** Rejects with the error that reading threw. */
  read(task: Task): Promise<Batch>
  end(): Promise<void>
}

/** The data with which a thread of ours is started. */
type ThreadData = { readonly sluice: 'read logs'; readonly options: EncoderOptions }

/** A batch, or the error that reading threw. Messages between threads keep only the text of an error. */
type ThreadMessage = { readonly batch: Batch } | { readonly message: string; readonly details: object }

const PROGRAM = programOf(import.meta.filename, 'log-thread.cjs')

/** False where the file that a thread runs is missing. */
export const canStartThreads = (): boolean => existsSync(PROGRAM)

/** New objects live shortly here: more room for them would only take memory. */
const LIMITS = { maxYoungGenerationSizeMb: 12 }

/** A thread, which starts with its first task. */
export function startThread(options: EncoderOptions): Thread {
  const data: ThreadData = { sluice: 'read logs', options }
  const thread = createThread<Task, ThreadMessage>({ program: PROGRAM, data, limits: LIMITS })
  return {
    async read(task) {
      const answer = await thread.ask(task, task.type === 'bytes' ? [task.bytes.buffer] : [])
      if ('batch' in answer) return answer.batch
      throw Object.assign(new Error(answer.message), answer.details)
    },
    end: thread.end,
  }
}

/** Answers the tasks that come to a port. The buffers of a batch move to the other thread. */
export function answerTasks(port: MessagePort, options: EncoderOptions): void {
  const reader = createTaskReader(options)
  port.on('message', (task: Task) => {
    try {
      const batch = reader.read(task)
      const { times, codes, keys, newTexts } = batch
      const texts = newTexts.flatMap(({ bytes, ends }) => [bytes.buffer, ends.buffer])
      port.postMessage([{ batch } satisfies ThreadMessage], [times.buffer, codes.buffer, keys.buffer, ...texts])
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      port.postMessage([{ message: failure.message, details: { ...failure } } satisfies ThreadMessage])
    }
  })
}

const data = threadData<ThreadData>('read logs')
if (data && parentPort) answerTasks(parentPort, data.options)
