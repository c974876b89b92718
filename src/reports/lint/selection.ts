/** Which findings a report shows, and what they are called from run to run. */
import { fingerprintsOf } from '../../lint/baseline/fingerprint.ts'
import type { LintReport, ReportedFinding, SuppressedFinding, Suppression } from '../../lint/report.ts'
import { counted } from '../rows.ts'

type Wish = { readonly info: boolean; readonly quiet: boolean }

/** For people: warnings unless they want errors only, informations where they ask for them. */
export const isShown = ({ severity }: ReportedFinding, { info, quiet }: Wish): boolean =>
  severity === 'error' || (!quiet && (severity === 'warning' || info))

/** For programs: everything, unless errors alone are wanted. */
export const isTold = ({ severity }: ReportedFinding, { quiet }: Pick<Wish, 'quiet'>): boolean =>
  severity === 'error' || !quiet

/** A finding with its name and, where it stays quiet, the reason. */
export type NamedFinding = {
  readonly finding: ReportedFinding
  readonly fingerprint: string
  readonly suppression: Suppression | undefined
}

/**
 * All findings in their order, those that stay quiet among the others: two that differ in nothing but their place are
 * told apart by their order, so what is suppressed still counts.
 */
export function nameFindings({ findings, suppressed }: LintReport): readonly NamedFinding[] {
  const reasons = new Map<ReportedFinding, Suppression>(suppressed.map((one) => [one, one.suppression]))
  const all = suppressed.length === 0 ? findings : inOrder([...findings, ...suppressed])
  const fingerprints = fingerprintsOf(all)
  return all.map((finding, index) => ({
    finding,
    fingerprint: fingerprints[index] ?? '',
    suppression: reasons.get(finding),
  }))
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const inOrder = (findings: (ReportedFinding | SuppressedFinding)[]): readonly ReportedFinding[] =>
  findings.sort((a, b) => byText(a.file, b.file) || a.line - b.line || a.column - b.column || byText(a.rule, b.rule))

/** Findings by their file, in the order in which files come first. */
export function groupByFile<One extends ReportedFinding>(
  findings: readonly One[],
): ReadonlyMap<string, readonly One[]> {
  const groups = new Map<string, One[]>()
  for (const finding of findings) {
    const group = groups.get(finding.file)
    if (group) group.push(finding)
    else groups.set(finding.file, [finding])
  }
  return groups
}

/** `2 errors, 1 warning`: only what there is. Empty where there is nothing. */
export function sumUp(findings: readonly ReportedFinding[]): string {
  const many = { error: 0, warning: 0, info: 0 }
  for (const { severity } of findings) many[severity] += 1
  return [
    many.error > 0 ? counted(many.error, 'error') : '',
    many.warning > 0 ? counted(many.warning, 'warning') : '',
    many.info > 0 ? counted(many.info, 'information') : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}
