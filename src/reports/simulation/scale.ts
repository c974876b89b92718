/** Scales of charts: round numbers on an axis, labels of times, columns. */
import type { Timeline, TimelineCounts } from '../../simulate/report/report.ts'

/** A mark on an axis of time. */
export type TimeTick = {
  /** Seconds since the beginning of the timeline. */
  readonly offset: number
  readonly label: string
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400] as const
/** Seconds between two ticks. */
const TICK_STEPS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7].map((days) => days * DAY),
]

/** At most `most` ticks at round times, in UTC for logs. */
export function timeTicks({ timeline, interval }: Timeline, most: number): readonly TimeTick[] {
  const first = timeline[0]?.at
  if (first === undefined) return []
  const start = typeof first === 'string' ? Date.parse(first) : first * 1000
  const length = timeline.length * interval
  const step = TICK_STEPS.find((one) => length / one <= most) ?? Math.ceil(length / most / DAY) * DAY
  const from = Math.ceil(start / (step * 1000))
  const count = Math.max(0, Math.ceil((start / 1000 + length) / step - 1e-9) - from)
  const label = typeof first === 'string' ? dateLabel : elapsedLabel
  return Array.from({ length: Math.min(count, most) }, (_, index) => {
    const time = Math.round((from + index) * step * 1000)
    return { offset: (time - start) / 1000, label: label(time, step) }
  })
}

/** Midnight is shown as its date. */
function dateLabel(time: number, step: number): string {
  const text = new Date(time).toISOString()
  if (time % (DAY * 1000) === 0) return text.slice(0, 10)
  return text.slice(11, step < 1 ? 21 : step < MINUTE ? 19 : 16)
}

function elapsedLabel(time: number, step: number): string {
  if (step >= HOUR) return `${time / (HOUR * 1000)}h`
  return step >= MINUTE ? `${time / (MINUTE * 1000)}m` : `${time / 1000}s`
}

/** What the times are: the date or dates for logs. */
export function timeAxisTitle({ timeline }: Pick<Timeline, 'timeline'>): string {
  const [first, last] = [timeline[0]?.at, timeline.at(-1)?.at]
  if (typeof first !== 'string' || typeof last !== 'string') return 'since the start'
  const [from, to] = [first.slice(0, 10), last.slice(0, 10)]
  return from === to ? `${from}, UTC` : `${from} to ${to}, UTC`
}

/** Requests per second, short. */
export function rateLabel(perSecond: number): string {
  if (perSecond >= 10_000) return `${trimmed(perSecond / 1000)}k`
  return trimmed(perSecond)
}

const trimmed = (number: number): string =>
  number >= 100 ? Math.round(number).toLocaleString('en') : String(Number(number.toPrecision(2)))

/** The top of an axis, at least `greatest`, and its step: 1, 2, 2.5 or 5 times a power of ten. */
export function niceScale(greatest: number, steps: number): { readonly top: number; readonly step: number } {
  const rough = Math.max(greatest, Number.MIN_VALUE) / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10
  const step = factor * power
  return { top: Math.ceil(greatest / step) * step, step }
}

/** One column of a chart: several intervals together. */
export type Column = Omit<TimelineCounts, 'at'> & {
  readonly at: string | number
  /** Seconds that it covers. */
  readonly seconds: number
}

/** The timeline in at most `most` columns of equally many intervals. */
export function timelineColumns({ timeline, interval }: Timeline, most: number): readonly Column[] {
  const group = Math.max(1, Math.ceil(timeline.length / most))
  return Array.from({ length: Math.ceil(timeline.length / group) }, (_, index) => {
    const points = timeline.slice(index * group, (index + 1) * group)
    const sum = (read: (point: TimelineCounts) => number) => points.reduce((total, point) => total + read(point), 0)
    return {
      at: points[0]?.at ?? 0,
      seconds: group * interval,
      passed: sum(({ passed }) => passed),
      delayed: sum(({ delayed }) => delayed),
      rejected: sum(({ rejected }) => rejected),
      unmatched: sum(({ unmatched }) => unmatched),
    }
  })
}

/** The outcomes of requests, in the order in which charts stack them. */
export const OUTCOMES = ['passed', 'delayed', 'rejected', 'unmatched'] as const
/** The name of an outcome, as the report has it. */
export type OutcomeName = (typeof OUTCOMES)[number]

/** Requests per second in a column. */
export const rateOf = (column: Column): number =>
  OUTCOMES.reduce((sum, outcome) => sum + column[outcome], 0) / column.seconds
