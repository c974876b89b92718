/** Threads that read logs. A thread runs this very module, which the package ships as a file of its own. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Batch } from '../core/batch.ts'
import type { EncoderOptions } from './encoder-options.ts'
import { createTaskReader, type Task } from './tasks.ts'

/** Reads tasks on a thread; answers come in the order of the tasks. */
export type Thread = {
  read(task: Task): Promise<Batch>
  end(): Promise<void>
}

/** What a thread of ours is started with. */
type Order = { readonly sluice: 'read-logs'; readonly options: EncoderOptions }

/** What it answers: a batch, or the error that reading threw. Messages keep an error's text only. */
type Answer = { readonly batch: Batch } | { readonly message: string; readonly details: object }

const HERE = import.meta.filename
/** This module as a program: itself among the sources, its bundle beside the one that it was bundled into. */
const PROGRAM = HERE.endsWith('.ts') ? HERE : join(dirname(HERE), 'log-thread.cjs')

/** False where the program of a thread is missing. */
export const canStartThreads = (): boolean => existsSync(PROGRAM)

type Waiting = { resolve(batch: Batch): void; reject(error: unknown): void }

/** Starts a thread. */
export function startThread(options: EncoderOptions): Thread {
  const order: Order = { sluice: 'read-logs', options }
  const worker = new Worker(PROGRAM, { workerData: order, execArgv: [] })
  const waiting: Waiting[] = []
  const failAll = (error: unknown): void => {
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  worker.on('message', (answer: Answer) => {
    const next = waiting.shift()
    if ('batch' in answer) next?.resolve(answer.batch)
    else next?.reject(Object.assign(new Error(answer.message), answer.details))
  })
  worker.on('error', failAll)
  worker.on('exit', () => failAll(new Error('a thread that reads logs has ended')))
  return {
    read: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        worker.postMessage(task, task.type === 'bytes' ? [task.bytes.buffer] : [])
      }),
    end: async () => void (await worker.terminate()),
  }
}

const isOrder = (data: unknown): data is Order =>
  typeof data === 'object' && data !== null && 'sluice' in data && data.sluice === 'read-logs'

if (!isMainThread && parentPort && isOrder(workerData)) serve(parentPort, workerData.options)

function serve(port: NonNullable<typeof parentPort>, options: EncoderOptions): void {
  const reader = createTaskReader(options)
  port.on('message', (task: Task) => {
    try {
      const batch = reader.read(task)
      const { times, codes, keys } = batch
      port.postMessage({ batch } satisfies Answer, [times.buffer, codes.buffer, keys.buffer])
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      port.postMessage({ message, details: { ...(error instanceof Error ? error : {}) } } satisfies Answer)
    }
  })
}
