/** The metrics of the API of the mesh. Dashboards and alerts rely on their names, which docs/mesh.md lists. */
import { Counter, Histogram } from '@prometheus-io/client'
import type { Metrics } from '../../http/metrics.ts'

/** One answered request. */
type AnsweredRequest = {
  /** `readConfig`; `none` where the path is no resource, such as discovery. */
  readonly operation: string
  readonly status: number
  readonly seconds: number
}

/** What is counted. */
export type MeshNumbers = {
  request(answered: AnsweredRequest): void
  /** The configuration was changed. */
  change(): void
}

/** Upper bounds in seconds: a read takes about a millisecond, the injection of large manifests some tenths of a second. */
const DURATIONS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Registers the metrics. Throws where one of the names is registered already. */
export function createMeshNumbers(metrics: Metrics): MeshNumbers {
  const registers = [metrics]
  const requests = new Counter({
    name: 'sluice_mesh_requests_total',
    help: 'Requests, by operation and status code.',
    labelNames: ['operation', 'code'],
    registers,
  })
  const durations = new Histogram({
    name: 'sluice_mesh_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response, in seconds.',
    labelNames: ['operation'],
    buckets: DURATIONS,
    registers,
  })
  const changes = new Counter({
    name: 'sluice_mesh_config_changes_total',
    help: 'Changes of the configuration that this server has stored.',
    registers,
  })
  return {
    request({ operation, status, seconds }) {
      requests.inc({ operation, code: status })
      durations.observe({ operation }, seconds)
    },
    change: () => changes.inc(),
  }
}
