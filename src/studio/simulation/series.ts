/** From the report of a simulation to the lines of the plot. */
import type { SimulationReport } from '../../browser.ts'

/** One line or area of the plot; areas stand on one another, so that the top of the highest is what arrives. */
type Series = {
  /** The colour, as a class of the style sheet, and the name in tables. */
  readonly name: 'unmatched' | 'rejected' | 'delayed' | 'passed' | 'arriving' | 'fill' | 'previous'
  readonly label: string
  /** Null where there is nothing to draw. */
  readonly values: readonly (number | null)[]
}

/** What is drawn. */
export type PlotData = {
  /** Seconds: since 1970 for logs, since the beginning for made-up clients. */
  readonly times: readonly number[]
  readonly isClock: boolean
  /** Seconds of an interval. */
  readonly interval: number
  /** From the back to the front. */
  readonly series: readonly Series[]
}

type Point = SimulationReport['timeline'][number]

/** Requests of an interval, whatever came of them. */
export const arriving = ({ passed, delayed, rejected, unmatched }: Point): number =>
  passed + delayed + rejected + unmatched

/** Per cent; buckets are looked at when requests come. */
const fillOf = (point: Point): number | null => (arriving(point) > 0 ? point.fill * 100 : null)

/** Seconds of a time of the report. */
const secondsOf = (at: Point['at']): number => (typeof at === 'number' ? at : Date.parse(at) / 1000)

/** The plot of a report. An area ends where its last interval does. */
export function plotData({ timeline, interval, traffic, totals, comparison }: SimulationReport): PlotData {
  const last = timeline.at(-1)
  const times = timeline.map(({ at }) => secondsOf(at))
  const drawn = (read: (point: Point) => number | null, points = timeline): Series['values'] => {
    const values = points.map(read)
    return [...values, values.at(-1) ?? null]
  }
  const accepted = ({ passed, delayed }: Point) => passed + delayed
  const before = comparison?.old.timeline
  return {
    times: last ? [...times, secondsOf(last.at) + interval] : [],
    isClock: traffic.type === 'log',
    interval,
    series: [
      ...(totals.unmatched > 0 ? [{ name: 'unmatched', label: 'unmatched', values: drawn(arriving) } as const] : []),
      { name: 'rejected', label: 'rejected', values: drawn((point) => accepted(point) + point.rejected) },
      { name: 'delayed', label: 'delayed', values: drawn(accepted) },
      { name: 'passed', label: 'passed', values: drawn(({ passed }) => passed) },
      ...(before
        ? [{ name: 'previous', label: 'passed or delayed before the change', values: drawn(accepted, before) } as const]
        : []),
      { name: 'arriving', label: 'arriving', values: drawn(arriving) },
      { name: 'fill', label: 'fullest bucket', values: drawn(fillOf) },
    ],
  }
}

const NUMBER = new Intl.NumberFormat('en')

/** A number of requests. */
export const shown = (count: number): string => NUMBER.format(count)

/** `0.5 s`, `30 s`, `5 min`: the length of an interval. */
export const intervalTitle = (seconds: number): string =>
  seconds >= 3600 ? `${seconds / 3600} h` : seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`

/** A time in words: seconds, or date and time in UTC. */
export const timeTitle = (at: Point['at']): string =>
  typeof at === 'number' ? `${at} s` : at.replace('T', ' ').replace('.000Z', 'Z')

const DAY = 86_400

/** Seconds between the times of an axis, so that all of them are round. */
export const CLOCK_STEPS: readonly number[] = [
  ...[0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800],
  ...[1, 2, 3, 6, 12, 24, 48, 168, 672].map((hours) => hours * 3600),
]

/** Times of an axis in UTC, as short as the seconds between them allow: `12:05`, `12:05:30`, `08-01 12:00`. */
export function clockTitles(times: readonly number[]): readonly string[] {
  const step = (times[1] ?? 0) - (times[0] ?? 0)
  const iso = times.map((seconds) => new Date(seconds * 1000).toISOString())
  const days = new Set(iso.map((text) => text.slice(0, 10)))
  const from = days.size > 1 ? 5 : 11
  const to = step >= DAY ? 10 : step >= 60 ? 16 : step >= 1 ? 19 : 21
  return iso.map((text) => text.slice(from, to).replace('T', ' '))
}

/** The share of a burst in per cent. */
export const fillTitle = (fill: number): string => `${Math.round(fill * 1000) / 10} %`
