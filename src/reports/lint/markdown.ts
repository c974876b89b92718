/** Markdown for the summary of a job or a comment on a pull request. */

import type { LintReport, ReportedFinding, Summary } from '../../lint/report.ts'
import type { Severity } from '../../settings/settings.ts'
import { counted } from '../../text/plural.ts'
import { clip, markdownCode, markdownText } from '../escapes.ts'
import { pathInRepository } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { countRules, countSeverities, isShown, type RuleCount, withUnjudged } from './selection.ts'

/** Characters of all rows. GitHub accepts comments of 65,536 characters; the rest is for the text around the rows. */
const MAX_CHARACTERS = 60_000

/** Characters of one sentence: a value in it may have any length. */
const MAX_SENTENCE = 600

/** The reporter of the format `markdown`. */
export const markdown: Reporter = {
  syntax: 'markdown',
  hasStatistics: true,
  render: (report: LintReport, context: ReportContext): string => {
    const shown = withUnjudged(report).findings.filter((finding) => isShown(finding, context))
    const sections = SECTIONS.map(([severity]) => shown.filter((finding) => finding.severity === severity))
    const kept = rowsThatFit(sections.flat(), context)
    const tables = SECTIONS.map(([severity, title]) => table(severity, title, kept))
    const rest = sections.flat().slice(kept.length)
    const parts = [
      `### sluice: ${shown.length === 0 ? 'no problems' : countSeverities(shown)}`,
      countFiles(report.summary, context),
      ...tables,
      rest.length === 0 ? '' : `… and ${countSeverities(rest)} more; \`sluice lint\` lists them all.`,
      context.statistics ? statistics(countRules(report, context)) : '',
    ]
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`
  },
}

/** Most severe first. Errors are visible, the others are folded. */
const SECTIONS: readonly (readonly [severity: Severity, title: string])[] = [
  ['error', 'Errors'],
  ['warning', 'Warnings'],
  ['info', 'Infos'],
]

type Row = { readonly severity: Severity; readonly text: string }

function rowsThatFit(findings: readonly ReportedFinding[], context: ReportContext): readonly Row[] {
  const rows: Row[] = []
  let left = MAX_CHARACTERS
  for (const finding of findings) {
    const text = row(finding, context)
    left -= text.length + 1
    if (left < 0) break
    rows.push({ severity: finding.severity, text })
  }
  return rows
}

function row({ file, line, column, message, help, rule }: ReportedFinding, { base }: ReportContext): string {
  const place = markdownCode(clip(`${pathInRepository(file, base)}:${line}:${column}`, MAX_SENTENCE))
  const remedy = help === '' ? '' : `<br>${markdownText(clip(help, MAX_SENTENCE))}`
  return `| ${place} | ${markdownText(clip(message, MAX_SENTENCE))}${remedy} | ${markdownCode(rule)} |`
}

function table(severity: Severity, title: string, rows: readonly Row[]): string {
  const own = rows.filter((row) => row.severity === severity)
  if (own.length === 0) return ''
  const lines = ['| place | finding | rule |', '|---|---|---|', ...own.map(({ text }) => text)].join('\n')
  return severity === 'error' ? lines : `<details><summary>${title} (${own.length})</summary>\n\n${lines}\n\n</details>`
}

/** `27 files, 27 documents; 3 infos with --info; 2 suppressed` */
function countFiles({ files, documents, infos, suppressed }: Summary, { info, quiet }: ReportContext): string {
  const parts = [
    `${counted(files, 'file')}, ${counted(documents, 'document')}`,
    infos > 0 && !info && !quiet ? `${counted(infos, 'info')} with \`--info\`` : '',
    suppressed > 0 ? `${suppressed} suppressed` : '',
  ]
  return parts.filter((part) => part !== '').join('; ')
}

/** Rows of the statistics. */
const MAX_RULES = 50

function statistics(counts: readonly RuleCount[]): string {
  if (counts.length === 0) return ''
  const rows = counts
    .slice(0, MAX_RULES)
    .map(({ rule, findings, suppressed }) => `| ${markdownCode(rule)} | ${findings} | ${suppressed} |`)
  return ['| rule | findings | suppressed |', '|---|--:|--:|', ...rows].join('\n')
}
