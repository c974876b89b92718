/** Scales of charts: round numbers on an axis, labels of times, columns. */
import type { SimulationReport, TimelineOutcome } from '../../simulate/report/report.ts'

/** The label of a time as the timeline writes it. */
type TimeLabel = (at: string | number) => string

/** Labels as short as the span of the timeline allows; times of logs are in UTC. */
export function timeLabels({ timeline, interval }: Pick<SimulationReport, 'timeline' | 'interval'>): TimeLabel {
  const [first, last] = [timeline[0]?.at, timeline.at(-1)?.at]
  if (typeof first !== 'string' || typeof last !== 'string') return (at) => `${at}s`
  const isOneDay = first.slice(0, 10) === last.slice(0, 10)
  const time = interval < 1 ? 23 : interval < 60 ? 19 : 16
  return (at) => {
    const text = String(at)
    if (isOneDay) return text.slice(11, time)
    return interval >= 86_400 ? text.slice(0, 10) : `${text.slice(5, 10)} ${text.slice(11, 16)}`
  }
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
export type Column = Omit<TimelineOutcome, 'at'> & {
  readonly at: string | number
  /** Seconds that it covers. */
  readonly seconds: number
}

/** The timeline in at most `most` columns of equally many intervals. */
export function timelineColumns(
  { timeline, interval }: Pick<SimulationReport, 'timeline' | 'interval'>,
  most: number,
): readonly Column[] {
  const group = Math.max(1, Math.ceil(timeline.length / most))
  return Array.from({ length: Math.ceil(timeline.length / group) }, (_, index) => {
    const points = timeline.slice(index * group, (index + 1) * group)
    const sum = (read: (point: TimelineOutcome) => number) => points.reduce((total, point) => total + read(point), 0)
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
