/** How many findings each rule has. */
import type { LintReport } from '../../lint/report.ts'
import { isTold } from './selection.ts'

/** The findings of one rule. */
export type RuleCount = { readonly rule: string; readonly findings: number; readonly suppressed: number }

/** Counts per rule, most findings first; rules that found nothing are left out. */
export function countRules(
  { findings, suppressed }: LintReport,
  wish: { readonly quiet: boolean },
): readonly RuleCount[] {
  const counts = new Map<string, { findings: number; suppressed: number }>()
  const countOf = (rule: string) => {
    const count = counts.get(rule) ?? { findings: 0, suppressed: 0 }
    counts.set(rule, count)
    return count
  }
  for (const finding of findings) if (isTold(finding, wish)) countOf(finding.rule).findings += 1
  for (const finding of suppressed) if (isTold(finding, wish)) countOf(finding.rule).suppressed += 1
  return [...counts]
    .map(([rule, count]) => ({ rule, ...count }))
    .sort((a, b) => b.findings - a.findings || b.suppressed - a.suppressed || (a.rule < b.rule ? -1 : 1))
}

/** The counts for people, a line a rule. Empty where there are none. */
export function writeStatistics(counts: readonly RuleCount[]): string {
  const width = counts.reduce((widest, { findings }) => Math.max(widest, String(findings).length), 0)
  return counts
    .map(({ rule, findings, suppressed }) => {
      const quiet = suppressed === 0 ? '' : `  (${suppressed} suppressed)`
      return `  ${String(findings).padStart(width)}  ${rule}${quiet}\n`
    })
    .join('')
}
