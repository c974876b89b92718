/** A worker as the primary process sees it. */
import cluster, { type Worker } from 'node:cluster'
import type { StopTimes } from '../../http/listen.ts'
import { countersOf, type MetricsSnapshot } from '../../http/metrics.ts'
import type { Failure, FromWorker, ToWorker, WorkerState } from './worker.ts'

/** How a worker ended. */
export type Ending = {
  readonly pid: number | undefined
  /** Milliseconds. */
  readonly lived: number
  readonly code?: number | null
  readonly signal?: string | null
  /** What it reported before, or why it could not be started. */
  readonly failure?: Failure | undefined
  /** The last counters that it sent. */
  readonly counters: MetricsSnapshot
}

export type WorkerProcess = {
  readonly pid: number | undefined
  isListening(): boolean
  use(state: WorkerState): void
  /** Its metrics now; the last ones that it sent where it is busy for longer than a second. */
  metrics(): Promise<MetricsSnapshot>
  /** Lets it finish its reviews. Resolves when it has ended; is killed where it does not. */
  stop(times: StopTimes): Promise<void>
}

type Callbacks = {
  /** What it serves with at the start. */
  state(): WorkerState
  onLine(line: string): void
  onListening(port: number): void
  onEnd(ending: Ending): void
}

/** Milliseconds. */
const MEASURE = 1_000

/** Milliseconds after the grace until a worker that has not ended is killed. */
const OVERDUE = 2_000

/** True in a process that was started as a worker. */
export const isWorker = (): boolean => cluster.isWorker

/** Starts a worker, which runs the command line of this process. */
export function startWorker({ state, onLine, onListening, onEnd }: Callbacks): WorkerProcess {
  const since = performance.now()
  const worker = cluster.fork()
  const { pid } = worker.process
  closeOffered(worker)
  const waiting = new Set<() => void>()
  let isListening = false
  let known: MetricsSnapshot = []
  let failure: Failure | undefined
  const send = (message: ToWorker) => {
    if (worker.isConnected()) worker.send(message, undefined, undefined, () => {})
  }
  const measured = () => {
    for (const done of waiting) done()
  }
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'started') send({ kind: 'state', state: state() })
    else if (message.kind === 'log') onLine(message.line)
    else if (message.kind === 'failed') failure = message.failure
    else if (message.kind === 'metrics') {
      known = message.metrics
      measured()
    } else {
      isListening = true
      onListening(message.port)
    }
  })
  const gone = new Promise<void>((resolve) => {
    const end = (how: Pick<Ending, 'code' | 'signal'>) => {
      isListening = false
      measured()
      onEnd({ pid, lived: performance.now() - since, ...how, failure, counters: countersOf(known) })
      resolve()
    }
    worker.once('exit', (code: number | null, signal: string | null) => end({ code, signal }))
    worker.on('error', (error) => {
      failure ??= { message: error.message }
      if (pid === undefined) end({})
    })
  })
  return {
    pid,
    isListening: () => isListening,
    use: (next) => send({ kind: 'state', state: next }),
    metrics: () =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          waiting.delete(done)
          resolve(known)
        }
        const timer = setTimeout(done, MEASURE)
        waiting.add(done)
        send({ kind: 'measure' })
      }),
    async stop(times) {
      const kill = () => worker.process.kill('SIGKILL')
      if (isListening) send({ kind: 'stop', times })
      else kill()
      const overdue = setTimeout(kill, times.drain + times.grace + OVERDUE)
      await gone
      clearTimeout(overdue)
    },
  }
}

/**
 * Closes the connection that a worker was offered and did not take before it was killed. Node would keep it open in this
 * process without reading it: its client would wait until it gives up. Node offers one at a time, as a handle of `send`,
 * and closes its copy of each that has been taken; closing one again has no effect.
 */
function closeOffered(worker: Worker): void {
  const { process: child } = worker
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  let offered: { close(): void } | undefined
  child.send = (...args: unknown[]) => {
    if (args[1]) offered = args[1] as typeof offered
    return send(...args)
  }
  child.once('exit', (code) => {
    if (code !== 0) offered?.close()
  })
}
