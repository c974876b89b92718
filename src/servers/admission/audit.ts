/** Has all stored objects judged, and again where something has changed, without holding up reviews; shows what is found as a metric. */
import { Gauge } from '@prometheus-io/client'
import { type Audited, createAudit, type FindingCount } from '../../admission/audit.ts'
import type { Reviewer } from '../../admission/reviewer.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { ObjectsByKind } from '../../world/objects.ts'
import type { ClusterView } from '../../world/world.ts'

export type AuditOptions = {
  readonly objects: ObjectsByKind
  view(): ClusterView
  reviewer(): Reviewer
  readonly metrics: Metrics
  /** Milliseconds since 1970. */
  wallClock(): number
  /** A rule that threw, or another fault of sluice. */
  failed(error: unknown): void
}

export type RunningAudit = {
  /** An object, or the state of a watch, has changed. */
  changed(): void
  stop(): void
}

/** Objects that are judged before reviews get their turn: about a millisecond. */
const SLICE = 50
/** Milliseconds in which changes are collected, and after which new settings are looked at. */
const COLLECTED = 1000
const PERIOD = 60_000
/** The share of the time in which objects are judged again, at most. */
const SHARE = 1 / 50
/** With more, namespaces are not told apart. */
const MOST_SERIES = 1000

/** Begins once every watch is synced. While one is not, what was found before stays. */
export function startAudit({ objects, view, reviewer, metrics, wallClock, failed }: AuditOptions): RunningAudit {
  const audit = createAudit()
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let isChanged = false
  let isStopped = false
  register(metrics, audit.counts)

  const now = (): Audited => ({ objects, world: view().world, reviewer: reviewer(), now: wallClock() })
  const wait = (milliseconds: number): void => {
    if (isStopped || isRunning) return
    clearTimeout(timer)
    timer = setTimeout(() => void round(), milliseconds).unref()
  }
  const round = async (): Promise<void> => {
    isRunning = true
    isChanged = false
    let busy = 0
    try {
      for (let isFirst = true, goesOn = true; goesOn && !isStopped && view().synced; isFirst = false) {
        const begun = performance.now()
        if (isFirst) audit.update(now())
        goesOn = audit.judge(SLICE, now())
        busy += performance.now() - begun
        await new Promise((resolve) => setImmediate(resolve))
      }
    } catch (error) {
      failed(error)
    }
    isRunning = false
    wait(isChanged ? Math.max(COLLECTED, busy / SHARE) : PERIOD)
  }
  wait(COLLECTED)
  return {
    changed() {
      if (isChanged) return
      isChanged = true
      wait(COLLECTED)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

function register(metrics: Metrics, counts: () => readonly FindingCount[]): void {
  new Gauge({
    name: 'sluice_findings',
    help: 'Stored objects about which a rule reports something now, by rule, severity and namespace.',
    labelNames: ['rule', 'severity', 'namespace'],
    aggregator: 'max',
    registers: [metrics],
    collect() {
      this.reset()
      const found = counts()
      const isMany = found.length > MOST_SERIES
      for (const { rule, severity, namespace, count } of found)
        this.inc({ rule, severity, namespace: isMany ? '' : namespace }, count)
    },
  })
}
