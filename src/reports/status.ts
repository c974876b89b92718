/** The result of `sluice status` as a table. */

import type { PolicyStatus, StatusResult, TargetStatus } from '../queries/status.ts'
import { counted } from '../text/plural.ts'
import { writeDocuments } from '../yaml/documents.ts'
import { escapeUnsafe } from './characters.ts'
import { alignColumns, displayName, type PageContext, pageWidth, row } from './rows.ts'
import { createPaint, type Paint, type Role } from './style.ts'

/** The statuses in every world. Ends with a line break. */
export function statusTable(results: readonly StatusResult[], { color, width }: PageContext): string {
  const page = { paint: createPaint(color), width: pageWidth(width) }
  const sections = results.flatMap((result) => worldSections(result, page))
  return sections.length === 0 ? 'these files contain no RateLimitPolicy\n' : `${sections.join('\n\n')}\n`
}

const objectsOf = (results: readonly StatusResult[]) => results.flatMap(({ objects }) => objects)

/** The policies and targets with their status, as YAML documents. */
export const statusYaml = (results: readonly StatusResult[]): string => writeDocuments(objectsOf(results))

/**
 * The policies and targets with their status, as a List; kubectl ignores what was not judged. The JSON is a contract:
 * schemas/status.schema.json.
 */
export function statusJson(results: readonly StatusResult[], notJudged: StatusResult['notJudged']): string {
  const notInForce = results.flatMap((result) => result.notInForce)
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objectsOf(results), notInForce, notJudged }, null, 2)}\n`
}

type Page = { readonly paint: Paint; readonly width: number }

function worldSections({ world, policies, targets, notInForce }: StatusResult, page: Page): readonly string[] {
  if (policies.length === 0) return []
  const heading = world === '' ? [] : [page.paint('file', escapeUnsafe(`world ${world}`))]
  const marked = targets.filter(({ condition }) => condition !== undefined)
  const lines = [
    table(
      ['POLICY', 'TARGET', 'ACCEPTED', 'REASON'],
      policies.flatMap((policy) => policyRows(policy, notInForce)),
      page,
    ),
    ...(marked.length > 0 ? [table(['TARGET', 'CONDITION', 'STATUS', 'POLICIES'], marked.map(targetRow), page)] : []),
    summary(policies, page),
  ]
  return [...heading, ...lines]
}

/** The cells of one row, the colour of its status, and a message below it. */
type Row = { readonly cells: readonly string[]; readonly role: Role; readonly message: string }

function policyRows(
  { namespace, name, ancestors, isForeign, isUnseen, note }: PolicyStatus,
  notInForce: StatusResult['notInForce'],
): readonly Row[] {
  const whyNot = ({ kind, name: on }: { readonly kind: string; readonly name: string }): string => {
    const found = notInForce.find(
      ({ policy: own, target }) =>
        own.namespace === namespace && own.name === name && target.kind === kind && target.name === on,
    )
    return found ? `it limits nothing: ${found.message}` : ''
  }
  const policy = displayName({ namespace, name })
  if (ancestors.length === 0)
    return [
      {
        cells: [policy, '-', '-', '-'],
        role: isForeign ? 'faint' : isUnseen ? 'warning' : 'error',
        message: note ?? '',
      },
    ]
  return ancestors.flatMap(({ ancestorRef, conditions }) =>
    conditions.filter(isAccepted).map(({ status, reason, message }) => ({
      cells: [policy, `${ancestorRef.kind}/${ancestorRef.name}`, status, reason],
      role: status === 'True' && (note ?? whyNot(ancestorRef)) !== '' ? 'warning' : ROLES[status],
      message: status === 'True' ? (note ?? whyNot(ancestorRef)) : message,
    })),
  )
}

/** The table shows this condition alone: what others say of a policy follows from it. */
const isAccepted = ({ type }: { readonly type: string }): boolean => type === 'Accepted'

const ROLES = { True: 'good', False: 'error', Unknown: 'warning' } as const satisfies Record<string, Role>

function targetRow({ kind, namespace, name, policies, condition }: TargetStatus): Row {
  const cells = [
    `${kind} ${displayName({ namespace: namespace ?? '', name: name ?? '' })}`,
    condition?.type ?? '',
    condition?.status ?? '',
    policies.join(', '),
  ]
  return { cells, role: 'good', message: '' }
}

/** The column of a row that is coloured. */
const COLORED_COLUMN = 2

function table(head: readonly string[], rows: readonly Row[], { paint, width }: Page): string {
  const safe = rows.map((entry) => ({ ...entry, cells: entry.cells.map(escapeUnsafe) }))
  const line = alignColumns([head, ...safe.map(({ cells }) => cells)])
  const body = safe.flatMap(({ cells, role, message }) => [
    line(cells, (text, column) => (column === COLORED_COLUMN ? paint(role, text) : text)),
    ...(message === '' ? [] : row('', message, { paint, width, indent: 2, labels: 1 })),
  ])
  return [line(head, (title) => paint('faint', title)), ...body].join('\n')
}

/** `5 policies: 3 accepted, 1 rejected, 1 unknown`; those of other controllers are counted apart. */
function summary(policies: readonly PolicyStatus[], { paint }: Page): string {
  const states = policies.map(({ ancestors, isForeign, isUnseen }) => {
    if (isForeign) return 'of another controller'
    if (isUnseen) return 'unknown to the release'
    const all = ancestors.flatMap(({ conditions }) => conditions.filter(isAccepted).map(({ status }) => status))
    if (all.includes('False') || all.length === 0) return 'rejected'
    return all.includes('Unknown') ? 'unknown' : 'accepted'
  })
  const count = (state: string) => states.filter((one) => one === state).length
  const parts = ['accepted', 'rejected', 'unknown', 'of another controller', 'unknown to the release'].flatMap(
    (state) => (count(state) > 0 ? [`${count(state)} ${state}`] : []),
  )
  return paint('faint', `${counted(policies.length, 'policy', 'policies')}: ${parts.join(', ')}`)
}
