/** The limits of an object as a page for people, and as JSON. */

import { describeBytes } from '../../limits/size.ts'
import type { AttachedAnswer, BehindAnswer, EffectiveAnswer } from '../../queries/effective-result.ts'
import type { LimitPlace, PolicyName } from '../../queries/limit.ts'
import type { LossAnswer } from '../../queries/request-path.ts'
import { escapeUnsafe } from '../characters.ts'
import { counted, listed, pageWidth, type RowLayout, row } from '../rows.ts'
import { createPaint, type Paint } from '../style.ts'
import { keyWords, limitBlock } from './limit.ts'

/** How a page is written. */
export type PageContext = {
  readonly color: boolean
  /** Columns of the terminal; undefined where there is none. */
  readonly width: number | undefined
}

/** The answer as JSON: a contract, version 1. */
export const effectiveJson = (answer: EffectiveAnswer): string => `${JSON.stringify(answer, null, 2)}\n`

/** The answer for people. */
export function effectiveText(answer: EffectiveAnswer, { color, width }: PageContext): string {
  const paint = createPaint(color)
  const layout: RowLayout = { paint, width: pageWidth(width), indent: 2, labels: 10 }
  const sections = [
    [title(answer, paint)],
    ...answer.behind.flatMap((behind) => stretch(answer, behind, layout)),
    ...routes(answer.routes, layout),
    notes(answer, { ...layout, indent: 0 }),
  ]
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`)
  return texts.join('\n')
}

function title({ target: { kind, namespace, name }, world }: EffectiveAnswer, paint: Paint): string {
  return paint('strong', escapeUnsafe(`${kind} ${namespace}/${name}${world === null ? '' : `, world ${world}`}`))
}

/** Sections: where, each limit, and what they come to. */
function stretch(answer: EffectiveAnswer, behind: BehindAnswer, layout: RowLayout): readonly (readonly string[])[] {
  const { limits } = behind
  const none = answer.target.kind === 'Gateway' ? 'No limits of its own.' : 'No limits: every request passes.'
  return [
    [layout.paint('file', escapeUnsafe(heading(answer, behind)))],
    ...(limits.length > 0 ? limits.map((limit, index) => limitBlock(limit, index + 1, layout)) : [prose(none, layout)]),
    summary(behind, layout),
  ]
}

/** A sentence without a label. */
const prose = (text: string, layout: RowLayout): readonly string[] => row('', text, { ...layout, indent: 1, labels: 1 })

function heading({ target }: EffectiveAnswer, { gateway, attachment, listeners }: BehindAnswer): string {
  if (!gateway)
    return attachment === 'refused'
      ? 'behind no Gateway: none takes the route'
      : 'behind Gateways that are not in sight'
  const name = `Gateway ${gateway.namespace}/${gateway.name}`
  if (!gateway.inSight)
    return target.kind === 'Gateway' ? `at ${name}, which is not in sight` : `behind ${name}, which is not in sight`
  if (target.kind === 'Gateway') return `at ${name}`
  if (attachment === 'unknown') return `behind ${name}, if it takes the route`
  const places = listeners.map((listener) => {
    const port = listener.port === null ? '' : `:${listener.port}`
    return `${listed(listener.hostnames.map((hostname) => hostname || '*'))}${port}`
  })
  return `behind ${name}: ${[...new Set(places)].join(', ')}`
}

/** What the limits come to together, and who has no part in it. */
function summary({ tightest, memory, lifted, lost, limits }: BehindAnswer, layout: RowLayout): readonly string[] {
  const rows = [
    ...tightest.map(({ key, rate, ...at }) => ['at most', `${rate} by ${keyWords(key)} in the long run: ${place(at)}`]),
    ...(limits.length > 0 && memory.zones > 0
      ? [['memory', `${describeBytes(memory.bytes)} in ${counted(memory.zones, 'zone')}, in each proxy`]]
      : []),
    ...lifted.map((at) => ['lifted', `${place(at)}: the limits of the route take its place`]),
    ...lost.map((loss) => ['lost', lossWords(loss)]),
  ]
  return rows.flatMap(([label = '', text = '']) => row(label, text, layout))
}

const place = ({ policy, rule }: LimitPlace): string => `${policyWords(policy)} rules[${rule}]`

/** A policy by its name. */
export const policyWords = ({ namespace, name }: PolicyName): string => `${namespace}/${name}`

const REASONS: Readonly<Record<LossAnswer['by'], string>> = {
  age: 'which is older',
  name: 'which is as old and comes first by name',
  assumed: 'which comes first by name, as nobody knows their ages',
}

function lossWords({ policy, winner, fields, by, target, certain }: LossAnswer): string {
  const chance = certain ? '' : ', unless that one is dropped first: a matter of chance'
  return `${policyWords(policy)} to ${policyWords(winner)}, ${REASONS[by]}: ${listed(fields)} on ${target.kind}/${target.name}${chance}`
}

function routes(attached: readonly AttachedAnswer[], layout: RowLayout): readonly (readonly string[])[] {
  if (attached.length === 0) return []
  const lines = attached.map(({ kind, namespace, name, attachment, limits, replaces }) => {
    const own = limits === 0 ? 'no limits of its own' : `${counted(limits, 'limit')} of its own`
    const effect = replaces ? ', in place of these' : ''
    const doubt = attachment === 'unknown' ? ', if the Gateway takes it' : ''
    return prose(`${kind} ${namespace}/${name}: ${own}${effect}${doubt}`, layout)
  })
  return [[layout.paint('file', 'routes behind it')], lines.flat()]
}

const COMPOSITIONS = {
  stack: 'stack: limits of Gateway and route are both enforced',
  inherit: 'inherit: limits of a route take the place of those of its Gateway',
} as const

const REFUSALS: Readonly<Record<string, string>> = {
  absent: 'there is no such Gateway',
  'not-named': 'it is not named',
  section: 'no listener of that name',
  port: 'no listener on that port',
  kind: 'its listeners admit no route of this kind',
  namespace: 'its listeners admit no route of this namespace',
  hostname: 'no hostname in common',
}

const NOT_IN_SIGHT = 'Policies that are not in sight may add to this; --closed-world says that there are none.'
const NOT_CERTAIN = 'Some objects stand more than once, or nothing says in which namespace: they may add to this.'

function notes(answer: EffectiveAnswer, layout: RowLayout): readonly string[] {
  const { composition, complete, closedWorld, invalid, refusedBy, target } = answer
  const rows = [
    ...(target.redirects
      ? [['note', 'Every rule of the route redirects, and redirects are answered before limits.']]
      : []),
    ...refusedBy.map(({ reason, ...gateway }) => [
      'note',
      `Gateway ${policyWords(gateway)} does not take the route: ${REFUSALS[reason] ?? reason}.`,
    ]),
    ...invalid.map(({ errors, message, ...policy }) => [
      'note',
      `${policyWords(policy)} does not count: it has ${counted(errors, 'error')}, the first: ${message}.`,
    ]),
    ...(complete ? [] : [['note', closedWorld ? NOT_CERTAIN : NOT_IN_SIGHT]]),
    ['composed', `${COMPOSITIONS[composition]}.`],
  ]
  return rows.flatMap(([label = '', text = '']) => row(label, text, layout))
}
