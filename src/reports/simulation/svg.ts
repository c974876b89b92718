/** The timeline of a simulation as an SVG picture for light and dark backgrounds. */
import type { LimitOutcome, SimulationReport } from '../../simulate/report/report.ts'
import { counted } from '../../text/plural.ts'
import {
  type Column,
  niceScale,
  OUTCOMES,
  type OutcomeName,
  rateLabel,
  rateOf,
  timeAxisTitle,
  timelineColumns,
  timeTicks,
} from './scale.ts'

const [WIDTH, HEIGHT] = [960, 460]
const PLOT = { left: 72, right: 24, top: 136, bottom: 56 }
const [PLOT_WIDTH, PLOT_HEIGHT] = [WIDTH - PLOT.left - PLOT.right, HEIGHT - PLOT.top - PLOT.bottom]
const MOST_COLUMNS = 240

/** Colours on light and on dark background. */
const COLORS = {
  background: ['#ffffff', '#12161c'],
  title: ['#1f2937', '#e6e9ee'],
  text: ['#6b7280', '#9aa5b1'],
  line: ['#e5e7eb', '#2a313b'],
  passed: ['#2f9e6e', '#3dbb87'],
  delayed: ['#e5a50a', '#f2c14e'],
  rejected: ['#d64545', '#ef6b6b'],
  unmatched: ['#9aa5b1', '#5c6773'],
} as const

/** CSS rules for light (0) or dark (1) background. Not every viewer supports CSS variables. */
const palette = (scheme: 0 | 1): string =>
  [
    `.background { fill: ${COLORS.background[scheme]} }`,
    `.line { stroke: ${COLORS.line[scheme]} }`,
    `text { fill: ${COLORS.text[scheme]} }`,
    `.title, .rate text { fill: ${COLORS.title[scheme]} }`,
    `.rate line, .old { stroke: ${COLORS.title[scheme]} }`,
    `.rate text { stroke: ${COLORS.background[scheme]} }`,
    ...OUTCOMES.map((outcome) => `.${outcome} { fill: ${COLORS[outcome][scheme]} }`),
  ].join('\n')

const STYLE = `
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
.title { font-size: 18px; font-weight: 600 }
.rate line { stroke-dasharray: 6 4 }
.rate text { font-size: 12px; stroke-width: 4px; paint-order: stroke }
.old { fill: none; stroke-width: 2px }
${palette(0)}
@media (prefers-color-scheme: dark) {
${palette(1)}
}
`

/** A whole SVG document; `title` is the heading of the picture. */
export function simulationSvg(report: SimulationReport, title: string): string {
  const columns = timelineColumns(report, MOST_COLUMNS)
  const before =
    report.comparison && timelineColumns({ ...report, timeline: report.comparison.old.timeline }, MOST_COLUMNS)
  const greatest = Math.max(0, ...columns.map(rateOf))
  const rates = ratesOf(report).filter(({ perSecond }) => perSecond <= greatest * 1.5)
  const { top, step } = niceScale(Math.max(greatest, ...rates.map(({ perSecond }) => perSecond)), 5)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(description(report))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="background" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`,
    `<text class="title" x="${PLOT.left}" y="36">${escapeXml(title)}</text>`,
    `<text x="${PLOT.left}" y="60">${escapeXml(limitsTitle(report))}</text>`,
    ...legend(report),
    ...rateAxis(top, step),
    ...columns.flatMap((column, index) => bar(column, index, columns.length, top)),
    ...(before ? [acceptedLine(before, top)] : []),
    ...rateLines(rates, top),
    ...timeAxis(report, columns),
    '</svg>',
    '',
  ].join('\n')
}

type SimulatedLimit = { readonly policy: string; readonly limit: LimitOutcome }

/** The limits that met requests, those of the busiest first. */
const limitsOf = ({ policies }: SimulationReport): readonly SimulatedLimit[] =>
  policies
    .flatMap(({ namespace, name, limits }) => limits.map((limit) => ({ policy: `${namespace}/${name}`, limit })))
    .filter(({ limit }) => limit.requests > 0)
    .sort((a, b) => b.limit.requests - a.limit.requests)

const MOST_LIMITS = 2

/** The policies with their limits: `shop/coffee 1r/s, burst 1, by $binary_remote_addr`. */
function limitsTitle(report: SimulationReport): string {
  const texts = limitsOf(report).map(({ policy, limit: { rate, burst, key } }) => {
    return `${policy}: ${rate}${burst > 0 ? `, burst ${burst}` : ''}, by ${shortened(key)}`
  })
  const rest = texts.length > MOST_LIMITS ? ` · and ${texts.length - MOST_LIMITS} more` : ''
  return texts.slice(0, MOST_LIMITS).join(' · ') + rest
}

const LONGEST_KEY = 40
const shortened = (text: string): string => (text.length > LONGEST_KEY ? `${text.slice(0, LONGEST_KEY)}…` : text)

type RateLine = { readonly perSecond: number; readonly label: string }

/** The rates of the limits, each once. A rate is that of one key: the requests of many keys may go far above it. */
function ratesOf(report: SimulationReport): readonly RateLine[] {
  const rates = new Map<number, string[]>()
  for (const { policy, limit } of limitsOf(report)) {
    const names = rates.get(limit.requestsPerSecond) ?? []
    rates.set(limit.requestsPerSecond, [...names, `${limit.rate} for each ${shortened(limit.key)}, ${policy}`])
  }
  return [...rates].map(([perSecond, labels]) => ({ perSecond, label: [...new Set(labels)].slice(0, 2).join(' and ') }))
}

/** Pixels between two labels. */
const LABEL_HEIGHT = 15

function rateLines(rates: readonly RateLine[], top: number): readonly string[] {
  let lowest = Number.POSITIVE_INFINITY
  return [...rates]
    .sort((a, b) => a.perSecond - b.perSecond)
    .flatMap(({ perSecond, label }) => {
      const y = heightAt(perSecond, top)
      lowest = Math.min(y - 5, lowest - LABEL_HEIGHT)
      return [
        `<g class="rate"><line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y}" y2="${y}"/>`,
        `<text x="${WIDTH - PLOT.right - 4}" y="${round(lowest)}" text-anchor="end">${escapeXml(label)}</text></g>`,
      ]
    })
}

