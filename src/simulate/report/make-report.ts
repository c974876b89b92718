/** What was counted, as a report. */
import { fromBytes } from '../../traffic/escaping.ts'
import type { Tally } from '../core/counters.ts'
import { emptyTally } from '../core/decision.ts'
import type { UsedLimit } from '../core/limit-states.ts'
import type { Scenario, SimulatedLimit } from '../core/plan.ts'
import type { ScenarioRun } from '../core/scenario-run.ts'
import type {
  LimitOutcome,
  PolicyOutcome,
  RouteOutcome,
  SimulationReport,
  TimelineOutcome,
  TrafficOutcome,
} from './report.ts'

/** What a report is made of. */
export type ReportParts = {
  readonly scenario: Scenario
  readonly run: ScenarioRun
  readonly tally: Tally
  readonly gateway: SimulationReport['gateway']
  readonly traffic: Omit<TrafficOutcome, 'from' | 'to'>
  readonly comparison: SimulationReport['comparison']
  readonly warnings: readonly string[]
  /** How many refused keys are named of each limit. */
  readonly top: number
}

export function makeReport(parts: ReportParts): SimulationReport {
  const { scenario, tally, traffic } = parts
  const totals = tally.totals()
  const show = timeFormat(traffic.type)
  const { span } = tally
  return {
    version: 1,
    composition: scenario.composition,
    gateway: parts.gateway,
    traffic: { ...traffic, from: span ? show(span.from) : null, to: span ? show(span.to) : null },
    totals,
    unmatched: { noRoute: totals.unmatched - tally.invalid, invalid: tally.invalid },
    waits: tally.waits.summary() ?? null,
    routes: routesOf(scenario, tally),
    policies: policiesOf(parts),
    interval: tally.timeline.interval / 1000,
    timeline: timelineOf(tally, show),
    comparison: parts.comparison,
    warnings: parts.warnings,
  }
}

/** Logs know dates; shapes begin at zero. */
const timeFormat = (type: TrafficOutcome['type']): ((time: number) => string | number) =>
  type === 'log' ? (time) => new Date(time).toISOString() : (time) => time / 1000

const timelineOf = ({ timeline }: Tally, show: (time: number) => string | number): readonly TimelineOutcome[] =>
  timeline.points().map(({ start, passed, delayed, rejected, unmatched }) => ({
    at: show(start),
    passed,
    delayed,
    rejected,
    unmatched,
  }))

/** A route whose rules redirect in part has two places. */
function routesOf({ places }: Scenario, tally: Tally): readonly RouteOutcome[] {
  const routes = new Map<string, RouteOutcome>()
  for (const [place, { route }] of places.entries()) {
    if (!route) continue
    const { kind, namespace, name } = route
    const at = tally.totalsAt(place)
    const known = routes.get(`${kind}/${namespace}/${name}`)
    routes.set(`${kind}/${namespace}/${name}`, {
      kind,
      namespace,
      name,
      requests: at.requests + (known?.requests ?? 0),
      passed: at.passed + (known?.passed ?? 0),
      delayed: at.delayed + (known?.delayed ?? 0),
      rejected: at.rejected + (known?.rejected ?? 0),
      unmatched: 0,
    })
  }
  return [...routes.values()].sort((a, b) => b.requests - a.requests)
}

function policiesOf({ scenario, run, top }: ReportParts): readonly PolicyOutcome[] {
  const policies = new Map<string, { namespace: string; name: string; limits: LimitOutcome[] }>()
  for (const [number, limit] of scenario.limits.entries()) {
    const { namespace, name } = limit.policy
    const policy = policies.get(`${namespace}/${name}`) ?? { namespace, name, limits: [] }
    policies.set(`${namespace}/${name}`, policy)
    policy.limits.push(limitOutcome(limit, run.limits.used(number), top))
  }
  for (const { limits } of policies.values()) limits.sort((a, b) => a.rule - b.rule)
  return [...policies.values()]
}

function limitOutcome(limit: SimulatedLimit, used: UsedLimit | undefined, top: number): LimitOutcome {
  const { requests, passed, delayed, rejected, ...tally } = used?.state.tally ?? emptyTally()
  const { peak = 0, evictions = 0 } = used?.state.zone ?? {}
  return {
    rule: limit.index,
    zone: limit.zone,
    key: limit.key,
    rate: limit.rateText,
    burst: limit.burst,
    delay: Number.isFinite(limit.delay) ? limit.delay : null,
    noDelay: limit.delay === Number.POSITIVE_INFINITY,
    notSimulated: limit.expression === undefined ? 'the traffic does not tell its key' : null,
    requests,
    passed,
    delayed,
    rejected,
    refusedByOther: tally.refusedByOther,
    withoutKey: tally.withoutKey,
    waits: used?.state.waits.summary() ?? null,
    dryRun: { delayed: tally.dryRunDelayed, rejected: tally.dryRunRejected },
    memory: { peakKeys: peak, evicted: evictions, refused: tally.noMemory },
    topRefusedKeys: (used?.refused.list(top) ?? []).map(({ key, counts }) => ({
      key: fromBytes(key),
      ...inOrder(counts),
    })),
  }
}

const inOrder = ({ passed, delayed, rejected }: { passed: number; delayed: number; rejected: number }) => ({
  rejected,
  delayed,
  passed,
})
