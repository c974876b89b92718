/** Workflow commands of GitHub Actions: findings as annotations of a change. */

import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { Severity } from '../../settings/settings.ts'
import { clip, escapeCommandData, escapeCommandProperty } from '../escapes.ts'
import { pathInRepository } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { countSeverities, isShown, withUnjudged } from './selection.ts'

/** Annotations of each severity that GitHub keeps for one step. It drops any others without a message. */
const MAX_ANNOTATIONS = 10

/** Characters of a message or its help: longer ones make an annotation unreadable. */
const MAX_LENGTH = 4000

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<Severity, string>

/** The reporter of the format `github`. */
export const github: Reporter = {
  syntax: 'commands',
  render: (report: LintReport, context: ReportContext): string => {
    const { findings } = withUnjudged(report)
    const shown = findings.filter((finding) => isShown(finding, context))
    const bySeverity = (severity: Severity) => shown.filter((finding) => finding.severity === severity)
    const [errors, warnings, infos] = [bySeverity('error'), bySeverity('warning'), bySeverity('info')]
    const isWhole = [errors, warnings, infos].every(({ length }) => length <= MAX_ANNOTATIONS)
    // The count of the others is a notice, too.
    const kept = [
      errors.slice(0, MAX_ANNOTATIONS),
      warnings.slice(0, MAX_ANNOTATIONS),
      infos.slice(0, isWhole ? MAX_ANNOTATIONS : MAX_ANNOTATIONS - 1),
    ]
    const rest = [errors.slice(MAX_ANNOTATIONS), warnings.slice(MAX_ANNOTATIONS), infos.slice(MAX_ANNOTATIONS - 1)]
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
    // GitHub accepts columns only within one line.
    ...(line === endLine ? ([['col', column] as const, ['endColumn', endColumn] as const] as const) : []),
    ['title', rule],
  ]
  const written = properties.map(([name, value]) => `${name}=${escapeCommandProperty(String(value))}`).join(',')
  const text = [message, help]
    .filter((part) => part !== '')
    .map((part) => clip(part, MAX_LENGTH))
    .join('\n')
  return `::${COMMANDS[severity]} ${written}::${escapeCommandData(text)}`
}

const remainder = (findings: readonly ReportedFinding[]): string =>
  `::notice title=sluice::${escapeCommandData(`not shown: ${countSeverities(findings)}. GitHub shows at most ${MAX_ANNOTATIONS} annotations of each severity for one step.`)}`
