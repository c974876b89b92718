/** Which findings a report contains, how they are identified from run to run, and how many there are. */
import { fingerprintsOf } from '../../lint/baseline/fingerprint.ts'
import type { LintReport, ReportedFinding, SuppressedFinding, Suppression } from '../../lint/report.ts'
import { groupBy } from '../../text/group.ts'
import { compareText } from '../../text/order.ts'
import { counted } from '../../text/plural.ts'

type Options = { readonly info: boolean; readonly quiet: boolean }

/** The severities, the worst first. */
export const WORST_FIRST = ['error', 'warning', 'info'] as const

/** Whether a report for people contains a finding: not warnings with `--quiet`, and infos only with `--info`. */
export const isShown = ({ severity }: ReportedFinding, { info, quiet }: Options): boolean =>
  severity === 'error' || (!quiet && (severity === 'warning' || info))

/** Whether a report for programs contains a finding: everything, or errors only with `--quiet`. */
export const isIncluded = ({ severity }: ReportedFinding, { quiet }: Pick<Options, 'quiet'>): boolean =>
  severity === 'error' || !quiet

/**
 * What was not judged and fails the run, as errors, before the findings: for formats that have no other place for it.
 */
export const withUnjudged = (report: LintReport): LintReport => {
  const failing = report.notJudged.filter(({ fails }) => fails)
  return failing.length === 0 ? report : { ...report, findings: [...failing.map(asFinding), ...report.findings] }
}

const asFinding = ({ file, line = 1, code, reason }: LintReport['notJudged'][number]): ReportedFinding => ({
  rule: `not-judged/${code}`,
  severity: 'error',
  file,
  line,
  column: 1,
  endLine: line,
  endColumn: 1,
  pointer: '',
  message: reason,
  help: '',
  object: { kind: '', namespace: '', name: '' },
})

/** A finding with its fingerprint, and its suppression where it has one. */
export type IdentifiedFinding = {
  readonly finding: ReportedFinding
  readonly fingerprint: string
  readonly suppression: Suppression | undefined
}

/**
 * All findings in their order, suppressed ones among the others: of findings that differ only in their place the
 * fingerprint contains their order, so the suppressed ones count.
 */
export function identifyFindings({ findings, suppressed }: LintReport): readonly IdentifiedFinding[] {
  const suppressions = new Map<ReportedFinding, Suppression>(suppressed.map((one) => [one, one.suppression]))
  const all = suppressed.length === 0 ? findings : inOrder([...findings, ...suppressed])
  const fingerprints = fingerprintsOf(all)
  return all.map((finding, index) => ({
    finding,
    fingerprint: fingerprints[index] ?? '',
    suppression: suppressions.get(finding),
  }))
}

const inOrder = (findings: (ReportedFinding | SuppressedFinding)[]): readonly ReportedFinding[] =>
  findings.sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.rule, b.rule),
  )

/** Findings by file, in the order of each file's first finding. */
export const groupByFile = (findings: readonly ReportedFinding[]): ReadonlyMap<string, readonly ReportedFinding[]> =>
  groupBy(findings, ({ file }) => file)

/** `2 errors, 1 warning`, without the severities that have no findings; empty where none has. */
export function countSeverities(findings: readonly ReportedFinding[]): string {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const { severity } of findings) counts[severity] += 1
  return WORST_FIRST.filter((severity) => counts[severity] > 0)
    .map((severity) => counted(counts[severity], severity))
    .join(', ')
}

/** How many findings one rule has. */
export type RuleCount = { readonly rule: string; readonly findings: number; readonly suppressed: number }

/** Counts findings per rule, most findings first. Rules without findings are left out. */
export function countRules(
  { findings, suppressed }: LintReport,
  options: Pick<Options, 'quiet'>,
): readonly RuleCount[] {
  const counts = new Map<string, { findings: number; suppressed: number }>()
  const countOf = (rule: string) => {
    const count = counts.get(rule) ?? { findings: 0, suppressed: 0 }
    counts.set(rule, count)
    return count
  }
  for (const finding of findings) if (isIncluded(finding, options)) countOf(finding.rule).findings += 1
  for (const finding of suppressed) if (isIncluded(finding, options)) countOf(finding.rule).suppressed += 1
  return [...counts]
    .map(([rule, count]) => ({ rule, ...count }))
    .sort((a, b) => b.findings - a.findings || b.suppressed - a.suppressed || compareText(a.rule, b.rule))
}

/** The counts as text, one line a rule; empty where there are none. */
export function formatStatistics(counts: readonly RuleCount[]): string {
  const width = counts.reduce((widest, { findings }) => Math.max(widest, String(findings).length), 0)
  return counts
    .map(({ rule, findings, suppressed }) => {
      const rest = suppressed === 0 ? '' : `  (${suppressed} suppressed)`
      return `  ${String(findings).padStart(width)}  ${rule}${rest}\n`
    })
    .join('')
}
