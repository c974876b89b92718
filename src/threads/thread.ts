/** Work on another thread: questions to it, and answers in their order. */
import { dirname, join } from 'node:path'
import {
  type MessagePort,
  parentPort,
  type ResourceLimits,
  receiveMessageOnPort,
  type Transferable,
  Worker,
  workerData,
} from 'node:worker_threads'

/** A thread that answers. Questions and answers are copied, but for what is transferred. */
export type Thread<Question, Answer> = {
  /** Rejects with what has ended the thread; the next question starts another one. */
  ask(question: Question, transfer?: readonly Transferable[]): Promise<Answer>
  /** Ends it: what is not answered is rejected. */
  end(): Promise<void>
}

/** What a thread runs, and with which data: `sluice` says what it is for. */
export type ThreadOptions = {
  readonly program: string
  readonly data: { readonly sluice: string }
  readonly limits?: ResourceLimits
}

/**
 * The file that a thread runs: the module that asks for it (`import.meta.filename`) in the source tree, the bundle of that
 * module beside the main bundle otherwise.
 */
export const programOf = (here: string, bundle: string): string =>
  here.endsWith('.ts') ? here : join(dirname(here), bundle)

type Waiting<Answer> = { resolve(answer: Answer): void; reject(reason: unknown): void }

/** A thread that starts with the first question. While it has none, it does not keep the process from ending. */
export function createThread<Question, Answer>({ program, data, limits }: ThreadOptions): Thread<Question, Answer> {
  let running: { readonly worker: Worker; readonly waiting: Waiting<Answer>[] } | undefined
  const start = () => {
    const worker = new Worker(program, {
      workerData: data,
      execArgv: [],
      ...(limits ? { resourceLimits: limits } : {}),
    })
    const waiting: Waiting<Answer>[] = []
    worker.on('message', (answers: readonly Answer[]) => {
      for (const answer of answers) waiting.shift()?.resolve(answer)
      if (waiting.length === 0) worker.unref()
    })
    const ended = (reason: unknown) => {
      if (running?.worker === worker) running = undefined
      for (const { reject } of waiting.splice(0)) reject(reason)
    }
    worker.on('error', ended)
    worker.on('exit', () => ended(new Error(`the thread that is to ${data.sluice} has ended`)))
    return { worker, waiting }
  }
  return {
    async ask(question, transfer) {
      running ??= start()
      const { worker, waiting } = running
      worker.postMessage(question, transfer)
      worker.ref()
      return await new Promise<Answer>((resolve, reject) => waiting.push({ resolve, reject }))
    },
    end: async () => void (await running?.worker.terminate()),
  }
}

/** The data of this thread, where it was started for this; undefined elsewhere. */
export function threadData<Data extends ThreadOptions['data']>(purpose: Data['sluice']): Data | undefined {
  const data: unknown = workerData
  const isOurs = typeof data === 'object' && data !== null && 'sluice' in data && data.sluice === purpose
  // Only a module with this purpose has started it.
  return isOurs ? (data as Data) : undefined
}

/** Answers what comes to this thread: those questions together that came while it was busy. */
export function answerTogether<Question, Answer>(
  answer: (questions: readonly Question[]) => readonly Answer[],
  port: MessagePort | null = parentPort,
): void {
  port?.on('message', (first: Question) => {
    const questions = [first]
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) questions.push(next.message)
    port.postMessage(answer(questions))
  })
}
