/**
 * The thread that commits to a SQLite store, so that requests are read and judged while the disk is busy. It runs this very
 * module, which is a bundle of its own.
 */
import { dirname, join } from 'node:path'
import { type MessagePort, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads'
import { type Conflict, StoreConflict, StoreUnavailable } from '../store.ts'
import { type Changes, createCommitter, type Outcome } from './committer.ts'
import { openToWrite } from './open.ts'

/** Commits; the promise resolves when they are on the disk, or refused. */
export type Writer = {
  commit(commits: readonly Changes[]): Promise<readonly Outcome[]>
  /** Waits for what is under way. */
  end(): Promise<void>
}

/** The data with which the thread is started. */
type ThreadData = { readonly sluice: 'write-store'; readonly file: string }

/** An outcome as it goes from thread to thread: messages keep only the text of an error. */
type Sent =
  | 'committed'
  | { readonly conflict: Conflict }
  | { readonly isFull: boolean; readonly message: string }
  | { readonly fault: string; readonly stack: string | undefined }

const HERE = import.meta.filename
/** The file that the thread runs: this module in the source tree, its bundle beside the main bundle otherwise. */
const PROGRAM = HERE.endsWith('.ts') ? HERE : join(dirname(HERE), 'store-thread.cjs')

type Waiting = { readonly count: number; resolve(outcomes: readonly Outcome[]): void }

/** A writer on a thread of its own, which is started with the first commit, and again where it has ended. */
export function createThreadWriter(file: string): Writer {
  let thread: { readonly worker: Worker; readonly waiting: Waiting[] } | undefined
  let last: Promise<unknown> = Promise.resolve()
  const start = () => {
    const data: ThreadData = { sluice: 'write-store', file }
    const worker = new Worker(PROGRAM, { workerData: data, execArgv: [] })
    const waiting: Waiting[] = []
    worker.on('message', (answers: readonly (readonly Sent[])[]) => {
      for (const sent of answers) waiting.shift()?.resolve(sent.map(received))
    })
    const ended = (cause: unknown) => {
      if (thread?.worker === worker) thread = undefined
      const reason = new StoreUnavailable(false, { cause })
      for (const { count, resolve } of waiting.splice(0)) resolve(Array.from({ length: count }, () => ({ reason })))
    }
    worker.on('error', ended)
    worker.on('exit', () => ended('its thread has ended'))
    return { worker, waiting }
  }
  return {
    async commit(commits) {
      thread ??= start()
      const { worker, waiting } = thread
      worker.postMessage(commits)
      const done = new Promise<readonly Outcome[]>((resolve) => waiting.push({ count: commits.length, resolve }))
      last = done
      return await done
    },
    async end() {
      await last
      await thread?.worker.terminate()
    },
  }
}

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === 'object' && data !== null && 'sluice' in data && data.sluice === 'write-store'

/** Answers the commits that come to a port: those that came meanwhile are one transaction with the first. */
function answerCommits(port: MessagePort, file: string): void {
  const commit = createCommitter(openToWrite(file))
  port.on('message', (first: readonly Changes[]) => {
    const messages = [first]
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) messages.push(next.message)
    const outcomes = commit(messages.flat()).map(sent)
    port.postMessage(messages.map(({ length }) => outcomes.splice(0, length)))
  })
}

function sent(outcome: Outcome): Sent {
  if (outcome === 'committed') return outcome
  const { reason } = outcome
  if (reason instanceof StoreConflict) return { conflict: reason.conflict }
  if (reason instanceof StoreUnavailable) return { isFull: reason.isFull, message: String(reason.cause) }
  return reason instanceof Error
    ? { fault: reason.message, stack: reason.stack }
    : { fault: String(reason), stack: undefined }
}

function received(outcome: Sent): Outcome {
  if (outcome === 'committed') return outcome
  if ('conflict' in outcome) return { reason: new StoreConflict(outcome.conflict) }
  if ('isFull' in outcome)
    return { reason: new StoreUnavailable(outcome.isFull, { cause: new Error(outcome.message) }) }
  return { reason: Object.assign(new Error(outcome.fault), { stack: outcome.stack }) }
}

if (isThreadData(workerData) && parentPort) answerCommits(parentPort, workerData.file)
