/** The timeline of a simulation as an SVG picture for light and dark backgrounds. */
import type { SimulationReport } from '../../simulate/report/report.ts'
import {
  type Column,
  niceScale,
  OUTCOMES,
  type OutcomeName,
  rateLabel,
  rateOf,
  timeLabels,
  timelineColumns,
} from './scale.ts'

const [WIDTH, HEIGHT] = [960, 420]
const PLOT = { left: 72, right: 24, top: 96, bottom: 56 }
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
    `.title { fill: ${COLORS.title[scheme]} }`,
    ...OUTCOMES.map((outcome) => `.${outcome} { fill: ${COLORS[outcome][scheme]} }`),
  ].join('\n')

const STYLE = `
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
.title { font-size: 18px; font-weight: 600 }
${palette(0)}
@media (prefers-color-scheme: dark) {
${palette(1)}
}
`

/** A whole SVG document; `title` is the heading of the picture. */
export function simulationSvg(report: SimulationReport, title: string): string {
  const columns = timelineColumns(report, MOST_COLUMNS)
  const { top, step } = niceScale(Math.max(0, ...columns.map(rateOf)), 5)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(description(report))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="background" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`,
    `<text class="title" x="${PLOT.left}" y="36">${escapeXml(title)}</text>`,
    ...legend(report),
    ...rateAxis(top, step),
    ...columns.flatMap((column, index) => bar(column, index, columns.length, top)),
    ...timeAxis(report, columns),
    '</svg>',
    '',
  ].join('\n')
}

const description = ({ totals }: SimulationReport): string =>
  `${totals.requests} requests: ${OUTCOMES.map((outcome) => `${totals[outcome]} ${outcome}`).join(', ')}.`

/** The outcomes with their numbers of requests. */
function legend({ totals }: SimulationReport): readonly string[] {
  let x = PLOT.left
  return OUTCOMES.filter((outcome) => totals[outcome] > 0 || outcome !== 'unmatched').flatMap((outcome) => {
    const text = `${outcome} ${totals[outcome].toLocaleString('en')}`
    const at = x
    x += text.length * 7.5 + 40
    return [
      `<rect class="${outcome}" x="${at}" y="53" width="12" height="12" rx="2"/>`,
      `<text x="${at + 18}" y="64">${text}</text>`,
    ]
  })
}

function rateAxis(top: number, step: number): readonly string[] {
  const ticks = top > 0 ? Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step) : [0]
  const lines = ticks.flatMap((rate) => {
    const y = round(PLOT.top + PLOT_HEIGHT - (top > 0 ? rate / top : 0) * PLOT_HEIGHT)
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

const TIME_TICKS = 6

function timeAxis(report: SimulationReport, columns: readonly Column[]): readonly string[] {
  const label = timeLabels(report)
  const every = Math.max(1, Math.ceil(columns.length / TIME_TICKS))
  const y = PLOT.top + PLOT_HEIGHT
  const marks = columns.flatMap((column, index) => {
    if (index % every !== 0) return []
    const x = round(PLOT.left + (index * PLOT_WIDTH) / columns.length)
    return [
      `<line class="line" x1="${x}" x2="${x}" y1="${y}" y2="${y + 6}"/>`,
      `<text x="${x}" y="${y + 22}">${escapeXml(label(column.at))}</text>`,
    ]
  })
  const unit = report.traffic.type === 'log' ? 'UTC' : 'since the start'
  return [...marks, `<text x="${WIDTH - PLOT.right}" y="${y + 42}" text-anchor="end">${unit}</text>`]
}

const round = (value: number): number => Math.round(value * 100) / 100

const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uFFFD]/g, '�')
