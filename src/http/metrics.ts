/** The metrics of a server, kept and written out by the client library of Prometheus. */
import { Counter, Gauge, Registry } from '@prometheus-io/client'

/** What `/metrics` shows. It is handed in: the library's global registry would mix the servers of one process. */
export type Metrics = Registry

/** What is needed to show metrics. */
export type ShownMetrics = Pick<Metrics, 'contentType' | 'metrics'>

/** The metrics of one process at one moment, as plain values that can be sent to another one. */
export type Numbers = Awaited<ReturnType<Metrics['getMetricsAsJSON']>>

/** The metrics of several processes as those of one: each has said by its `aggregator` how it is put together; default: sum. */
export const aggregate = (parts: readonly Numbers[]): Metrics => Registry.aggregate([...parts])

/** Those that must not decrease, for Prometheus would take that for a restart: what a process did remains when it ends. */
export const countersOf = (numbers: Numbers): Numbers =>
  numbers.filter(({ type }) => type === 'counter' || type === 'histogram')

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
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process, in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  return metrics
}

/** In a second. */
const MICROSECONDS = 1_000_000
