/** The metrics of the API of the mesh. Dashboards and alerts rely on their names, which docs/mesh.md lists. */
import { Counter } from '@prometheus-io/client'
import { type Metrics, type RequestMetrics, registerRequests } from '../../http/metrics.ts'

/** What is counted; the operation of a request is `none` where the path is no resource, such as discovery. */
export type MeshMetrics = RequestMetrics & {
  /** The configuration was changed. */
  change(): void
}

/** Upper bounds in seconds: a read takes about a millisecond, the injection of large manifests some tenths of a second. */
const DURATIONS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Registers the metrics. Throws where one of the names is registered already. */
export function createMeshMetrics(metrics: Metrics): MeshMetrics {
  const requests = registerRequests(metrics, {
    total: 'sluice_mesh_requests_total',
    duration: 'sluice_mesh_request_duration_seconds',
    buckets: DURATIONS,
  })
  const changes = new Counter({
    name: 'sluice_mesh_config_changes_total',
    help: 'Changes of the configuration that this server has stored.',
    registers: [metrics],
  })
  return { ...requests, change: () => changes.inc() }
}
