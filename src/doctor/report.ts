/** An examination as text for people, and as JSON (`schemas/doctor.schema.json`). */
import { escapeUnsafe } from '../reports/characters.ts'
import { type PageContext, pageWidth, row } from '../reports/rows.ts'
import { createPaint, type Role } from '../reports/style.ts'
import { counted } from '../text/plural.ts'
import type { CheckResult, Examination } from './examine.ts'
import type { Status } from './judgement.ts'

const ROLES = { ok: 'good', unknown: 'faint', warning: 'warning', failure: 'error' } as const satisfies Record<
  Status,
  Role
>

/** Columns of the status, with the space behind it. */
const STATUS = 9
/** Columns of the id of a check that is ok, with the space behind it. */
const ID = 25

/** How it is shown: `isQuiet` leaves out what is ok, and what is not covered. */
type DoctorPage = PageContext & { readonly isQuiet: boolean }

/** A line for each check, those that are not ok with what to do. Ends with a line break. */
export function doctorText(examination: Examination, { color, width, isQuiet }: DoctorPage): string {
  const { checks, summary, notCovered } = examination
  const page = { paint: createPaint(color), width: pageWidth(width) }
  const shown = isQuiet ? checks.filter((check) => check.status !== 'ok') : checks
  const lines = shown.flatMap((check) => checkLines(check, page))
  const left = (isQuiet ? [] : notCovered).flatMap((text) => row('-', text, { ...page, indent: 2, labels: 2 }))
  const { ok, warning, failure, unknown } = summary
  const counts = [
    [ok, 'ok', 'ok'],
    [warning, 'warning', 'warnings'],
    [failure, 'failure', 'failures'],
    [unknown, 'unknown', 'unknown'],
  ] as const
  const parts = counts.flatMap(([count, one, more]) => (count > 0 ? [counted(count, one, more)] : []))
  const end = page.paint('strong', `${counted(checks.length, 'check')}: ${parts.join(', ')}`)
  const covered = left.length > 0 ? ['', page.paint('strong', 'not covered'), ...left] : []
  return `${[...lines, ...covered, ...(lines.length > 0 ? [''] : []), end].join('\n')}\n`
}

type Page = { readonly paint: ReturnType<typeof createPaint>; readonly width: number }

function checkLines({ id, status, message, remedy }: CheckResult, { paint, width }: Page): readonly string[] {
  const head = `${paint(ROLES[status], status)}${' '.repeat(STATUS - status.length)}`
  if (status === 'ok') {
    const [first = '', ...rest] = row(id, message, { paint, width, indent: STATUS, labels: ID })
    return [head + first.slice(STATUS), ...rest]
  }
  const said = row('', message, { paint, width, indent: STATUS - 1, labels: 1 })
  // A remedy may be a command, which people copy: it stays on one line.
  const fix = remedy === undefined ? [] : [`${' '.repeat(STATUS)}${paint('help', 'fix:')} ${escapeUnsafe(remedy)}`]
  return [head + id, ...said, ...fix]
}

/** What was examined. */
export type Examined =
  | { readonly place: 'cluster'; readonly server: string; readonly context: string; readonly namespace: string }
  | { readonly place: 'files'; readonly paths: readonly string[]; readonly namespace: string }

/** The JSON is a contract. */
export const doctorJson = (sluice: string, examined: Examined, examination: Examination): string =>
  `${JSON.stringify({ version: 1, sluice, examined, ...examination }, null, 2)}\n`
