/** The report for programs: one JSON object, one line a finding. */
import type { LintReport, ReportedFinding, Summary } from '../lint/report.ts'
import type { ReportContext, Reporter } from './reporter.ts'

export const json: Reporter = {
  name: 'json',
  summary: 'for programs; its shape is a contract',
  render: ({ version, findings, summary }: LintReport, { quiet }: ReportContext): string => {
    const shown = quiet ? findings.filter(({ severity }) => severity === 'error') : findings
    const lines = shown.map((finding) => JSON.stringify(inOrder(finding)))
    const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
    return `{"version":${version},"findings":${list},"summary":${JSON.stringify(counts(summary))}}\n`
  },
}

/** Only the members of the contract, in its order. */
const inOrder = (finding: ReportedFinding): ReportedFinding => {
  const { rule, severity, file, line, column, endLine, endColumn, pointer, message, help, object } = finding
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
  }
}

const counts = ({ files, documents, errors, warnings, infos, suppressed }: Summary): Summary => ({
  files,
  documents,
  errors,
  warnings,
  infos,
  suppressed,
})
