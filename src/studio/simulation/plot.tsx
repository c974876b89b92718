/** The plot: areas of requests per interval, one on the other, and how full the fullest bucket was. */
import type { Ref } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { SimulationReport } from '../../browser.ts'
import {
  arriving,
  CLOCK_STEPS,
  clockTitles,
  fillTitle,
  intervalTitle,
  type PlotData,
  plotData,
  shown,
  timeTitle,
} from './series.ts'

const HEIGHT = 300

type Point = SimulationReport['timeline'][number]

type PlotProps = {
  readonly report: SimulationReport
  /** The element with legend and canvas, for a picture of them. */
  readonly frame: Ref<HTMLElement>
}

export function Plot({ report, frame }: PlotProps) {
  const legend = useRef<HTMLUListElement>(null)
  const holder = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<Point>()
  const isDark = useIsDark()
  const data = plotData(report)
  const { requests, ...outcomes } = report.totals
  const totals = new Map<string, number>([['arriving', requests], ...Object.entries(outcomes)])
  // The plot is drawn anew with each report, and where the page changes its colours.
  useEffect(() => {
    if (!holder.current || !legend.current) return
    const plot = draw(holder.current, legend.current, data, (index) => setPointed(report.timeline[index ?? -1]))
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0)
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT })
    })
    observer.observe(holder.current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [report, isDark])
  return (
    <figure class="sim-plot" ref={frame}>
      <ul class="sim-legend" ref={legend}>
        {[...data.series].reverse().map(({ name, label }) => (
          <li key={name}>
            <span class={`sim-swatch sim-${name}`} data-series={name} />
            {label}
            {totals.has(name) && <strong>{shown(totals.get(name) ?? 0)}</strong>}
          </li>
        ))}
      </ul>
      <div role="img" aria-label="Requests over time" class="sim-canvas" ref={holder} />
      <figcaption class="sim-readout">
        {pointed
          ? `${timeTitle(pointed.at)}: ${shown(arriving(pointed))} arriving, ${shown(pointed.passed)} passed, ${shown(pointed.delayed)} delayed, ${shown(pointed.rejected)} rejected; fullest bucket ${fillTitle(pointed.fill)}`
          : `Requests per ${intervalTitle(report.interval)}; on the right, the fullest bucket in per cent of its burst.`}
      </figcaption>
    </figure>
  )
}

const DARK = '(prefers-color-scheme: dark)'

function useIsDark(): boolean {
  const [isDark, setIsDark] = useState(matchMedia(DARK).matches)
  useEffect(() => {
    const query = matchMedia(DARK)
    const follow = () => setIsDark(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return isDark
}

function draw(
  holder: HTMLElement,
  legend: HTMLElement,
  data: PlotData,
  onPoint: (index: number | null | undefined) => void,
): uPlot {
  const columns: uPlot.AlignedData = [[...data.times], ...data.series.map(({ values }) => [...values])]
  return new uPlot(
    {
      width: Math.max(200, holder.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false },
        y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] },
        fill: { range: [0, 105] },
      },
      axes: axesOf(holder, data),
      series: [{}, ...data.series.map((one) => lineOf(one.name, colorOf(legend, one.name)))],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.left === undefined || cursor.left < 0 ? null : cursor.idx)] },
    },
    columns,
    holder,
  )
}

/** The colour of a series is that of its swatch, whose class follows the colours of the page. */
const colorOf = (legend: HTMLElement, name: string): string => {
  const swatch = legend.querySelector(`[data-series=${name}]`)
  return swatch ? getComputedStyle(swatch).color : ''
}

function axesOf(holder: HTMLElement, { isClock, interval, times }: PlotData): uPlot.Axis[] {
  const { color: stroke, borderTopColor: line } = getComputedStyle(holder)
  const font = '12px system-ui, sans-serif'
  const own = { stroke, font, labelFont: font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
  const clock: uPlot.Axis = {
    label: `time on ${new Date((times[0] ?? 0) * 1000).toISOString().slice(0, 10)}, UTC`,
    values: (_, seconds) => [...clockTitles(seconds)],
    incrs: [...CLOCK_STEPS],
    space: 80,
  }
  return [
    { ...own, ...(isClock ? clock : { label: 'seconds' }), labelSize: 18, size: 34 },
    { ...own, label: `requests per ${intervalTitle(interval)}`, labelSize: 20, size: 52 },
    {
      ...own,
      scale: 'fill',
      side: 1,
      size: 54,
      grid: { show: false },
      values: (_, ticks) => ticks.map((at) => `${at} %`),
    },
  ]
}

function lineOf(name: string, stroke: string): uPlot.Series {
  const paths = uPlot.paths.stepped?.({ align: 1 })
  const common = { stroke, points: { show: false }, ...(paths ? { paths } : {}) }
  if (name === 'fill') return { ...common, scale: 'fill', width: 2, dash: [5, 4] }
  if (name === 'arriving') return { ...common, width: 1.5 }
  return name === 'previous' ? { ...common, width: 2 } : { ...common, width: 0, fill: stroke }
}
