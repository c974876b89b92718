/** The report for programs, version 1: one JSON object, one line per finding. */
import { termsOf } from '../../engine/suppression.ts'
import type { LintReport, ReportedFinding, Summary, SuppressedFinding } from '../../lint/report.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { countRules, isIncluded } from './selection.ts'

/** The reporter of the format `json`. */
export const json: Reporter = {
  syntax: 'json',
  hasStatistics: true,
  render: (report: LintReport, context: ReportContext): string => {
    const findings = report.findings.filter((finding) => isIncluded(finding, context)).map(contractOf)
    const suppressed = report.suppressed.filter((finding) => isIncluded(finding, context)).map(withReason)
    const members = [
      `"version":${report.version}`,
      `"findings":${list(findings)}`,
      `"suppressed":${list(suppressed)}`,
      `"notJudged":${list(report.notJudged.map(noteOf))}`,
      `"summary":${JSON.stringify(counts(report.summary))}`,
      ...(context.statistics ? [`"statistics":${list(countRules(report, context))}`] : []),
    ]
    return `{${members.join(',')}}\n`
  },
}

const noteOf = ({ file, reason, code, fails }: LintReport['notJudged'][number]) => ({
  file,
  reason,
  code,
  ...(fails ? { fails } : {}),
})

/** One line per entry. */
const list = (entries: readonly unknown[]): string =>
  entries.length === 0 ? '[]' : `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`

/** The members of version 1, in their order, and no others. */
export const contractOf = (finding: ReportedFinding): ReportedFinding => {
  const { rule, severity, file, line, column, endLine, endColumn, pointer, message, help, object, builds } = finding
  const { kind, namespace, name } = object
  return {
    rule,
    severity,
    file,
    line,
    column,
    endLine,
    endColumn,
    pointer,
    message,
    help,
    object: { kind, namespace, name },
    ...(builds ? { builds } : {}),
  }
}

const withReason = (finding: SuppressedFinding): SuppressedFinding => {
  const { kind, reason } = finding.suppression
  return { ...contractOf(finding), suppression: { kind, reason, ...termsOf(finding.suppression) } }
}

const counts = ({ files, documents, errors, warnings, infos, suppressed }: Summary): Summary => ({
  files,
  documents,
  errors,
  warnings,
  infos,
  suppressed,
})
