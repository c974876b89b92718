/** From the report of a simulation to the lines of the plot. */
import type { SimulationReport } from '../../browser.ts'

/** One line or area of the plot; areas stand on one another, so that the top of the highest is what arrives. */
export type Series = {
  /** The colour, as a class of the style sheet, and the name in tables. */
  readonly name: 'unmatched' | 'rejected' | 'delayed' | 'passed' | 'arriving' | 'fill' | 'previous'
  readonly label: string
  readonly values: readonly number[]
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

/** Seconds of a time of the report. */
export const secondsOf = (at: Point['at']): number => (typeof at === 'number' ? at : Date.parse(at) / 1000)

/** The plot of a report. An area ends where its last interval does. */
export function plotData({ timeline, interval, traffic, totals, comparison }: SimulationReport): PlotData {
  const last = timeline.at(-1)
  const times = timeline.map(({ at }) => secondsOf(at))
  const drawn = (read: (point: Point) => number, points = timeline): readonly number[] => {
    const values = points.map(read)
    return [...values, values.at(-1) ?? 0]
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
      { name: 'fill', label: 'fullest bucket', values: drawn(({ fill }) => fill * 100) },
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

/** The share of a burst in per cent. */
export const fillTitle = (fill: number): string => `${Math.round(fill * 1000) / 10} %`
