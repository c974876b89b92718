/**
 * The library without a module of Node, such as for a browser. Everything is plain data in and out, no function throws,
 * and none reads a file or prints: docs/library.md.
 */
export type { AdmissionCause } from './admission/response.ts'
export { type AdmissionAnswer, type AdmitOptions, type AdmitResult, admit } from './library/admit.ts'
export {
  type FormatLintOptions,
  formatEffective,
  formatLint,
  formatRender,
  formatSimulation,
  formatStatus,
  type LintFormat,
  type TextOptions,
} from './library/format.ts'
export { type InputOptions, readSettings, type SettingsInput } from './library/input.ts'
export {
  explain,
  type FindingFix,
  type FixedText,
  type FixResult,
  fix,
  type LintOptions,
  type LintResult,
  lint,
  type RuleFault,
  rules,
} from './library/lint.ts'
export {
  decideInjection,
  type InjectResult,
  inject,
  type MeshOptions,
  type MeshPatchOptions,
  patchMeshConfig,
} from './library/mesh.ts'
export {
  type CertificatePaths,
  effective,
  type QueryOptions,
  type RenderedConfiguration,
  type RenderOptions,
  type RenderResult,
  render,
  type StatusOptions,
  status,
} from './library/queries.ts'
export type { Problem, Result } from './library/result.ts'
export {
  type LogStreamTraffic,
  type LogTraffic,
  type ShapeTraffic,
  type SimulateOptions,
  simulate,
  simulateStream,
} from './library/simulate.ts'
export type { FixKind, LeftFinding } from './lint/fix.ts'
export type { LintReport, ReportedFinding, Summary, SuppressedFinding, Suppression } from './lint/report.ts'
export type { RuleMessage, RuleText } from './lint/rule-text.ts'
export type { InjectionDecision, InjectionQuestion, InjectionReason } from './mesh/decide-injection.ts'
export type { InjectedObject } from './mesh/inject/inject.ts'
export type { NamespaceHint, ObjectSource, Source, TextSource } from './project/source.ts'
export type { EffectiveResult } from './queries/effective.ts'
export type { EffectiveProxy } from './queries/proxies/effective.ts'
export type { RenderedProxies } from './queries/proxies/render.ts'
export type { PolicyStatus, StatusResult, TargetStatus } from './queries/status.ts'
export type { AdmissionSettings, ProjectSettings, Settings, Severity } from './settings/settings.ts'
export type { SimulationReport } from './simulate/report/report.ts'
export type { TextEdit } from './yaml/edit/edit.ts'
