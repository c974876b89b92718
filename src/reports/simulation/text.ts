/** The report of a simulation as a page for a terminal. */
import {
  type ChangedRequests,
  type LimitOutcome,
  limitLabel,
  limitTitle,
  type PolicyOutcome,
  policyTitle,
  type SimulationReport,
} from '../../simulate/report/report.ts'
import { counted } from '../../text/plural.ts'
import { escapeUnsafe } from '../characters.ts'
import { type PageContext, pageWidth, type RowLayout, row } from '../rows.ts'
import { createPaint, type Role } from '../style.ts'
import { chartLines } from './chart.ts'
import { OUTCOMES, type OutcomeName } from './scale.ts'

/** A page: warnings, totals, the timeline, each policy, and the comparison where there is one. */
export function simulationText(report: SimulationReport, { color, width }: PageContext): string {
  const paint = createPaint(color)
  const layout: RowLayout = { paint, width: pageWidth(width), indent: 2, labels: 11 }
  const sections = [
    heading(report, layout),
    warnings(report, layout),
    totals(report, layout),
    chartLines(report, layout.width, paint),
    ...report.policies.map((policy) => policySection(policy, report.system, layout)),
    comparison(report, layout),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

/** The traffic in one line; also the title of the SVG picture. */
export function trafficTitle({ traffic, totals }: SimulationReport): string {
  const files =
    traffic.files.length > 2 ? `${traffic.files[0]} and ${traffic.files.length - 1} more` : traffic.files.join(', ')
  const name = traffic.type === 'log' ? `${files} (${traffic.name})` : traffic.name
  return `${counted(totals.requests, 'request')}: ${name}`
}

function heading(report: SimulationReport, layout: RowLayout): readonly string[] {
  const { traffic, gateway, composition, system } = report
  const span = typeof traffic.from === 'string' ? `${moment(traffic.from)} to ${moment(String(traffic.to))} UTC` : ''
  const how =
    composition === 'stack' ? 'the limits of Gateway and route both apply' : "a route's limits replace its Gateway's"
  return [
    layout.paint('strong', escapeUnsafe(trafficTitle(report))),
    ...(span === '' ? [] : row('time', span, layout)),
    ...(gateway ? row('Gateway', `${gateway.namespace}/${gateway.name}`, layout) : []),
    ...(system === 'gateway' ? row('limits', `composition ${composition}: ${how}`, layout) : []),
    ...(traffic.unreadable > 0
      ? row('unreadable', `${counted(traffic.unreadable, 'line')} of ${formatCount(traffic.lines)}`, layout)
      : []),
  ]
}

const moment = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)}`

const warnings = ({ warnings: all }: SimulationReport, layout: RowLayout): readonly string[] =>
  all.flatMap((text) => {
    const [first = '', ...rest] = row('', text, { ...layout, indent: 0, labels: 2 })
    return [`${layout.paint('warning', '!')}${first.slice(1)}`, ...rest]
  })

const ROLES: Readonly<Record<OutcomeName, Role>> = {
  passed: 'good',
  delayed: 'warning',
  rejected: 'error',
  unmatched: 'faint',
}
/** Columns of the bars beside the totals. */
const BAR = 30

function totals(report: SimulationReport, { paint, width }: RowLayout): readonly string[] {
  const { totals: all, waits, unmatchedReasons } = report
  const lines = OUTCOMES.filter((outcome) => outcome !== 'unmatched' || all.unmatched > 0).map((outcome) => {
    const share = all.requests === 0 ? 0 : all[outcome] / all.requests
    const bar = paint(ROLES[outcome], '█'.repeat(all[outcome] > 0 ? Math.max(1, Math.round(share * BAR)) : 0))
    return `  ${outcome.padEnd(11)}${formatCount(all[outcome]).padStart(13)} ${percent(share).padStart(8)}  ${width < 70 ? '' : bar}`.trimEnd()
  })
  const layout: RowLayout = { paint, width, indent: 2, labels: 11 }
  const why = [
    ...(unmatchedReasons.noRoute > 0 ? [`${formatCount(unmatchedReasons.noRoute)} matched no route`] : []),
    ...(unmatchedReasons.badRequest > 0 ? [`${counted(unmatchedReasons.badRequest, 'bad request')} (400)`] : []),
  ]
  return [
    ...lines,
    ...(waits ? row('waits', formatWaits(waits), layout) : []),
    ...(why.length > 0 ? row('', why.join(', '), layout) : []),
  ]
}

const formatCount = (count: number): string => count.toLocaleString('en')
const percent = (share: number): string => `${(share * 100).toFixed(share > 0 && share < 0.001 ? 3 : 1)} %`

const formatWaits = ({ p50, p95, max }: NonNullable<SimulationReport['waits']>): string =>
  `p50 ${duration(p50)}, p95 ${duration(p95)}, max ${duration(max)}`

const duration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${Number((milliseconds / 1000).toPrecision(3))} s`

