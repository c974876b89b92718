/** What the webhook counts. The names are what dashboards and alerts are built on. */
import type { Metrics } from '../../http/metrics.ts'
import type { ClusterView } from '../../world/cluster-view.ts'
import type { Fault, Told } from './reviewer.ts'

/** What became of a review. */
export type Outcome = 'allowed' | 'warned' | 'denied' | 'would_deny' | 'mended'

/** One answered review. */
export type Answered = {
  readonly path: string
  readonly operation: string
  readonly outcome: Outcome
  readonly seconds: number
}

export type Numbers = {
  review(answered: Answered): void
  findings(findings: readonly Told[]): void
  faults(faults: readonly Fault[]): void
  /** A request that was no review. */
  badRequest(status: number): void
}

/** Seconds: half a millisecond to the timeout of the webhook. */
const DURATIONS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Registers every number of the webhook. */
export function createNumbers(metrics: Metrics, world: () => ClusterView): Numbers {
  const reviews = metrics.counter('sluice_admission_reviews_total', 'Reviews by path, operation and outcome.')
  const durations = metrics.histogram(
    'sluice_admission_review_duration_seconds',
    'Time from the whole body to the answer, in seconds.',
    DURATIONS,
  )
  const wouldDeny = metrics.counter('sluice_admission_would_deny_total', 'Reviews that "enforce: warn" let through.')
  const found = metrics.counter('sluice_admission_findings_total', 'Findings by rule and severity.')
  const failed = metrics.counter('sluice_admission_rule_faults_total', 'Rules that failed, a fault of sluice.')
  const bad = metrics.counter('sluice_admission_bad_requests_total', 'Requests that were no review, by status.')
  metrics.gauge('sluice_world_synced', '1 while every watch has seen everything.', () => Number(world().synced))
  metrics.gauge('sluice_world_kind_missing', '1 for each kind of which something may be missing.', () =>
    world().notSynced.map((kind) => ({ labels: { kind }, value: 1 })),
  )
  return {
    review({ path, operation, outcome, seconds }) {
      reviews.add({ path, operation, outcome })
      durations.observe(seconds, { path })
      if (outcome === 'would_deny') wouldDeny.add()
    },
    findings(findings) {
      for (const { rule, severity } of findings) found.add({ rule, severity })
    },
    faults(faults) {
      for (const { rule } of faults) failed.add({ rule })
    },
    badRequest: (status) => bad.add({ status: String(status) }),
  }
}
