/** The metrics of a server, kept and written out by the client library of Prometheus. */
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'

/** What `/metrics` shows. It is handed in: the library's global registry would mix the servers of one process. */
export type Metrics = Registry

/** What is needed to show metrics. */
export type ShownMetrics = Pick<Metrics, 'contentType' | 'metrics'>

/** The metrics of one process at one moment, as plain values that can be sent to another one. */
export type MetricsSnapshot = Awaited<ReturnType<Metrics['getMetricsAsJSON']>>

/** The metrics of several processes as those of one: each has said by its `aggregator` how it is put together; default: sum. */
export const aggregate = (parts: readonly MetricsSnapshot[]): Metrics => Registry.aggregate([...parts])

/** Those that must not decrease, for Prometheus would take that for a restart: what a process did remains when it ends. */
export const countersOf = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => type === 'counter' || type === 'histogram')

/**
 * Creates a registry that describes its process: the version, and those standard metrics of a process that cost nothing
 * until they are read. `collectDefaultMetrics` of the library has more, but its timers and observers run all the time.
 */
export function createMetrics(version: string): Metrics {
  const metrics = new Registry()
  const registers = [metrics]
  new Gauge({
    name: 'sluice_build_info',
    help: 'Version of sluice and of the Node.js that runs it; always 1.',
    labelNames: ['version', 'nodejs_version'],
    aggregator: 'first',
    registers,
  }).set({ version, nodejs_version: process.versions.node }, 1)
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process, in seconds since 1970.',
    aggregator: 'min',
    registers,
  }).set(performance.timeOrigin / 1000)
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time of the process, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / MICROSECONDS)
    },
  })
  registerGauge(
    metrics,
    { name: 'process_resident_memory_bytes', help: 'Resident memory of the process, in bytes.' },
    process.memoryUsage.rss,
  )
  return metrics
}

/** Registers how many lines the log of this process has lost. */
export function registerLostLines(metrics: Metrics, lost: () => number): void {
  new Counter({
    name: 'sluice_log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers: [metrics],
    collect() {
      this.reset()
      this.inc(lost())
    },
  })
}

/** Registers how often authorities were written again; the function counts one more for an object (`APIService/v1.x`). */
export function registerRepairs(metrics: Metrics): (object: string) => void {
  const repairs = new Counter({
    name: 'sluice_ca_bundle_repairs_total',
    help: 'How often a caBundle that another client had changed was written again, by object.',
    labelNames: ['object'],
    registers: [metrics],
  })
  return (object) => repairs.inc({ object })
}

/** In a second. */
const MICROSECONDS = 1_000_000

/** How metrics of several processes are put together; default: sum. */
type GaugeOptions = { readonly name: string; readonly help: string; readonly aggregator?: 'max' | 'min' | 'first' }

/** Registers a metric without labels; `read` is called on every scrape. */
export function registerGauge(metrics: Metrics, options: GaugeOptions, read: () => number): void {
  new Gauge({
    ...options,
    registers: [metrics],
    collect() {
      this.set(read())
    },
  })
}

/** One answered request. */
type AnsweredRequest = {
  /** `readConfig`; `none` where the path has no operation. */
  readonly operation: string
  readonly status: number
  readonly seconds: number
}

/** Counts the requests of an API. */
export type RequestMetrics = { request(answered: AnsweredRequest): void }

type RequestMetricsOptions = {
  /** The names of both metrics. */
  readonly total: string
  readonly duration: string
  /** Upper bounds in seconds. */
  readonly buckets: readonly number[]
  /** An operation whose duration says nothing, such as a stream, and what the help says of it. */
  readonly untimed?: { readonly operation: string; readonly help: string }
}

/** Registers how many requests there were, by operation and status code, and how long they took. */
export function registerRequests(
  metrics: Metrics,
  { total, duration, buckets, untimed }: RequestMetricsOptions,
): RequestMetrics {
  const registers = [metrics]
  const requests = new Counter({
    name: total,
    help: 'Requests, by operation and status code.',
    labelNames: ['operation', 'code'],
    registers,
  })
  const durations = new Histogram({
    name: duration,
    help: `Time from the headers of a request to the end of its response, in seconds${untimed ? `; ${untimed.help}` : ''}.`,
    labelNames: ['operation'],
    buckets: [...buckets],
    registers,
  })
  return {
    request({ operation, status, seconds }) {
      requests.inc({ operation, code: status })
      if (operation !== untimed?.operation) durations.observe({ operation }, seconds)
    },
  }
}

const WATCH_STATES = ['starting', 'synced', 'lost', 'missing'] as const

/** The watch of one kind: its state, and how many objects it knows. */
export type Watched = {
  readonly kind: string
  readonly state: (typeof WATCH_STATES)[number]
  readonly objects: number
}

/** Registers the metrics of watches; `read` is called on every scrape. */
export function registerWatches(metrics: Metrics, read: () => readonly Watched[]): void {
  const registers = [metrics]
  new Gauge({
    name: 'sluice_watch_state',
    help: 'State of the watch of each kind: 1 for the current state, 0 for the others.',
    labelNames: ['kind', 'state'],
    aggregator: 'max',
    registers,
    collect() {
      for (const watch of read())
        for (const state of WATCH_STATES) this.set({ kind: watch.kind, state }, Number(watch.state === state))
    },
  })
  new Gauge({
    name: 'sluice_watch_objects',
    help: 'Objects known from the watch of each kind.',
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
    collect() {
      for (const { kind, objects } of read()) this.set({ kind }, objects)
    },
  })
}

/** Registers the metric that says whether all watches are synced; `isSynced` is called on every scrape. */
export function registerSynced(metrics: Metrics, isSynced: () => boolean): void {
  registerGauge(
    metrics,
    { name: 'sluice_watches_synced', help: '1 while every watch is synced, 0 otherwise.', aggregator: 'min' },
    () => Number(isSynced()),
  )
}
