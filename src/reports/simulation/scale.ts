/** Scales of pictures: round numbers on an axis, times beneath it. */
import type { SimulationReport, TimelineOutcome } from '../../simulate/report/report.ts'

/** What a moment is called. */
export type TimeLabel = (at: string | number) => string

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

/** Requests a second, short. */
export function rateLabel(perSecond: number): string {
  if (perSecond >= 10_000) return `${trimmed(perSecond / 1000)}k`
  return trimmed(perSecond)
}

const trimmed = (number: number): string =>
  number >= 100 ? Math.round(number).toLocaleString('en') : String(Number(number.toPrecision(2)))

/** The greatest of a picture's axis and the steps on it: at least as great as a value, in steps of 1, 2 or 5. */
export function niceScale(greatest: number, steps: number): { readonly top: number; readonly step: number } {
  const rough = Math.max(greatest, Number.MIN_VALUE) / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10
  const step = factor * power
  return { top: Math.ceil(greatest / step) * step, step }
}

/** One column of a picture: several intervals together. */
export type Column = Omit<TimelineOutcome, 'at'> & {
  readonly at: string | number
  /** Seconds that it covers. */
  readonly seconds: number
}

/** The timeline in at most so many columns of equally many intervals. */
export function columnsOf(
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

/** What can become of a request, in the order in which pictures pile it up. */
export const OUTCOMES = ['passed', 'delayed', 'rejected', 'unmatched'] as const
export type OutcomeName = (typeof OUTCOMES)[number]

/** Requests a second of a column. */
export const rateOf = (column: Column): number =>
  OUTCOMES.reduce((sum, outcome) => sum + column[outcome], 0) / column.seconds
