/** Events for people: a line each, and more where there is more to say. */
import { type ConditionChange, KEPT, type Refusal } from '../../live/conditions.ts'
import type { LimitedRequest } from '../../live/limited.ts'
import { escapeUnsafe, widthOf } from '../characters.ts'
import type { PageContext } from '../rows.ts'
import { chartLines } from '../simulation/chart.ts'
import { OUTCOMES } from '../simulation/scale.ts'
import { createPaint, ESCAPES, type Paint, type Role, wrap } from '../style.ts'
import type { LiveEvent, LoadEvent, RefusedEvent } from './events.ts'

/** What an event does not say and a reader wants to know. */
export type EventContext = {
  /** What is in force of a policy that nginx refused. */
  readonly keeps?: Refusal['keeps']
  /** True where something of an applied version is refused. */
  readonly isPartial?: boolean
  /** Limited requests so far, with this one. */
  readonly totals?: LimitedTotals
}

/** Numbers of limited requests. */
export type LimitedTotals = Readonly<Record<LimitedRequest['outcome'], number>>

/** No request was limited. */
export const NONE_LIMITED: LimitedTotals = { delayed: 0, rejected: 0, delayed_dry_run: 0, rejected_dry_run: 0 }

/** A command for a shell that sends a request, on a line of its own: it is to be copied. */
export const requestText = (command: string, { color }: Pick<PageContext, 'color'>): string =>
  `${createPaint(color)('help', 'request')}${' '.repeat(LABEL - 'request'.length)}${escapeUnsafe(command)}\n`

type Line = { readonly label: string; readonly role: Role; readonly text: string }

/**
 * An event as lines, with their ends; without a terminal it is one line. Words of others in it are made safe for a
 * terminal.
 */
export function eventText(event: LiveEvent, context: EventContext, { color, width }: PageContext): string {
  const paint = createPaint(color)
  if (event.event === 'load') return loadText(event, paint)
  const { label, role, text } = lineOf(event, context)
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(NARROWEST, width - LABEL)
  const [first = '', ...rest] = wrap(escapeUnsafe(text), room, widthOf)
  const lines = [`${paint(role, label)}${' '.repeat(Math.max(1, LABEL - label.length))}${first}`]
  return [...lines, ...rest.map((line) => ' '.repeat(LABEL) + line)].map((line) => `${line}\n`).join('')
}

/** Columns of the first word. */
const LABEL = 11
/** Columns of what follows where the terminal has fewer. */
const NARROWEST = 40

function lineOf(event: Exclude<LiveEvent, LoadEvent>, context: EventContext): Line {
  switch (event.event) {
    case 'listening':
      return { label: 'listening', role: 'good', text: `${event.url}  ${event.gateway}, listener ${event.listener}` }
    case 'applied':
      return {
        label: 'applied',
        role: 'good',
        text: `revision ${event.revision} is in force${context.isPartial ? ', but for what is refused' : ''}`,
      }
    case 'refused':
      return refusedLine(event, context)
    case 'condition':
      return conditionLine(event)
    case 'limited':
      return limitedLine(event, context)
    case 'finding': {
      const { severity, file, line, column, message, rule } = event
      return { label: severity, role: severity, text: `${file}:${line}:${column} ${message}  ${rule}` }
    }
  }
}

function refusedLine({ policy, by, message }: RefusedEvent, { keeps }: EventContext): Line {
  const what = policy ?? 'the whole configuration'
  const who = by === 'nginx' ? ' by nginx' : ''
  return { label: 'refused', role: 'error', text: `${what}${who}: ${message}${keeps ? `; ${KEPT[keeps]}` : ''}` }
}

function conditionLine({ object, ancestor, type, status, reason, message }: ConditionChange): Line {
  const name = `${object.kind} ${object.namespace}/${object.name}`
  const on = ancestor ? ` on ${ancestor.kind} ${ancestor.name}` : ''
  const why = status === 'True' ? '' : `: ${message}`
  const content = status === null ? `${type} is gone` : `${type}=${status}, ${reason}${why}`
  return { label: 'condition', role: status === 'True' ? 'info' : 'warning', text: `${name}${on}: ${content}` }
}

function limitedLine(
  { outcome, zone, excess, client, request }: LimitedRequest,
  { totals = NONE_LIMITED }: EventContext,
): Line {
  const isRejected = outcome.startsWith('rejected')
  const dryRun = outcome.endsWith('dry_run') ? ' (dry run)' : ''
  const text = `${client} "${request}"${dryRun} by ${zone}, excess ${excess}  [${totalsText(totals)}]`
  return { label: isRejected ? 'rejected' : 'delayed', role: isRejected ? 'bad' : 'warning', text }
}

/** `12 delayed, 3 rejected`, with dry runs where there are any. */
function totalsText({ delayed, rejected, delayed_dry_run, rejected_dry_run }: LimitedTotals): string {
  const dry = delayed_dry_run + rejected_dry_run
  const all = [`${count(delayed)} delayed`, `${count(rejected)} rejected`]
  return [...all, ...(dry > 0 ? [`${count(delayed_dry_run)} and ${count(rejected_dry_run)} in dry runs`] : [])].join(
    ', ',
  )
}

const count = (number: number): string => number.toLocaleString('en')

function loadText({ name, url, nginx, simulated }: LoadEvent, paint: Paint): string {
  const shown = OUTCOMES.filter((outcome) => nginx.totals[outcome] + simulated.totals[outcome] > 0)
  const cell = (text: string) => text.padStart(CELL)
  const numbers = (['requests', ...shown] as const).map(
    (outcome) =>
      `  ${outcome.padEnd(LABEL)}${cell(count(nginx.totals[outcome]))}${cell(count(simulated.totals[outcome]))}`,
  )
  const lines = [
    `${paint('strong', 'load')}${' '.repeat(LABEL - 'load'.length)}${escapeUnsafe(`${name}, to ${url}`)}`,
    `  ${' '.repeat(LABEL)}${cell('nginx')}${cell('simulated')}`,
    ...numbers,
    '',
    ...beside(
      ['what nginx did', ...chartLines(nginx, HALF, paint)],
      ['what was simulated', ...chartLines(simulated, HALF, paint)],
    ),
  ]
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

/** Columns of a number, and of one of two charts. */
const CELL = 12
const HALF = 38

/** Two blocks of lines, one beside the other. */
function beside(left: readonly string[], right: readonly string[]): readonly string[] {
  const height = Math.max(left.length, right.length)
  return Array.from({ length: height }, (_, index) => {
    const line = left[index] ?? ''
    return `${line}${' '.repeat(Math.max(2, HALF + 2 - widthOf(withoutColors(line))))}${right[index] ?? ''}`
  })
}

const withoutColors = (line: string): string => ESCAPES.reduce((text, code) => text.replaceAll(code, ''), line)
