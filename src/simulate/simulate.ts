/**
 * Simulates traffic on the limits of policies: requests in, a report on their outcomes out. Nothing here needs Node, so
 * that it runs in a browser too; logs/ reads files.
 */
import { keyPlatform } from '../gateway/keys/keys.ts'
import type { VariablePlatform } from '../nginx/variables.ts'
import { eachOnce, type NotJudged } from '../project/source.ts'
import type { QueryResult } from '../queries/find.ts'
import type { Settings } from '../settings/settings.ts'
import { type LogKind, openLog } from '../traffic/log.ts'
import type { Shape } from '../traffic/shape.ts'
import type { VariableGetters } from '../traffic/variables.ts'
import { type Comparer, createComparer } from './core/comparison.ts'
import { type Counters, createCounters } from './core/counters.ts'
import { logConstants, NOTHING_READ, type ReadResult } from './core/log-reading.ts'
import type { Plan, Scenario } from './core/plan.ts'
import { createPlanRun, type PlanRun } from './core/run-plan.ts'
import { makeReport, timelineOf } from './report/make-report.ts'
import { clientNotes, type Note, noteTexts, outcomeNotes, portNotes, routingNotes, timeNotes } from './report/notes.ts'
import type { SimulationReport } from './report/report.ts'
import { createExpressions } from './scenario/expressions.ts'
import { type ShapedTarget, shapeBatches, shapeVariables } from './scenario/shape-batches.ts'
import type { Subject } from './scenario/subject.ts'
import { type SimulationQuery, selectVersions } from './scenario/versions.ts'

/** What is simulated. */
export type Simulation = {
  readonly current: Subject
  /** The version to compare with. */
  readonly old: Subject | undefined
  readonly settings: Settings
  /** Variables that the user sets for all requests, without `$`, and their values. */
  readonly constants: ReadonlyMap<string, string>
  /** How many rejected keys the report names of each limit. */
  readonly top: number
}

/** Finds in manifests what is simulated. A problem is one line for the user. */
export function prepareSimulation(
  query: SimulationQuery,
  { constants, top }: Pick<Simulation, 'constants' | 'top'>,
): QueryResult<Simulation> {
  const versions = selectVersions(query)
  return versions.ok ? { ok: true, value: { ...versions.value, settings: query.settings, constants, top } } : versions
}

/** What of the manifests is left out, although it may change the numbers. */
export const notJudgedOf = ({ current, old }: Simulation): readonly NotJudged[] =>
  eachOnce([
    ...current.notJudged,
    ...(old?.notJudged ?? []).map((one) => ({ ...one, reason: `in the version to compare with, ${one.reason}` })),
  ])

/** Requests of access logs. */
export type LogTraffic = {
  readonly type: 'log'
  readonly kind: LogKind
  /** For logs of whole seconds: requests are spread over their second, or all come at its beginning. */
  readonly spread: 'even' | 'none'
  /** The host of all requests, where the log does not have it. */
  readonly host: string | undefined
  /** The names of the logs in the report. */
  readonly files: readonly string[]
}

/** Requests of clients in a shape. */
export type ShapeTraffic = {
  readonly type: 'shape'
  readonly shape: Shape
  readonly target: ShapedTarget
  /** The shape in the words of the user, for the report. */
  readonly name: string
}

/** Simulates clients in a shape. */
export function simulateShape(simulation: Simulation, traffic: Omit<ShapeTraffic, 'type'>): SimulationReport {
  const { plan, platform, variables, run, finish } = startSimulation(simulation, { type: 'shape', ...traffic })
  for (const batch of shapeBatches(traffic.shape, { plan, platform, variables })) run.take(0, batch)
  return finish(NOTHING_READ)
}

/** A simulation that waits for requests. */
export type RunningSimulation = {
  readonly plan: Plan
  readonly platform: VariablePlatform
  /** The variables of the traffic. */
  readonly variables: VariableGetters
  /** Variables that are the same for all requests, and their values. */
  readonly constants: ReadonlyMap<string, string>
  /** Takes batches of requests. */
  readonly run: Pick<PlanRun, 'take'>
  /** Ends the simulation. To be called once, after the last request. */
  finish(reading: ReadResult): SimulationReport
}

