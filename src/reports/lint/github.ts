/** Workflow commands of GitHub Actions: findings as annotations of a change. */

import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { Severity } from '../../settings/settings.ts'
import { clip, escapeCommandData, escapeCommandProperty } from '../escapes.ts'
import { pathInRepository } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { isShown, sumUp } from './selection.ts'

/** GitHub keeps so many annotations of each severity that a step makes, and drops the others in silence. */
const CAP = 10

/** A log line of any length is kept; an annotation is for reading. */
const LONGEST = 4000

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<Severity, string>

export const github: Reporter = {
  syntax: 'commands',
  render: ({ findings }: LintReport, context: ReportContext): string => {
    const shown = findings.filter((finding) => isShown(finding, context))
    const bySeverity = (severity: Severity) => shown.filter((finding) => finding.severity === severity)
    const [errors, warnings, infos] = [bySeverity('error'), bySeverity('warning'), bySeverity('info')]
    const isWhole = [errors, warnings, infos].every(({ length }) => length <= CAP)
    // What sums up the others is a notice itself.
    const kept = [errors.slice(0, CAP), warnings.slice(0, CAP), infos.slice(0, isWhole ? CAP : CAP - 1)]
    const rest = [errors.slice(CAP), warnings.slice(CAP), infos.slice(CAP - 1)]
    const lines = kept.flat().map((finding) => annotation(finding, context))
    return [...lines, ...(isWhole ? [] : [remainder(rest.flat())])].map((line) => `${line}\n`).join('')
  },
}

function annotation(finding: ReportedFinding, { base }: ReportContext): string {
  const { rule, severity, file, line, column, endLine, endColumn, message, help } = finding
  const properties: readonly (readonly [name: string, value: string | number])[] = [
    ['file', pathInRepository(file, base)],
    ['line', line],
    ['endLine', endLine],
    // GitHub takes columns within one line only.
    ...(line === endLine ? ([['col', column] as const, ['endColumn', endColumn] as const] as const) : []),
    ['title', rule],
  ]
  const written = properties.map(([name, value]) => `${name}=${escapeCommandProperty(String(value))}`).join(',')
  const text = [message, help]
    .filter((part) => part !== '')
    .map((part) => clip(part, LONGEST))
    .join('\n')
  return `::${COMMANDS[severity]} ${written}::${escapeCommandData(text)}`
}

const remainder = (findings: readonly ReportedFinding[]): string =>
  `::notice title=sluice::${escapeCommandData(`and ${sumUp(findings)} more, beyond what GitHub shows of one step`)}`
