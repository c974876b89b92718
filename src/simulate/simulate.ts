/** Traffic and limits in, what becomes of the requests out. */
import type { Outcome } from '../answers/find-target.ts'
import type { Sight } from '../answers/sight.ts'
import type { Settings } from '../engine/settings.ts'
import { keyPlatform } from '../gateway/keys.ts'
import type { VariablePlatform } from '../nginx/variables.ts'
import { openLog } from '../traffic/log.ts'
import type { Variables } from '../traffic/variables.ts'
import { routingNotes, timeNotes } from './assumptions.ts'
import { createComparer } from './comparison.ts'
import { createExpressions } from './expressions.ts'
import { type Reading, readLogs } from './logs.ts'
import { makeReport } from './make-report.ts'
import { type Note, noteTexts } from './notes.ts'
import { outcomeNotes, policyNotes } from './outcome-notes.ts'
import type { Plan } from './plan.ts'
import type { SimulationReport } from './report.ts'
import { createPlanRun, type PlanRun } from './run-plan.ts'
import { createScenario, type Selection } from './scenario.ts'
import { shapeBatches, shapeVariables } from './shape-batches.ts'
import { createTally, type Tally } from './tally.ts'
import { describeTraffic, type Traffic } from './traffic.ts'

/** What is asked. */
export type SimulationOptions = {
  readonly traffic: Traffic
  readonly sight: Sight
  /** The version to compare with. */
  readonly before: Sight | undefined
  readonly selection: Selection
  readonly settings: Settings
  /** Variables that the user gives, and their values. */
  readonly constants: ReadonlyMap<string, string>
  /** How many keys are named. */
  readonly top: number
}

/** The report, and the lines that could not be read. */
export type Simulated = { readonly report: SimulationReport; readonly reading: Reading }

const NOTHING_READ: Reading = { lines: 0, unreadable: 0, examples: [], broken: [], gaveUp: false }

/** The shortest interval of a timeline, in milliseconds. */
const SHORTEST_INTERVAL = 100

/** Simulates. Throws what the operating system throws when logs are read. */
export async function simulate(options: SimulationOptions): Promise<Outcome<Simulated>> {
  const { traffic, sight, before, settings } = options
  const constants = new Map(options.constants)
  const variables = variablesOf(traffic, constants)
  const platform = keyPlatform(settings.platform, sight.world.variables.defined)
  const notes: Note[] = []
  const plan = planOf(options, { variables, platform, note: (note) => notes.push(note) })
  const [scenario] = plan.scenarios
  const tallies = plan.scenarios.map((one) => createTally(one, SHORTEST_INTERVAL))
  const comparer = before ? createComparer(plan.scenarios) : undefined
  const run = createPlanRun({
    plan,
    pageSize: settings.platform.pageSize,
    spread: traffic.type === 'shape' ? 'ordered' : traffic.kind.fine ? undefined : traffic.spread,
    onSettled(index, settled, keys) {
      tallies[index]?.add(settled)
      comparer?.add(index, settled, keys)
    },
  })
  const reading = await feed(traffic, { run, plan, variables, platform, constants })
  run.finish()
  const problem = problemOf(reading)
  if (problem !== undefined) return { ok: false, problem }
  const [tally, tallyBefore] = tallies
  const [own] = run.scenarios
  if (!tally || !own) throw new Error('nothing was simulated')
  notes.push(...policyNotes(sight, options.selection, settings), ...routingNotes(scenario, variables))
  notes.push(...(traffic.type === 'log' ? timeNotes(traffic.kind, traffic.spread) : []))
  const report = makeReport({
    scenario,
    run: own,
    tally,
    gateway: options.selection.gateway ?? null,
    traffic: { ...describeTraffic(traffic), lines: reading.lines, unreadable: reading.unreadable },
    comparison: comparisonOf(comparer, tallyBefore, options.top),
    warnings: [],
    top: options.top,
  })
  const warnings = noteTexts([...outcomeNotes(report, run.setBacks, reading), ...notes], traffic.type)
  return { ok: true, value: { report: { ...report, warnings }, reading } }
}