/** Starts a simulation for traffic whose requests the caller provides. */
export function startSimulation(simulation: Simulation, traffic: LogTraffic | ShapeTraffic): RunningSimulation {
  const { current, settings } = simulation
  const constants =
    traffic.type === 'log' ? logConstants(traffic.kind, simulation.constants, traffic.host) : simulation.constants
  const variables =
    traffic.type === 'log'
      ? openLog(traffic.kind, constants).variables
      : shapeVariables(traffic.target, constants, current.perClient)
  const platform = keyPlatform(settings.platform, current.variables)
  const limitNotes: Note[] = []
  const plan = planOf(simulation, variables, platform, (note) => limitNotes.push(note))
  const counting = startCounting(plan, simulation, traffic)
  const finish = (reading: ReadResult): SimulationReport => {
    counting.run.finish()
    const report = reportOf(plan, counting, simulation, { ...describeTraffic(traffic), ...linesOf(reading) })
    const notes: readonly Note[] = [
      ...limitNotes,
      ...current.notes(settings),
      ...routingNotes(plan.scenarios[0], variables),
      ...portNotes(plan.scenarios[0], variables, guessedRequests(plan.scenarios[0], counting.counters)),
      ...(traffic.type === 'log' ? [...clientNotes(traffic.kind), ...timeNotes(traffic.kind, traffic.spread)] : []),
    ].filter(isRelevant(plan.scenarios[0], counting.counters))
    const warnings = noteTexts([...outcomeNotes(report, counting.run.setBacks, reading), ...notes], report)
    return { ...report, warnings }
  }
  return { plan, platform, variables, constants, run: counting.run, finish }
}

const linesOf = ({ lines, unreadable }: ReadResult) => ({ lines, unreadable })

const describeTraffic = (traffic: LogTraffic | ShapeTraffic) => ({
  type: traffic.type,
  name: traffic.type === 'log' ? traffic.kind.name : traffic.name,
  files: traffic.type === 'log' ? traffic.files : [],
})

const guessedRequests = ({ locations }: Scenario, counters: Counters): number =>
  locations.reduce((sum, { isGuess }, location) => sum + (isGuess ? counters.totalsAt(location).requests : 0), 0)

/** A note about a limit is relevant where a request reached the limit's location. */
function isRelevant({ locations, limits }: Scenario, counters: Counters): (note: Note) => boolean {
  const reached = locations.filter((_, location) => counters.totalsAt(location).requests > 0)
  const reachedLimits = new Set(
    reached.flatMap(({ stages }) => stages.flatMap((stage) => stage.limits.map((limit) => limits[limit]))),
  )
  return (note) => note.type === 'text' || reachedLimits.has(note.limit)
}

function planOf(
  { current, old, settings }: Simulation,
  variables: VariableGetters,
  platform: VariablePlatform,
  addNote: (note: Note) => void,
): Plan {
  const expressions = createExpressions(variables, platform)
  const options = { settings, expressions, platform }
  const scenario = current.scenario({ ...options, addNote })
  const oldScenario = old?.scenario({ ...options, addNote: () => {} })
  return { expressions: expressions.all, scenarios: oldScenario ? [scenario, oldScenario] : [scenario] }
}

/** A run of a plan with the counters of its scenarios. */
type Counting = {
  readonly run: PlanRun
  readonly counters: Counters
  readonly old: { readonly counters: Counters; readonly comparer: Comparer } | undefined
}

/** Milliseconds: the least length of the timeline's intervals. */
const SHORTEST_INTERVAL = 100

function startCounting(plan: Plan, { settings }: Simulation, traffic: LogTraffic | ShapeTraffic): Counting {
  const [scenario, oldScenario] = plan.scenarios
  const counters = createCounters(scenario, SHORTEST_INTERVAL)
  const old = oldScenario && {
    counters: createCounters(oldScenario, SHORTEST_INTERVAL),
    comparer: createComparer(plan.scenarios),
  }
  const run = createPlanRun({
    plan,
    pageSize: settings.platform.pageSize,
    spread: traffic.type === 'shape' ? 'ordered' : traffic.kind.fine ? undefined : traffic.spread,
    onOutcome(number, outcome, keys) {
      if (number === 0) counters.add(outcome)
      else old?.counters.add(outcome)
      old?.comparer.add(number, outcome, keys)
    },
  })
  return { run, counters, old }
}

function reportOf(
  plan: Plan,
  { run, counters, old }: Counting,
  simulation: Simulation,
  traffic: Parameters<typeof makeReport>[0]['traffic'],
): SimulationReport {
  const { current, top } = simulation
  return makeReport({
    scenario: plan.scenarios[0],
    run: run.scenarios[0],
    counters,
    system: current.system,
    gateway: current.gateway ?? null,
    traffic,
    comparison: old
      ? {
          old: { totals: old.counters.totals(), timeline: timelineOf(old.counters, traffic.type) },
          ...old.comparer.summary(top),
        }
      : null,
    notJudged: notJudgedOf(simulation),
    top,
  })
}
