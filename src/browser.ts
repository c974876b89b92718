/**
 * The part of the library that runs without Node, such as in a browser: lint and fixes, effective limits, status,
 * rendered configuration, and the simulation of shapes and of logs in memory. Everything is plain data in and out, and
 * bad input never throws.
 */
export type { AnyRule } from './engine/rule.ts'
export { type FixedSources, type FixKind, fixSources } from './lint/fix.ts'
export { type Fault, type LintOptions, type LintOutcome, lint } from './lint/lint.ts'
export type { LintReport, ReportedFinding, Summary, SuppressedFinding, Suppression } from './lint/report.ts'
export type { NamespaceHint, ObjectSource, Source, TextSource } from './project/source.ts'
export { type EffectiveResult, queryEffective } from './queries/effective.ts'
export type { QueryResult } from './queries/find.ts'
export { type QueryWorld, type QueryWorldOptions, queryWorlds } from './queries/query-world.ts'
export { queryRender, type RenderQuery, type RenderResult } from './queries/render.ts'
export { queryStatus, type StatusQuery, type StatusResult } from './queries/status.ts'
export { REGISTRY, type Registry } from './registry.ts'
export { readSettings, type SettingsOutcome } from './settings/file.ts'
export { DEFAULT_SETTINGS, type Settings, type Severity } from './settings/settings.ts'
export type { SimulationReport } from './simulate/report/report.ts'
export {
  type LogText,
  prepareSimulation,
  type Simulation,
  type SimulationQuery,
  simulateLogText,
  simulateShape,
} from './simulate/simulate.ts'