const heightAt = (perSecond: number, top: number): number =>
  round(PLOT.top + PLOT_HEIGHT - (top > 0 ? perSecond / top : 0) * PLOT_HEIGHT)

/** What the old version let pass, at once or later, as a line over the bars. */
function acceptedLine(columns: readonly Column[], top: number): string {
  const width = PLOT_WIDTH / columns.length
  const steps = columns.map((column, index) => {
    const y = heightAt((column.passed + column.delayed) / column.seconds, top)
    return `${index === 0 ? 'M' : 'L'}${round(PLOT.left + index * width)} ${y}H${round(PLOT.left + (index + 1) * width)}`
  })
  return `<path class="old" d="${steps.join('')}"/>`
}

const description = ({ totals }: SimulationReport): string =>
  `${counted(totals.requests, 'request')}: ${OUTCOMES.map((outcome) => `${totals[outcome]} ${outcome}`).join(', ')}.`

/** The outcomes with their numbers of requests, and the line of the old version. */
function legend({ totals, comparison }: SimulationReport): readonly string[] {
  let x = PLOT.left
  const place = (text: string, mark: (x: number) => string): readonly string[] => {
    const at = x
    x += text.length * 7.5 + 40
    return [mark(at), `<text x="${at + 18}" y="92">${text}</text>`]
  }
  const outcomes = OUTCOMES.filter((outcome) => totals[outcome] > 0 || outcome !== 'unmatched')
  const items = outcomes.flatMap((outcome) =>
    place(
      `${outcome} ${totals[outcome].toLocaleString('en')}`,
      (at) => `<rect class="${outcome}" x="${at}" y="81" width="12" height="12" rx="2"/>`,
    ),
  )
  if (!comparison) return items
  const { passed, delayed } = comparison.old.totals
  const before = `old version: passed or delayed ${(passed + delayed).toLocaleString('en')}`
  return [...items, ...place(before, (at) => `<path class="old" d="M${at} 87h12"/>`)]
}

function rateAxis(top: number, step: number): readonly string[] {
  const ticks = top > 0 ? Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step) : [0]
  const lines = ticks.flatMap((rate) => {
    const y = heightAt(rate, top)
    return [
      `<line class="line" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y}" y2="${y}"/>`,
      `<text x="${PLOT.left - 10}" y="${y + 4}" text-anchor="end">${rateLabel(rate)}</text>`,
    ]
  })
  return [...lines, `<text x="${PLOT.left - 10}" y="${PLOT.top - 14}" text-anchor="end">req/s</text>`]
}

/** The outcomes of a column, stacked. */
function bar(column: Column, index: number, count: number, top: number): readonly string[] {
  const width = PLOT_WIDTH / count
  const gap = width > 4 ? 1 : 0
  let y = PLOT.top + PLOT_HEIGHT
  return OUTCOMES.flatMap((outcome: OutcomeName) => {
    const height = (column[outcome] / column.seconds / top) * PLOT_HEIGHT
    if (!(height > 0)) return []
    y -= height
    const x = round(PLOT.left + index * width)
    return [
      `<rect class="${outcome}" x="${x}" y="${round(y)}" width="${round(width - gap)}" height="${round(height)}"/>`,
    ]
  })
}

const MOST_TICKS = 8

function timeAxis(report: SimulationReport, columns: readonly Column[]): readonly string[] {
  const seconds = columns.reduce((sum, column) => sum + column.seconds, 0)
  const y = PLOT.top + PLOT_HEIGHT
  const marks = timeTicks(report, MOST_TICKS).flatMap(({ offset, label }) => {
    const x = round(PLOT.left + (offset / seconds) * PLOT_WIDTH)
    const anchor = x < PLOT.left + 20 ? 'start' : x > WIDTH - PLOT.right - 20 ? 'end' : 'middle'
    return [
      `<line class="line" x1="${x}" x2="${x}" y1="${y}" y2="${y + 6}"/>`,
      `<text x="${x}" y="${y + 22}" text-anchor="${anchor}">${escapeXml(label)}</text>`,
    ]
  })
  const title = escapeXml(timeAxisTitle(report))
  return [...marks, `<text x="${WIDTH - PLOT.right}" y="${y + 44}" text-anchor="end">${title}</text>`]
}

const round = (value: number): number => Math.round(value * 100) / 100

const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uFFFD]/g, '�')
