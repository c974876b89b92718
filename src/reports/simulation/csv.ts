/** The report of a simulation as one table for a spreadsheet. Source of the syntax: RFC 4180. */

import type { SimulationReport, Totals } from '../../simulate/report/report.ts'
import { escapeUnsafe } from '../characters.ts'

/** `table` is the kind of the row: `total`, `route`, `limit`, `key` (rejected by the limit), or `time` (an interval). */
const COLUMNS = [
  'table',
  'kind',
  'namespace',
  'name',
  'index',
  'key',
  'time',
  'requests',
  'passed',
  'delayed',
  'rejected',
  'unmatched',
  'delayed_dry_run',
  'rejected_dry_run',
  'wait_p50_ms',
  'wait_p95_ms',
  'wait_max_ms',
  'bucket_fill',
] as const

type Row = Partial<Record<(typeof COLUMNS)[number], string | number | undefined>>

/** The table with its header, lines ended by CRLF. */
export function simulationCsv(report: SimulationReport): string {
  const lines = rowsOf(report).map((row) => COLUMNS.map((column) => field(row[column])).join(','))
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`
}

function rowsOf(report: SimulationReport): readonly Row[] {
  return [
    { table: 'total', ...countsOf(report.totals), ...waitsOf(report.waits) },
    ...report.routes.map(({ kind, namespace, name, ...totals }) => ({
      table: 'route',
      kind,
      namespace,
      name,
      ...countsOf(totals),
    })),
    ...report.policies.flatMap(limitRows),
    ...report.timeline.map(({ at, passed, delayed, rejected, unmatched, fill }) => ({
      table: 'time',
      time: at,
      requests: passed + delayed + rejected + unmatched,
      passed,
      delayed,
      rejected,
      unmatched,
      bucket_fill: fill,
    })),
  ]
}

const countsOf = ({ requests, passed, delayed, rejected, unmatched }: Totals): Row => ({
  requests,
  passed,
  delayed,
  rejected,
  unmatched,
})

const waitsOf = (waits: SimulationReport['waits']): Row =>
  waits ? { wait_p50_ms: waits.p50, wait_p95_ms: waits.p95, wait_max_ms: waits.max } : {}

const limitRows = ({ namespace, name, limits }: SimulationReport['policies'][number]): readonly Row[] =>
  limits.flatMap((limit): readonly Row[] => {
    const which = { kind: 'RateLimitPolicy', namespace, name, index: limit.index }
    const { requests, passed, delayed, rejected, delayedDryRun, rejectedDryRun, topRejectedKeys } = limit
    return [
      {
        table: 'limit',
        ...which,
        key: limit.key,
        requests,
        passed,
        delayed,
        rejected,
        delayed_dry_run: delayedDryRun,
        rejected_dry_run: rejectedDryRun,
        ...waitsOf(limit.waits),
      },
      ...topRejectedKeys.map(({ key, ...counts }) => ({ table: 'key', ...which, key, ...counts })),
    ]
  })

/**
 * Clients can choose keys: an apostrophe in front keeps a spreadsheet from running them as formulas (also those that begin
 * with a full-width character), and control characters are written out.
 */
function field(value: string | number | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const shown = escapeUnsafe(value)
  const text = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(shown) ? `'${shown}` : shown
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
