/** Makes the report from what was counted. */
import { groupBy } from '../../text/group.ts'
import { fromBytes } from '../../traffic/escaping.ts'
import type { Counters } from '../core/counters.ts'
import { emptyCounters } from '../core/decision.ts'
import type { Scenario, SimulatedLimit } from '../core/plan.ts'
import type { ScenarioRun, UsedLimit } from '../core/scenario-run.ts'
import type { LimitOutcome, PolicyOutcome, RouteOutcome, SimulationReport, TrafficOutcome } from './report.ts'

/** What a report is made from. */
type ReportParts = {
  readonly scenario: Scenario
  readonly run: ScenarioRun
  readonly counters: Counters
  readonly system: SimulationReport['system']
  readonly gateway: SimulationReport['gateway']
  readonly traffic: Omit<TrafficOutcome, 'from' | 'to'>
  readonly comparison: SimulationReport['comparison']
  readonly notJudged: SimulationReport['notJudged']
  /** How many rejected keys are named of each limit. */
  readonly top: number
}

/** The report, as yet without warnings. */
export function makeReport(parts: ReportParts): SimulationReport {
  const { scenario, counters, traffic } = parts
  const totals = counters.totals()
  const { span, badRequests, timeline } = counters
  const timeOf = clockOf(traffic.type)
  return {
    version: 1,
    system: parts.system,
    composition: scenario.composition,
    gateway: parts.gateway,
    traffic: { ...traffic, from: span ? timeOf(span.from) : null, to: span ? timeOf(span.to) : null },
    totals,
    unmatchedReasons: { noRoute: totals.unmatched - badRequests, badRequest: badRequests },
    waits: counters.waits.summary() ?? null,
    routes: routesOf(scenario, counters),
    policies: policiesOf(parts),
    interval: timeline.interval / 1000,
    timeline: timelineOf(counters, traffic.type),
    comparison: parts.comparison,
    warnings: [],
    notJudged: parts.notJudged,
  }
}

/** Logs have dates; shapes begin at zero. */
const clockOf = (type: TrafficOutcome['type']) => (time: number) =>
  type === 'log' ? new Date(time).toISOString() : time / 1000

/** The timeline of some counters. */
export const timelineOf = ({ timeline }: Counters, type: TrafficOutcome['type']): SimulationReport['timeline'] =>
  timeline.points().map(({ start, fill, ...counts }) => {
    return { at: clockOf(type)(start), ...counts, fill: Math.round(fill * 1000) / 1000 }
  })

/** A route of which some rules redirect has two locations. */
function routesOf({ locations }: Scenario, counters: Counters): readonly RouteOutcome[] {
  const routes = new Map<string, RouteOutcome>()
  for (const [location, { route }] of locations.entries()) {
    if (!route) continue
    const { kind, namespace, name } = route
    const at = counters.totalsAt(location)
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
  const outcomes = scenario.limits.map((limit, number) => ({
    policy: limit.policy,
    outcome: limitOutcome(limit, run.limits.used(number), top),
  }))
  const policies = groupBy(outcomes, ({ policy }) => `${policy.namespace}/${policy.name}`)
  return [...policies.values()].flatMap((all) => {
    const [first] = all
    const limits = all.map(({ outcome }) => outcome).sort((a, b) => a.index - b.index)
    return first ? [{ ...first.policy, limits }] : []
  })
}

function limitOutcome(limit: SimulatedLimit, used: UsedLimit | undefined, top: number): LimitOutcome {
  const { noMemory, ...counters } = used?.state.counters ?? emptyCounters()
  const { peak = 0, evictions = 0 } = used?.state.zone ?? {}
  const { index, zone, zoneBytes, zoneMaxKeys, key, rate, requestsPerSecond, burst, delay, noDelay } = limit
  return {
    index,
    zone,
    zoneBytes,
    zoneMaxKeys,
    key,
    rate,
    requestsPerSecond,
    burst,
    delay,
    noDelay,
    rejectCode: limit.rejectCode,
    dryRun: limit.dryRun,
    notSimulated: limit.expression === undefined ? 'the traffic has no value for a variable of the key' : null,
    ...counters,
    waits: used?.state.waits.summary() ?? null,
    memory: { peakKeys: peak, evictedKeys: evictions, rejected: noMemory },
    topRejectedKeys: (used?.rejectedKeys.list(top) ?? []).map(
      ({ key: bytes, counts: { rejected, delayed, passed } }) => ({ key: fromBytes(bytes), rejected, delayed, passed }),
    ),
  }
}
