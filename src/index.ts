/** The library: the same findings as the command line, for texts at hand. */
export type { AnyRule } from './engine/rule.ts'
export { type Fault, type LintOptions, type LintOutcome, lint } from './lint/lint.ts'
export type {
  LintReport,
  ReportedFinding,
  Summary,
  SuppressedFinding,
  Suppression,
} from './lint/report.ts'
export type { NamespaceHint, Source } from './project/source.ts'
export { DEFAULT_SETTINGS, type Settings, type Severity } from './settings/settings.ts'
