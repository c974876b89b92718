/** What every format of a report has in common. */

import type { AnyRule } from '../../engine/rule.ts'
import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { TextEdit } from '../../yaml/edit/edit.ts'
import type { Syntax } from '../escapes.ts'
import type { Base } from './places.ts'

/** How a report is rendered. */
export type ReportContext = {
  /** Whether to colour the text. */
  readonly color: boolean
  /** Columns of the terminal; undefined where there is none. */
  readonly width: number | undefined
  /** Show infos, not only their number. */
  readonly info: boolean
  /** Show errors only. */
  readonly quiet: boolean
  /** Show how many findings each rule has. */
  readonly statistics: boolean
  /** Whether the run fails because there are more warnings than allowed. */
  readonly warningsFail: boolean
  /** How long the run took, in milliseconds; undefined where that is not said. */
  readonly elapsed: number | undefined
  readonly tool: Tool
  readonly base: Base
  /** The files that name a judged kind, with or without findings. */
  readonly files: readonly string[]
  /** The text of a file of the report; undefined where it is not known. */
  textOf(file: string): string | undefined
  /** The edits of its file's text that fix a finding; undefined where it has no fix. */
  editsOf?(finding: ReportedFinding): readonly TextEdit[] | undefined
}

/** This program, for formats that describe it. */
type Tool = { readonly version: string; readonly rules: readonly AnyRule[] }

/** Renders one format. */
export type Reporter = {
  readonly syntax: Syntax
  /** True where the format has a place for the statistics. */
  readonly hasStatistics?: boolean
  /** The whole report, which ends with a line break; empty where there is nothing to report. */
  render(report: LintReport, context: ReportContext): string
}
