/**
 * The thread that commits to a SQLite store, so that requests are read and judged while the disk is busy. It runs this very
 * module, which is a bundle of its own.
 */
import { answerTogether, createThread, programOf, threadData } from '../../threads/thread.ts'
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
type ThreadData = { readonly sluice: 'write a store'; readonly file: string }

/** An outcome as it goes from thread to thread: messages keep only the text of an error. */
type Sent =
  | 'committed'
  | { readonly conflict: Conflict }
  | { readonly isFull: boolean; readonly message: string }
  | { readonly fault: string; readonly stack: string | undefined }

const PROGRAM = programOf(import.meta.filename, 'store-thread.cjs')

/** A writer on a thread of its own. */
export function createThreadWriter(file: string): Writer {
  const data: ThreadData = { sluice: 'write a store', file }
  const thread = createThread<readonly Changes[], readonly Sent[]>({ program: PROGRAM, data })
  let last: Promise<unknown> = Promise.resolve()
  return {
    async commit(commits) {
      const outcomes = thread.ask(commits).then(
        (answers) => answers.map(received),
        (cause: unknown) => commits.map(() => ({ reason: new StoreUnavailable(false, { cause }) })),
      )
      last = outcomes
      return await outcomes
    },
    async end() {
      await last
      await thread.end()
    },
  }
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

const data = threadData<ThreadData>('write a store')
if (data) {
  const commit = createCommitter(openToWrite(data.file))
  // Those that came meanwhile are one transaction.
  answerTogether<readonly Changes[], readonly Sent[]>((asked) => {
    const outcomes = commit(asked.flat()).map(sent)
    return asked.map(({ length }) => outcomes.splice(0, length))
  })
}
