/** Reports for tests. */
import type { LintReport, ReportedFinding } from '../../src/lint/report.ts'
import type { ReportContext } from '../../src/reports/reporter.ts'

/** A finding about a token of one line. */
export const finding = (parts: Partial<ReportedFinding> = {}): ReportedFinding => {
  const { line = 2, column = 7, endLine = line, endColumn = column + 5 } = parts
  return {
    rule: 'gateway/rate-syntax',
    severity: 'error',
    file: 'k8s/coffee.yaml',
    pointer: '/spec/rate',
    message: '"10R/S" is no rate',
    help: 'Write it as "10r/s".',
    object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'coffee' },
    ...parts,
    line,
    column,
    endLine,
    endColumn,
  }
}

/** A report of findings. */
export function reportOf(findings: readonly ReportedFinding[], { files = 14, documents = 9 } = {}): LintReport {
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length
  const [errors, warnings, infos] = [count('error'), count('warning'), count('info')]
  return { version: 1, findings, suppressed: [], summary: { files, documents, errors, warnings, infos, suppressed: 0 } }
}

/** A terminal-less reader of files that all say the same. */
export const context = (text: string | undefined, parts: Partial<ReportContext> = {}): ReportContext => ({
  color: false,
  width: undefined,
  info: false,
  quiet: false,
  elapsed: 84,
  textOf: () => text,
  ...parts,
})
