/** The outcome of a simulation as one table for a spreadsheet. Source of the syntax: RFC 4180. */
import type { SimulationReport, Totals } from '../../simulate/report/report.ts'

/** `table` says what a row is about: `total`, `route`, `limit`, `key` (refused by the limit), or `time`. */
const COLUMNS = [
  'table',
  'kind',
  'namespace',
  'name',
  'rule',
  'key',
  'time',
  'requests',
  'passed',
  'delayed',
  'rejected',
  'unmatched',
  'dry_run_delayed',
  'dry_run_rejected',
  'wait_p50_ms',
  'wait_p95_ms',
  'wait_max_ms',
] as const

type Row = Partial<Record<(typeof COLUMNS)[number], string | number | undefined>>

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
    ...report.timeline.map(({ at, passed, delayed, rejected, unmatched }) => ({
      table: 'time',
      time: at,
      requests: passed + delayed + rejected + unmatched,
      passed,
      delayed,
      rejected,
      unmatched,
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
    const place = { kind: 'RateLimitPolicy', namespace, name, rule: limit.rule }
    const { requests, passed, delayed, rejected, dryRun, topRefusedKeys } = limit
    const dry = { dry_run_delayed: dryRun.delayed, dry_run_rejected: dryRun.rejected }
    return [
      {
        table: 'limit',
        ...place,
        key: limit.key,
        requests,
        passed,
        delayed,
        rejected,
        ...dry,
        ...waitsOf(limit.waits),
      },
      ...topRefusedKeys.map(({ key, ...counts }) => ({ table: 'key', ...place, key, ...counts })),
    ]
  })

/** Clients write keys: what a spreadsheet would take for a formula gets an apostrophe in front. */
function field(value: string | number | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
