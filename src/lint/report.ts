/** The outcome of a lint: plain data, which is also the JSON report. */
import type { Severity } from '../settings/settings.ts'

/** One finding with its place and its words. Lines and columns count from 1, columns in characters; ends are exclusive. */
export type ReportedFinding = {
  readonly rule: string
  readonly severity: Severity
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  /** JSON Pointer into the object; empty for a finding about the text. */
  readonly pointer: string
  readonly message: string
  /** What to do. */
  readonly help: string
  readonly object: ReportedObject
}

/** Empty strings where unknown. */
export type ReportedObject = { readonly kind: string; readonly namespace: string; readonly name: string }

/** Why a finding stays quiet: a comment or an annotation in the manifest, or a baseline beside it. */
export type Suppression = {
  readonly kind: 'comment' | 'annotation' | 'baseline'
  /** As the author wrote it; empty where nothing asks for one. */
  readonly reason: string
}

/** A finding that is known and stays quiet. */
export type SuppressedFinding = ReportedFinding & { readonly suppression: Suppression }

export type Summary = {
  /** Files that were looked into, to judge them. */
  readonly files: number
  /** Documents of judged kinds in them. */
  readonly documents: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  /** Findings that stay quiet; the numbers above are without them. */
  readonly suppressed: number
}

export type LintReport = {
  readonly version: 1
  /** Sorted by file, line, column and rule; no two the same. */
  readonly findings: readonly ReportedFinding[]
  /** Sorted likewise. */
  readonly suppressed: readonly SuppressedFinding[]
  readonly summary: Summary
}

/** How many findings there are of each severity. */
export function countsOf(findings: readonly ReportedFinding[]): Pick<Summary, 'errors' | 'warnings' | 'infos'> {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  return { errors: count('error'), warnings: count('warning'), infos: count('info') }
}
