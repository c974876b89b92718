/** GitLab's Code Quality report: one JSON array, one line a finding. */

import type { LintReport } from '../../lint/report.ts'
import type { Severity } from '../../settings/settings.ts'
import { pathInRepository } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { isTold, type NamedFinding, nameFindings } from './selection.ts'

/** An error keeps a policy or a whole gateway from working, which is critical; a warning works otherwise than meant. */
const SEVERITIES = { error: 'critical', warning: 'major', info: 'info' } as const satisfies Record<Severity, string>

export const gitlab: Reporter = {
  syntax: 'json',
  render: (report: LintReport, context: ReportContext): string => {
    const entries = nameFindings(report)
      .filter(({ finding, suppression }) => suppression === undefined && isTold(finding, context))
      .map((named) => JSON.stringify(describe(named, context)))
    return entries.length === 0 ? '[]\n' : `[\n${entries.join(',\n')}\n]\n`
  },
}

function describe({ finding, fingerprint }: NamedFinding, { base }: ReportContext): object {
  const { rule, severity, file, line, endLine, message, help } = finding
  return {
    description: help === '' ? message : `${message} (${help})`,
    check_name: rule,
    fingerprint,
    severity: SEVERITIES[severity],
    location: { path: pathInRepository(file, base), lines: { begin: line, end: endLine } },
  }
}
