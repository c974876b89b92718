/** GitLab's Code Quality report: one JSON array, one line per finding. */

import type { LintReport } from '../../lint/report.ts'
import type { Severity } from '../../settings/settings.ts'
import { pathInRepository } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { type IdentifiedFinding, identifyFindings, isIncluded, withUnjudged } from './selection.ts'

/** An error breaks a policy or a whole gateway; with a warning it works, but not as intended. */
const SEVERITIES = { error: 'critical', warning: 'major', info: 'info' } as const satisfies Record<Severity, string>

/** The reporter of the format `gitlab`. */
export const gitlab: Reporter = {
  syntax: 'json',
  render: (report: LintReport, context: ReportContext): string => {
    const entries = identifyFindings(withUnjudged(report))
      .filter(({ finding, suppression }) => suppression === undefined && isIncluded(finding, context))
      .map((identified) => JSON.stringify(describe(identified, context)))
    return entries.length === 0 ? '[]\n' : `[\n${entries.join(',\n')}\n]\n`
  },
}

function describe({ finding, fingerprint }: IdentifiedFinding, { base }: ReportContext): object {
  const { rule, severity, file, line, endLine, message, help } = finding
  return {
    description: help === '' ? message : `${message} (${help})`,
    check_name: rule,
    fingerprint,
    severity: SEVERITIES[severity],
    location: { path: pathInRepository(file, base), lines: { begin: line, end: endLine } },
  }
}
