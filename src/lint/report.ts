/** The result of a lint: plain data, which is also the JSON report. */
import type { DescribedFinding } from '../engine/finding.ts'
import type { NotJudged } from '../project/source.ts'
import type { Severity } from '../settings/settings.ts'

/** A finding with its place. Lines and columns count from 1, columns in characters; ends are exclusive. */
export type ReportedFinding = DescribedFinding & {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  /**
   * Folders of the kustomizations that build it so, where several build on its file. The object and its pointer are
   * those of the first.
   */
  readonly builds?: readonly string[]
}

/** Why a finding is suppressed: a comment or an annotation in the manifest, or a baseline beside it. */
export type Suppression = {
  readonly kind: 'comment' | 'annotation' | 'baseline'
  /** As the author wrote it; empty for a baseline. */
  readonly reason: string
  /** Its last day in UTC, `2027-01-31`, where it ends. */
  readonly until?: string
  /** Who answers for it, where that is written. */
  readonly owner?: string
}

/** A suppression that somebody has written, whether it suppresses anything or not. */
export type WrittenSuppression = Suppression & {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Ids as written. */
  readonly rules: readonly string[]
  /**
   * `needed`: it suppresses a finding. `unneeded`: it certainly suppresses none. `expired`: its last day is over. `wrong`: it
   * cannot be understood, and suppresses nothing. `unknown`: what it would suppress is not known.
   */
  readonly state: 'needed' | 'unneeded' | 'expired' | 'wrong' | 'unknown'
}

/** A finding that is suppressed. */
export type SuppressedFinding = ReportedFinding & { readonly suppression: Suppression }

/** The numbers of a report. */
export type Summary = {
  /** Files that were read in order to judge them. */
  readonly files: number
  /** Objects of known kinds in them. */
  readonly documents: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  /** Suppressed findings; the numbers above are without them. */
  readonly suppressed: number
}

/** The report of a run as plain data. Its JSON is a contract, version 1. */
export type LintReport = {
  readonly version: 1
  /** Sorted by file, line, column and rule; no two the same. */
  readonly findings: readonly ReportedFinding[]
  /** Sorted likewise. */
  readonly suppressed: readonly SuppressedFinding[]
  /** What was not judged although it may concern a policy; sorted by file. */
  readonly notJudged: readonly NotJudged[]
  readonly summary: Summary
}

/** How many findings there are of each severity. */
export function countsOf(findings: readonly ReportedFinding[]): Pick<Summary, 'errors' | 'warnings' | 'infos'> {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  return { errors: count('error'), warnings: count('warning'), infos: count('info') }
}
