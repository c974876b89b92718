/** What a system brings to a simulation: one version of its objects. */
import type { DefinedVariables } from '../../gateway/lookups/lookups.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { NotJudged } from '../../project/source.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Scenario } from '../core/plan.ts'
import type { Note } from '../report/notes.ts'
import type { SimulationReport } from '../report/report.ts'
import type { Expressions } from './expressions.ts'

/** How a scenario is built. */
export type ScenarioOptions = {
  readonly settings: Settings
  readonly platform: VariablePlatform
  readonly expressions: Expressions
  /** Called with everything that cannot be simulated. */
  addNote(note: Note): void
}

/** One version of the objects of one system, as a simulation needs it. */
export type Subject = {
  readonly system: SimulationReport['system']
  /** The Gateway that receives the traffic; undefined where there is none. */
  readonly gateway: { readonly namespace: string; readonly name: string } | undefined
  /** The variables that its configuration defines. */
  readonly variables: DefinedVariables
  /** Those that have another value for each made-up client, without `$`. */
  readonly perClient: readonly string[]
  /** What of its objects is left out, and why. */
  readonly notJudged: readonly NotJudged[]
  scenario(options: ScenarioOptions): Scenario
  /** What of it is not in force. */
  notes(settings: Settings): readonly Note[]
}
