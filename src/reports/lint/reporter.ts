/** What a report is made of, and what it may look at. */

import type { AnyRule } from '../../engine/rule.ts'
import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { TextEdit } from '../../yaml/edit/edit.ts'
import type { Base } from './places.ts'

/** How and for whom a report is rendered. */
export type ReportContext = {
  /** True where the reader's terminal shows colours. */
  readonly color: boolean
  /** Columns of the terminal; undefined where there is none. */
  readonly width: number | undefined
  /** Show informations, not only their number. */
  readonly info: boolean
  /** Show errors only. */
  readonly quiet: boolean
  /** Count the findings of each rule. */
  readonly statistics: boolean
  /** True where there are more warnings than allowed: the run fails because of them. */
  readonly warningsFail: boolean
  /** Milliseconds that the run took. */
  readonly elapsed: number
  readonly tool: Tool
  readonly base: Base
  /** The files in which a judged kind is named, with findings or without. */
  readonly files: readonly string[]
  /** The text of a file of the report; undefined where it is not at hand. */
  textOf(file: string): string | undefined
  /** What mends a finding in the text of its file; undefined where nothing does. */
  editsOf?(finding: ReportedFinding): readonly TextEdit[] | undefined
}

/** The program that reports, for formats that describe it. */
export type Tool = { readonly version: string; readonly rules: readonly AnyRule[] }

/** What a format is written in: it decides how a text within it is escaped. */
export type Syntax = 'text' | 'json' | 'xml' | 'markdown' | 'commands'

/** What renders one format. */
export type Reporter = {
  readonly syntax: Syntax
  /** True where it has a place for the findings of each rule. */
  readonly hasStatistics?: boolean
  /** The whole report, ending in a line break, or empty where there is nothing to say. */
  render(report: LintReport, context: ReportContext): string
}
