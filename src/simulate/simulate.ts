/** Traffic and limits in, what becomes of the requests out. */

import { keyPlatform } from '../gateway/keys/keys.ts'
import type { VariablePlatform } from '../nginx/variables.ts'
import type { QueryWorld } from '../queries/query-world.ts'
import type { Settings } from '../settings/settings.ts'
import type { Variables } from '../traffic/variables.ts'
import { type Comparer, createComparer } from './core/comparison.ts'
import { createTally, type Tally } from './core/counters.ts'
import type { Plan, Scenario } from './core/plan.ts'
import { createPlanRun, type PlanRun } from './core/run-plan.ts'
import type { Reading } from './logs/logs.ts'
import { describeTraffic, feed, type Traffic, variablesOf } from './logs/traffic.ts'
import { makeReport } from './report/make-report.ts'
import { type Note, noteTexts } from './report/notes.ts'
import { outcomeNotes, policyNotes } from './report/outcome-notes.ts'
import type { Comparison, SimulationReport } from './report/report.ts'
import { routingNotes, timeNotes } from './scenario/assumptions.ts'
import { createExpressions } from './scenario/expressions.ts'
import { createScenario, type Selection } from './scenario/scenario.ts'

/** What is asked. */
export type SimulationOptions = {
  readonly traffic: Traffic
  readonly sight: QueryWorld
  /** The version to compare with. */
  readonly before: QueryWorld | undefined
  readonly selection: Selection
  readonly settings: Settings
  /** Variables that the user gives, and their values. */
  readonly constants: ReadonlyMap<string, string>
  /** How many keys are named of each limit. */
  readonly top: number
}

/** The report, and how reading the traffic went. */
export type Simulated = { readonly report: SimulationReport; readonly reading: Reading }

/** Simulates. Throws what the operating system throws when logs are read. */
export async function simulate(options: SimulationOptions): Promise<Simulated> {
  const { traffic, sight, settings, constants } = options
  const variables = variablesOf(traffic, constants)
  const platform = keyPlatform(settings.platform, sight.world.variables.defined)
  const notes: Note[] = []
  const plan = planOf(options, variables, platform, (note) => notes.push(note))
  const counted = startCounting(plan, options)
  const reading = await feed(traffic, counted.run, { plan, platform, constants })
  counted.run.finish()
  notes.push(
    ...policyNotes(sight, options.selection, settings),
    ...routingNotes(plan.scenarios[0], variables),
    ...(traffic.type === 'log' ? timeNotes(traffic.kind, traffic.spread) : []),
  )
  const report = reportOf(plan, counted, options, reading)
  const concerning = notes.filter(isConcerning(plan.scenarios[0], counted.tally))
  const warnings = noteTexts([...outcomeNotes(report, counted.run.setBacks, reading), ...concerning], traffic.type)
  return { report: { ...report, warnings }, reading }
}

/** A limit that no request could have met is nobody's concern. */
function isConcerning({ places, limits }: Scenario, tally: Tally): (note: Note) => boolean {
  const met = places.filter((_, place) => tally.totalsAt(place).requests > 0)
  const concerned = new Set(
    met.flatMap(({ stages }) => stages.flatMap((stage) => stage.limits.map((limit) => limits[limit]))),
  )
  return (note) => note.type === 'text' || concerned.has(note.limit)
}

function planOf(
  { sight, before, settings, selection }: SimulationOptions,
  variables: Variables,
  platform: VariablePlatform,
  note: (note: Note) => void,
): Plan {
  const expressions = createExpressions(variables, platform)
  const now = createScenario(sight, { settings, selection, expressions, note })
  const old = before && createScenario(before, { settings, selection, expressions, note: () => {} })
  return { expressions: expressions.all, scenarios: old ? [now, old] : [now] }
}

/** A plan at work, and what counts its outcome: the version that is reported, and the old one. */
type Counted = {
  readonly run: PlanRun
  readonly tally: Tally
  readonly old: { readonly tally: Tally; readonly comparer: Comparer } | undefined
}

/** Milliseconds of the timeline's intervals at least. */
const SHORTEST_INTERVAL = 100

function startCounting(plan: Plan, { traffic, settings }: SimulationOptions): Counted {
  const [now, before] = plan.scenarios
  const tally = createTally(now, SHORTEST_INTERVAL)
  const old = before && { tally: createTally(before, SHORTEST_INTERVAL), comparer: createComparer(plan.scenarios) }
  const run = createPlanRun({
    plan,
    pageSize: settings.platform.pageSize,
    spread: traffic.type === 'shape' ? 'ordered' : traffic.kind.fine ? undefined : traffic.spread,
    onSettled(scenario, settled, keys) {
      if (scenario === 0) tally.add(settled)
      else old?.tally.add(settled)
      old?.comparer.add(scenario, settled, keys)
    },
  })
  return { run, tally, old }
}

function reportOf(
  plan: Plan,
  { run, tally, old }: Counted,
  options: SimulationOptions,
  reading: Reading,
): SimulationReport {
  const [own] = run.scenarios
  if (!own) throw new Error('a plan has at least one scenario')
  const comparison: Comparison | null = old
    ? { old: { totals: old.tally.totals() }, ...old.comparer.summary(options.top) }
    : null
  const { lines, unreadable } = reading
  return makeReport({
    scenario: plan.scenarios[0],
    run: own,
    tally,
    gateway: options.selection.gateway ?? null,
    traffic: { ...describeTraffic(options.traffic), lines, unreadable },
    comparison,
    warnings: [],
    top: options.top,
  })
}
