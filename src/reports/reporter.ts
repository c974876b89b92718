/** What a report is made of, and what it may look at. */
import type { TextEdit } from '../documents/edit.ts'
import type { LintReport, ReportedFinding } from '../lint/report.ts'

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
  /** Milliseconds that the run took. */
  readonly elapsed: number
  /** The text of a file of the report; undefined where it is not at hand. */
  textOf(file: string): string | undefined
  /** What mends a finding in the text of its file; undefined where nothing does. */
  editsOf?(finding: ReportedFinding): readonly TextEdit[] | undefined
}

/** One format. */
export type Reporter = {
  readonly name: string
  /** One line for the help. */
  readonly summary: string
  /** The whole report, ending in a line break, or empty where there is nothing to say. */
  render(report: LintReport, context: ReportContext): string
}