type System = SimulationReport['system']

function policySection(policy: PolicyOutcome, system: System, layout: RowLayout): readonly string[] {
  return [
    layout.paint('file', escapeUnsafe(`policy ${policyTitle(policy, system)}`)),
    ...policy.limits.flatMap((limit) => limitLines(limit, limitLabel(limit.index, system), layout)),
  ]
}

function limitLines(limit: LimitOutcome, label: string, layout: RowLayout): readonly string[] {
  const queue = limit.noDelay ? ', no delay' : limit.delay ? `, delay ${limit.delay}` : ''
  const what = `${limit.rate}${limit.burst > 0 ? `, burst ${limit.burst}` : ''}${queue}, by ${limit.key}`
  const head = row(label, what, layout)
  if (limit.notSimulated !== null) return [...head, ...row('', `not simulated: ${limit.notSimulated}`, layout)]
  return [
    ...head,
    ...row('requests', `${formatCount(limit.requests)}: ${formatOutcomes(limit)}`, layout),
    ...(limit.waits ? row('waits', formatWaits(limit.waits), layout) : []),
    ...dryRunLines(limit, layout),
    ...rejectedLines(limit, layout),
  ]
}

function formatOutcomes({ passed, delayed, rejected, rejectedByOther }: LimitOutcome): string {
  const others = rejectedByOther > 0 ? `, ${formatCount(rejectedByOther)} rejected by another limit` : ''
  return `${formatCount(passed)} passed, ${formatCount(delayed)} delayed, ${formatCount(rejected)} rejected${others}`
}

const dryRunLines = ({ delayedDryRun, rejectedDryRun }: LimitOutcome, layout: RowLayout): readonly string[] =>
  delayedDryRun + rejectedDryRun === 0
    ? []
    : row(
        'dry run',
        `would have delayed ${formatCount(delayedDryRun)} and rejected ${formatCount(rejectedDryRun)}`,
        layout,
      )

/** How many keys the page names of each limit. */
const MOST_KEYS = 5

function rejectedLines({ topRejectedKeys }: LimitOutcome, layout: RowLayout): readonly string[] {
  return topRejectedKeys.slice(0, MOST_KEYS).flatMap(({ key, rejected, delayed, passed }, index) => {
    const all = rejected + delayed + passed
    return row(
      index === 0 ? 'rejected' : '',
      `${shortened(key)}: ${formatCount(rejected)} of ${formatCount(all)}`,
      layout,
    )
  })
}

const LONGEST_KEY = 60
const shortened = (key: string): string => (key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key)

function comparison(
  { comparison: compared, totals: now, system }: SimulationReport,
  layout: RowLayout,
): readonly string[] {
  if (!compared) return []
  const { old, newlyRejected, noLongerRejected } = compared
  const was = `rejected ${formatCount(old.totals.rejected)} before, ${formatCount(now.rejected)} now`
  return [
    layout.paint('file', 'compared with the old version'),
    ...row(
      'totals',
      `${was}; delayed ${formatCount(old.totals.delayed)} before, ${formatCount(now.delayed)} now`,
      layout,
    ),
    ...changeLines('newly', newlyRejected, { system, layout }),
    ...changeLines('no longer', noLongerRejected, { system, layout }),
  ]
}

function changeLines(
  label: string,
  { requests, keys, top }: ChangedRequests,
  { system, layout }: { readonly system: System; readonly layout: RowLayout },
): readonly string[] {
  const rows = top
    .slice(0, MOST_KEYS)
    .flatMap(({ key, requests: count, ...limit }) =>
      row('', `${shortened(key)}: ${formatCount(count)} by ${limitTitle(limit, system)}`, layout),
    )
  return [...row(label, `rejected ${counted(requests, 'request')} of ${counted(keys, 'key')}`, layout), ...rows]
}
