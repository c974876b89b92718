/** `--workers N`: a primary process holds what exists once, and N workers share the port for reviews. */
import cluster from 'node:cluster'
import { createSecureContext } from 'node:tls'
import { serveWithHealth } from '../../http/health.ts'
import type { StopTimes, TlsIdentity } from '../../http/listen.ts'
import { aggregate, type Metrics, type MetricsSnapshot } from '../../http/metrics.ts'
import { registerWorkers } from '../../servers/admission/metrics.ts'
import type { AdmissionServeOptions, ServingAdmission } from '../../servers/admission/serve.ts'
import type { ProjectSettings } from '../../settings/settings.ts'
import type { WorkerState } from './worker.ts'
import { type Ending, startWorker, type WorkerProcess } from './worker-process.ts'

type WorkersOptions = Pick<
  AdmissionServeOptions,
  'host' | 'port' | 'healthPort' | 'material' | 'clientAuthority' | 'notReady' | 'log' | 'metrics'
> & {
  readonly count: number
  readonly project: ProjectSettings
  /** Gets whole lines of the workers' logs; the first after the caller had the result. */
  writeLine(line: string): void
}

/** A server whose reviews are processed by workers. */
type ServingWorkers = ServingAdmission & { useSettings(project: ProjectSettings): void }

/** Starts the workers, and the port for probes and metrics. Rejects where a port cannot be used. */
export async function serveByWorkers(options: WorkersOptions): Promise<ServingWorkers> {
  const { count, metrics, material, clientAuthority: authority } = options
  let hasBegun = false
  let identity: TlsIdentity = authority === undefined ? material : { ...material, ca: authority }
  const pool = createPool({ port: options.port, identity, project: options.project }, options)
  registerWorkers(metrics, pool.listening)
  const notReady = () => {
    const listening = pool.listening()
    return listening < (hasBegun ? 1 : count) ? `${listening} of ${count} workers listen` : options.notReady()
  }
  const shown = { contentType: metrics.contentType, metrics: () => pool.metricsWith(metrics) }
  const { healthPort, stop } = await serveWithHealth({ stop: pool.stop }, { ...options, metrics: shown, notReady })
  const port = await pool.start().catch(async (error: unknown) => {
    await stop({ drain: 0, grace: 0 })
    throw error
  })
  hasBegun = true
  const useIdentity = (next: TlsIdentity) => {
    createSecureContext(next)
    identity = next
    pool.use({ identity })
  }
  return {
    port,
    healthPort,
    stop,
    useCertificate: (next) => useIdentity({ ...identity, ...next }),
    useClientAuthority(ca) {
      const { cert, key } = identity
      useIdentity(ca === undefined ? { cert, key } : { cert, key, ca })
    },
    useSettings: (project) => pool.use({ project }),
  }
}

type Pool = {
  /** Resolves to the port when all listen. Rejects where one cannot, after all have ended. */
  start(): Promise<number>
  listening(): number
  use(change: Partial<WorkerState>): void
  /** The metrics of this process and of all workers, as text. */
  metricsWith(own: Metrics): Promise<string>
  stop(times: StopTimes): Promise<void>
}

function createPool(first: WorkerState, { count, log, writeLine }: WorkersOptions): Pool {
  // In turn: the system would give most connections to few processes, and an API server has few and keeps them.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ serialization: 'advanced' })
  const workers = new Set<WorkerProcess>()
  const replacements = createReplacements()
  const lines = holdBack(writeLine)
  let state = first
  let ended: Promise<MetricsSnapshot> = Promise.resolve([])
  let isStopping = false
  const listening = () => [...workers].filter((worker) => worker.isListening()).length

  type Events = { onListening(port: number, pid: number | undefined): void; onEnd(ending: Ending): void }
  function startOne({ onListening, onEnd }: Events): void {
    const worker = startWorker({
      state: () => state,
      onLine: lines.write,
      onListening: (port) => onListening(port, worker.pid),
      onEnd(ending) {
        workers.delete(worker)
        ended = ended.then((before) => aggregate([before, ending.counters]).getMetricsAsJSON())
        if (!isStopping) onEnd(ending)
      },
    })
    workers.add(worker)
  }

  /** Starts all; `later` is what happens to workers after that. */
  const startAll = (later: (port: number) => Events) =>
    new Promise<number>((resolve, reject) => {
      let events: Events = {
        onListening(port) {
          if (listening() < count) return
          events = later(port)
          resolve(port)
        },
        onEnd({ failure, signal, code }) {
          const message = failure?.message ?? `a worker ended with ${signal ?? code} before it could serve`
          reject(Object.assign(new Error(message), failure))
        },
      }
      for (let number = 0; number < count; number++)
        startOne({ onListening: (port, pid) => events.onListening(port, pid), onEnd: (ending) => events.onEnd(ending) })
    })

  const replacing = (port: number): Events => {
    const events: Events = {
      onListening: (_, pid) => log.info({ worker: pid }, 'a worker listens in place of one that ended'),
      onEnd({ pid, lived, code, signal, failure }) {
        // Workers share a port by what they asked for: once none has it open, a free one would be another.
        if (workers.size === 0) state = { ...state, port }
        const delay = replacements.add(lived, () => startOne(events))
        const reason = failure?.message
        log.error({ worker: pid, code, signal, reason, delay }, 'a worker ended; another one will replace it')
      },
    }
    return events
  }

  async function stop(times: StopTimes): Promise<void> {
    isStopping = true
    replacements.stop()
    await Promise.all([...workers].map((worker) => worker.stop(times)))
  }

  return {
    listening,
    stop,
    use(change) {
      state = { ...state, ...change }
      for (const worker of workers) worker.use(state)
    },
    async start() {
      const port = await startAll(replacing).catch(async (error: unknown) => {
        await stop({ drain: 0, grace: 0 })
        throw error
      })
      setImmediate(lines.release)
      return port
    },
    async metricsWith(own) {
      const snapshots = await Promise.all([...workers].map((worker) => worker.metrics()))
      return await aggregate([await own.getMetricsAsJSON(), await ended, ...snapshots]).metrics()
    },
  }
}

/** Milliseconds until a worker that ended is replaced: doubled each time up to the most, until one lives for long. */
const REPLACE = { first: 250, most: 30_000, longLife: 60_000 }

/** Replaces workers later. */
function createReplacements() {
  const timers = new Set<NodeJS.Timeout>()
  let inARow = 0
  return {
    /** Gives the milliseconds until it does. */
    add(lived: number, replace: () => void): number {
      inARow = lived > REPLACE.longLife ? 0 : inARow + 1
      const delay = Math.min(REPLACE.first * 2 ** Math.max(0, inARow - 1), REPLACE.most)
      const timer = setTimeout(() => {
        timers.delete(timer)
        replace()
      }, delay)
      timers.add(timer)
      return delay
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Keeps lines until they are released. */
function holdBack(write: (line: string) => void) {
  let held: string[] | undefined = []
  return {
    write: (line: string) => {
      if (held) held.push(line)
      else write(line)
    },
    release() {
      for (const line of held ?? []) write(line)
      held = undefined
    },
  }
}
