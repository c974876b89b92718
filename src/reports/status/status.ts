/** Statuses as a table for people. */
import type { PolicyStatus, StatusAnswer, TargetStatus } from '../../queries/status.ts'
import { escapeUnsafe, widthOf } from '../characters.ts'
import { pageWidth, row } from '../rows.ts'
import { createPaint, type Paint, type Role } from '../style.ts'

type PageContext = { readonly color: boolean; readonly width: number | undefined }

/** The statuses of every world, ending in a line break. */
export function statusTable(answers: readonly StatusAnswer[], { color, width }: PageContext): string {
  const page = { paint: createPaint(color), width: pageWidth(width) }
  const sections = answers.flatMap((answer) => worldSections(answer, page))
  return sections.length === 0 ? 'no RateLimitPolicy is in sight\n' : `${sections.join('\n\n')}\n`
}

type Page = { readonly paint: Paint; readonly width: number }

function worldSections({ world, policies, targets }: StatusAnswer, page: Page): readonly string[] {
  if (policies.length === 0) return []
  const heading = world === '' ? [] : [page.paint('file', escapeUnsafe(`world ${world}`))]
  const marked = targets.filter(({ condition }) => condition !== undefined)
  const lines = [
    table(['POLICY', 'TARGET', 'ACCEPTED', 'REASON'], policies.flatMap(policyRows), page),
    ...(marked.length > 0 ? [table(['TARGET', 'CONDITION', 'STATUS', 'BY'], marked.map(targetRow), page)] : []),
    summary(policies, page),
  ]
  return [...heading, ...lines]
}

/** Cells of one row, what they mean, and a sentence below them. */
type Row = { readonly cells: readonly string[]; readonly role: Role; readonly message: string }

function policyRows({ namespace, name, ancestors, note }: PolicyStatus): readonly Row[] {
  const policy = shown(namespace, name)
  if (ancestors.length === 0) return [{ cells: [policy, '-', '-', '-'], role: 'error', message: note ?? '' }]
  return ancestors.flatMap(({ ancestorRef, conditions }) =>
    conditions.map(({ status, reason, message }) => ({
      cells: [policy, `${ancestorRef.kind}/${ancestorRef.name}`, status, reason],
      role: ROLES[status],
      message: status === 'True' ? '' : message,
    })),
  )
}

const ROLES = { True: 'good', False: 'error', Unknown: 'warning' } as const satisfies Record<string, Role>

function targetRow({ kind, namespace, name, policies, condition }: TargetStatus): Row {
  const cells = [
    `${kind} ${shown(namespace ?? '', name ?? '')}`,
    condition?.type ?? '',
    condition?.status ?? '',
    policies.join(', '),
  ]
  return { cells, role: 'good', message: '' }
}

const shown = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`)

/** Which column a row's meaning colours. */
const COLOURED = 2

function table(head: readonly string[], rows: readonly Row[], { paint, width }: Page): string {
  const safe = rows.map((entry) => ({ ...entry, cells: entry.cells.map(escapeUnsafe) }))
  const widths = head.map((title, column) =>
    Math.max(widthOf(title), ...safe.map(({ cells }) => widthOf(cells[column] ?? ''))),
  )
  const line = (cells: readonly string[], colour: (text: string, column: number) => string) =>
    cells
      .map((cell, column) => colour(cell, column) + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd()
  const body = safe.flatMap(({ cells, role, message }) => [
    line(cells, (text, column) => (column === COLOURED ? paint(role, text) : text)),
    ...(message === '' ? [] : row('', message, { paint, width, indent: 2, labels: 1 })),
  ])
  return [line(head, (title) => paint('faint', title)), ...body].join('\n')
}

/** `5 policies: 3 accepted, 1 refused, 1 unknown` */
function summary(policies: readonly PolicyStatus[], { paint }: Page): string {
  const states = policies.map(({ ancestors }) => {
    const all = ancestors.flatMap(({ conditions }) => conditions.map(({ status }) => status))
    if (all.includes('False') || all.length === 0) return 'refused'
    return all.includes('Unknown') ? 'unknown' : 'accepted'
  })
  const count = (state: string) => states.filter((one) => one === state).length
  const parts = ['accepted', 'refused', 'unknown'].flatMap((state) =>
    count(state) > 0 ? [`${count(state)} ${state}`] : [],
  )
  const noun = policies.length === 1 ? '1 policy' : `${policies.length.toLocaleString('en')} policies`
  return paint('faint', `${noun}: ${parts.join(', ')}`)
}
