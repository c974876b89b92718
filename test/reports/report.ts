/** Reports for tests. */
import { RULES } from '../../rules/index.ts'
import type { LintReport, ReportedFinding, SuppressedFinding } from '../../src/lint/report.ts'
import type { ReportContext } from '../../src/reports/lint/reporter.ts'

/** A finding about a token of one line. */
export const finding = (parts: Partial<ReportedFinding> = {}): ReportedFinding => {
  const { line = 2, column = 7, endLine = line, endColumn = column + 5 } = parts
  return {
    rule: 'gateway/rate-syntax',
    severity: 'error',
    file: 'k8s/coffee.yaml',
    pointer: '/spec/rate',
    message: '"10R/S" is not a valid rate',
    help: 'Write "10r/s".',
    object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'coffee' },
    ...parts,
    line,
    column,
    endLine,
    endColumn,
  }
}

/** A suppressed finding. */
export const suppressedFinding = (
  parts: Partial<ReportedFinding> = {},
  suppression: SuppressedFinding['suppression'] = { kind: 'comment', reason: 'agreed' },
): SuppressedFinding => ({ ...finding(parts), suppression })

/** A report of findings. */
export function reportOf(
  findings: readonly ReportedFinding[],
  {
    files = 14,
    documents = 9,
    suppressed = [] as readonly SuppressedFinding[],
    notJudged = [] as LintReport['notJudged'],
  } = {},
): LintReport {
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length
  const [errors, warnings, infos] = [count('error'), count('warning'), count('info')]
  const summary = { files, documents, errors, warnings, infos, suppressed: suppressed.length }
  return { version: 1, findings, suppressed, notJudged, summary }
}

/** A context without a terminal, in which every file has the same text. */
export const context = (text: string | undefined, parts: Partial<ReportContext> = {}): ReportContext => ({
  color: false,
  width: undefined,
  info: false,
  quiet: false,
  statistics: false,
  warningsFail: false,
  elapsed: 84,
  tool: { version: '1.2.3', rules: RULES },
  base: { folder: '/home/me/shop', repository: undefined },
  files: [],
  textOf: () => text,
  ...parts,
})
