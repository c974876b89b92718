/** The metrics of the webhook. Dashboards and alerts rely on their names, which docs/admission.md lists. */
import { Counter, Histogram } from '@prometheus-io/client'
import type { AdmissionFinding, RuleFault } from '../../admission/reviewer.ts'
import { type Metrics, registerGauge, registerSynced } from '../../http/metrics.ts'
import { REASONS, type Reason } from '../../mesh/inject/left-alone.ts'
import type { ClusterView } from '../../world/world.ts'

/** The result of a review. */
export type Outcome = 'allowed' | 'warned' | 'denied' | 'would_deny' | 'patched'

/** One completed review. */
type CompletedReview = {
  readonly path: string
  readonly operation: string
  readonly outcome: Outcome
  readonly seconds: number
}

export type AdmissionMetrics = {
  review(completed: CompletedReview): void
  findings(findings: readonly AdmissionFinding[]): void
  faults(faults: readonly RuleFault[]): void
  /** A Pod that is left without the sidecar of the mesh. */
  leftAlone(reason: Reason): void
  /** A request that got an HTTP error instead of a review. */
  requestError(status: number): void
}

/** Upper bounds in seconds: half a millisecond to the timeout of the webhook. */
const DURATIONS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** What is measured when the metrics are read. */
type Measured = {
  /** True where the sidecar of the mesh is injected. */
  readonly mesh?: boolean
  world(): ClusterView
  /** Bytes of the bodies of requests that are being received. */
  bodyBytes(): number
}

/** Registers the metrics of reviews. Throws where one of the names is registered already. */
export function createAdmissionMetrics(metrics: Metrics, { mesh, world, bodyBytes }: Measured): AdmissionMetrics {
  const registers = [metrics]
  const reviews = new Counter({
    name: 'sluice_admission_reviews_total',
    help: 'Reviews, by path, operation and outcome.',
    labelNames: ['path', 'operation', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'sluice_admission_review_duration_seconds',
    help: 'Time from the complete request body to the response, in seconds.',
    labelNames: ['path'],
    buckets: DURATIONS,
    registers,
  })
  const wouldDeny = new Counter({
    name: 'sluice_admission_would_deny_total',
    help: 'Reviews allowed only because of "enforce: warn".',
    registers,
  })
  const findingsFound = new Counter({
    name: 'sluice_admission_findings_total',
    help: 'Findings, by rule and severity.',
    labelNames: ['rule', 'severity'],
    registers,
  })
  const ruleFaults = new Counter({
    name: 'sluice_admission_rule_faults_total',
    help: 'Rules that failed because of a bug in sluice, by rule.',
    labelNames: ['rule'],
    registers,
  })
  const requestErrors = new Counter({
    name: 'sluice_admission_request_errors_total',
    help: 'Requests that got an HTTP error instead of a review, by status code.',
    labelNames: ['code'],
    registers,
  })
  const podsLeft = mesh === true ? podsLeftAlone(registers) : undefined
  registerSynced(metrics, () => world().synced)
  registerGauge(
    metrics,
    {
      name: 'sluice_admission_request_body_bytes',
      help: 'Memory of the request bodies that are being received, in bytes.',
    },
    bodyBytes,
  )
  return {
    review({ path, operation, outcome, seconds }) {
      reviews.inc({ path, operation, outcome })
      durations.observe({ path }, seconds)
      if (outcome === 'would_deny') wouldDeny.inc()
    },
    findings(findings) {
      for (const { rule, severity } of findings) findingsFound.inc({ rule, severity })
    },
    faults(faults) {
      for (const { rule } of faults) ruleFaults.inc({ rule })
    },
    leftAlone: (reason) => podsLeft?.inc({ reason }),
    requestError: (status) => requestErrors.inc({ code: status }),
  }
}

function podsLeftAlone(registers: Metrics[]) {
  const counter = new Counter({
    name: 'sluice_mesh_pods_left_alone_total',
    help: 'Pods that were created without the sidecar that they should have, by reason.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of Object.keys(REASONS)) counter.inc({ reason }, 0)
  return counter
}

/** Registers the metric of the worker processes; `listening` is called on every scrape. */
export const registerWorkers = (metrics: Metrics, listening: () => number): void =>
  registerGauge(metrics, { name: 'sluice_workers_listening', help: 'Worker processes that accept reviews.' }, listening)
