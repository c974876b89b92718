/** The report for people: by file, each finding with its line, a mark under its token, and the remedy. */
import type { LintReport, ReportedFinding, Summary } from '../../lint/report.ts'
import { counted } from '../../text/plural.ts'
import { escapeUnsafe, widthOf } from '../characters.ts'
import { createPaint, type Paint, wrap } from '../style.ts'
import { createExcerpter, type Excerpter } from './excerpt.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { countRules, formatStatistics, groupByFile, isShown } from './selection.ts'

/** The reporter of the format `text`. */
export const text: Reporter = {
  syntax: 'text',
  hasStatistics: true,
  render: (report: LintReport, context: ReportContext): string => {
    const paint = createPaint(context.color)
    const shown = report.findings.filter((finding) => isShown(finding, context))
    const files = [...groupByFile(shown)].map(([file, findings]) => renderFile(file, findings, context, paint))
    const counts = context.statistics ? formatStatistics(countRules(report, context)) : ''
    return [...files, summarise(report.summary, context, paint), counts].filter((part) => part !== '').join('\n')
  },
}

/** Columns of an excerpt where there is no terminal. */
const DEFAULT_WIDTH = 120
const NARROWEST = 40

type Layout = {
  readonly paint: Paint
  /** Columns of the widest line number. */
  readonly gutter: number
  readonly width: number
  /** Columns for messages: infinite without a terminal, so that a message stays on one line. */
  readonly messageWidth: number
  readonly excerpt: Excerpter | undefined
}

function renderFile(
  file: string,
  findings: readonly ReportedFinding[],
  { textOf, width }: ReportContext,
  paint: Paint,
): string {
  const source = textOf(file)
  const layout: Layout = {
    paint,
    gutter: findings.reduce((widest, { line }) => Math.max(widest, String(line).length), 0),
    width: Math.max(width ?? DEFAULT_WIDTH, NARROWEST),
    messageWidth: width === undefined ? Number.POSITIVE_INFINITY : Math.max(width, NARROWEST),
    excerpt: source === undefined ? undefined : createExcerpter(source),
  }
  const blocks = findings.map((finding) => [
    ...headline(finding, layout),
    ...excerpt(finding, layout),
    ...help(finding, layout),
    '',
  ])
  return [paint('file', escapeUnsafe(file)), '', ...blocks.flat()].join('\n')
}

/** `12:45  error  "10R/S" is not a valid rate  gateway/rate-syntax` */
function headline(
  { line, column, severity, message, rule }: ReportedFinding,
  { paint, messageWidth }: Layout,
): string[] {
  const place = `${line}:${column}`
  const indent = 2 + place.length + 2 + severity.length + 2
  const messageLines = wrap(escapeUnsafe(message), messageWidth - indent, widthOf)
  const last = messageLines.at(-1) ?? ''
  const fits = widthOf(last) + 2 + rule.length <= messageWidth - indent
  const lines = messageLines.map((text) => paint('strong', text))
  const withRule = fits
    ? [...lines.slice(0, -1), `${paint('strong', last)}  ${paint('faint', rule)}`]
    : [...lines, paint('faint', rule)]
  const [first = '', ...rest] = withRule
  return [`  ${place}  ${paint(severity, severity)}  ${first}`, ...rest.map((text) => ' '.repeat(indent) + text)]
}

function excerpt(finding: ReportedFinding, { paint, gutter, width, excerpt }: Layout): string[] {
  if (!excerpt) return []
  const { line, mark } = excerpt(finding, width - gutter - 6)
  const carets = mark.trimStart()
  return [
    `${paint('faint', `    ${String(finding.line).padStart(gutter)} │`)} ${line}`.trimEnd(),
    `${paint('faint', `    ${' '.repeat(gutter)} │`)} ${' '.repeat(mark.length - carets.length)}${paint(finding.severity, carets)}`,
  ]
}

function help({ help }: ReportedFinding, { paint, gutter, messageWidth }: Layout): string[] {
  if (help === '') return []
  const indent = 4 + gutter + 3
  const label = 'help: '
  const [first = '', ...rest] = wrap(escapeUnsafe(help), messageWidth - indent - label.length, widthOf)
  const head = `${paint('faint', `    ${' '.repeat(gutter)} ╰`)} ${paint('help', label)}${first}`
  return [head, ...rest.map((text) => ' '.repeat(indent + label.length) + text)]
}

/** `2 errors, 3 warnings in 14 files (9 documents), 0.08 s` */
function summarise(summary: Summary, { quiet, info, elapsed }: ReportContext, paint: Paint): string {
  const { files, documents, errors, warnings, infos, suppressed } = summary
  const counts = [
    errors > 0 ? paint('error', counted(errors, 'error')) : '',
    warnings > 0 && !quiet ? paint('warning', counted(warnings, 'warning')) : '',
    infos > 0 && info && !quiet ? paint('info', counted(infos, 'info')) : '',
  ].filter((part) => part !== '')
  if (quiet && counts.length === 0) return ''
  const time = elapsed === undefined ? '' : `, ${(elapsed / 1000).toFixed(2)} s`
  const where = `in ${counted(files, 'file')} (${counted(documents, 'document')})${time}`
  const hidden = [
    infos > 0 && !info && !quiet ? paint('faint', `; ${counted(infos, 'info')} with --info`) : '',
    suppressed > 0 ? paint('faint', `; ${suppressed} suppressed`) : '',
  ].join('')
  if (counts.length > 0) return `${counts.join(', ')} ${where}${hidden}\n`
  if (documents === 0) return `nothing to judge ${where}\n`
  return `${paint('good', 'no problems')} ${where}${hidden}\n`
}
