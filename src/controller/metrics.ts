/** The metrics of the controller. Dashboards and alerts rely on their names, which docs/controller.md lists. */
import { Counter, Gauge, Histogram } from '@prometheus-io/client'
import { type Metrics, registerGauge } from '../http/metrics.ts'

export type ControllerMetrics = {
  /** One comparison of all statuses, in seconds, and the conditions `Accepted` by their reasons. */
  planned(seconds: number, reasons: ReadonlyMap<string, number>): void
  write(kind: string, outcome: 'written' | 'outdated' | 'failed'): void
}

/** What is measured when the metrics are read. */
type Measured = { isLeader(): boolean; waiting(): number }

/** Upper bounds in seconds: of a comparison of some policies, and of many thousands. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Registers the metrics. Throws where one of the names is registered already. */
export function createControllerMetrics(metrics: Metrics, { isLeader, waiting }: Measured): ControllerMetrics {
  const registers = [metrics]
  const durations = new Histogram({
    name: 'sluice_controller_reconcile_duration_seconds',
    help: 'Time to compare all statuses with what they should be, in seconds.',
    buckets: DURATIONS,
    registers,
  })
  const conditions = new Gauge({
    name: 'sluice_controller_conditions',
    help: 'Conditions "Accepted" of policies, one for each target, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const writes = new Counter({
    name: 'sluice_controller_writes_total',
    help: 'Writes of statuses, by kind and outcome: written, outdated (the object had changed; done again) or failed.',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  registerGauge(
    metrics,
    {
      name: 'sluice_controller_leader',
      help: '1 while this replica holds the Lease and writes statuses, 0 otherwise.',
    },
    () => Number(isLeader()),
  )
  registerGauge(
    metrics,
    { name: 'sluice_controller_writes_waiting', help: 'Writes of statuses that wait or are being made.' },
    waiting,
  )
  return {
    planned(seconds, reasons) {
      durations.observe(seconds)
      conditions.reset()
      for (const [reason, count] of reasons) conditions.set({ reason }, count)
    },
    write: (kind, outcome) => writes.inc({ kind, outcome }),
  }
}
