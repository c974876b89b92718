/** The timeline of a simulation as a chart for a terminal. */
import type { Timeline } from '../../simulate/report/report.ts'
import type { Paint, Role } from '../style.ts'
import { type Column, OUTCOMES, type OutcomeName, rateLabel, rateOf, timelineColumns, timeTicks } from './scale.ts'

/** How each outcome looks: glyphs differ so that the chart can be read without colours. */
const LOOKS: Readonly<Record<OutcomeName, { readonly glyph: string; readonly role: Role }>> = {
  passed: { glyph: '░', role: 'good' },
  delayed: { glyph: '▒', role: 'warning' },
  rejected: { glyph: '█', role: 'error' },
  unmatched: { glyph: '·', role: 'faint' },
}

const HEIGHT = 8
/** Columns of the labels on the left, with the axis. */
const GUTTER = 9
/** Columns of the terminal that one column of the chart may take. */
const WIDEST = 3

/** The chart as lines of at most `width` columns; none where there were no requests. */
export function chartLines(report: Timeline, width: number, paint: Paint): readonly string[] {
  const room = width - GUTTER
  const columns = timelineColumns(report, room)
  const top = Math.max(...columns.map(rateOf))
  if (columns.length === 0 || !(top > 0)) return []
  const repeat = Math.max(1, Math.min(WIDEST, Math.floor(room / columns.length)))
  const stacks = columns.map((column) => stackOf(column, top))
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const level = HEIGHT - 1 - index
    const cells = stacks.map((stack) => cellOf(stack[level], repeat, paint)).join('')
    return `${axisLabel(level, top)}${cells.trimEnd()}`.trimEnd()
  })
  return [paint('faint', 'requests per second'), ...rows, ...timeAxis(report, columns, repeat), legend(columns, paint)]
}

const cellOf = (outcome: OutcomeName | undefined, repeat: number, paint: Paint): string =>
  outcome === undefined ? ' '.repeat(repeat) : paint(LOOKS[outcome].role, LOOKS[outcome].glyph.repeat(repeat))

/** The outcomes of a column from the bottom up, one for each row; an outcome with requests has at least one row. */
function stackOf(column: Column, top: number): readonly OutcomeName[] {
  const scale = HEIGHT / (top * column.seconds)
  const heights = OUTCOMES.map((outcome) =>
    column[outcome] === 0 ? 0 : Math.max(1, Math.round(column[outcome] * scale)),
  )
  while (heights.reduce((sum, height) => sum + height, 0) > HEIGHT) {
    const tallest = heights.indexOf(Math.max(...heights))
    heights[tallest] = (heights[tallest] ?? 1) - 1
  }
  return OUTCOMES.flatMap((outcome, index) => Array.from({ length: heights[index] ?? 0 }, () => outcome))
}

function axisLabel(level: number, top: number): string {
  const label = level === HEIGHT - 1 ? rateLabel(top) : level === HEIGHT / 2 - 1 ? rateLabel(top / 2) : ''
  return `${label.padStart(GUTTER - 2)} ${label === '' ? '│' : '┤'}`
}

/** Columns of the terminal that a label takes with the space around it. */
const LABEL_ROOM = 14

/** The axis with marks at round times, and their labels where there is room. */
function timeAxis(report: Timeline, columns: readonly Column[], repeat: number): readonly string[] {
  const cells = columns.length * repeat
  const perSecond = repeat / (columns[0]?.seconds ?? 1)
  const axis = Array.from({ length: cells }, () => '─')
  let labels = ''
  for (const { offset, label } of timeTicks(report, Math.max(2, Math.floor(cells / LABEL_ROOM)))) {
    const cell = Math.floor(offset * perSecond)
    axis[cell] = '┬'
    if (labels === '' || cell > labels.length) labels = labels.padEnd(cell) + label
  }
  return [`${'0'.padStart(GUTTER - 2)} └${axis.join('')}`, `${' '.repeat(GUTTER)}${labels}`.trimEnd()]
}

function legend(columns: readonly Column[], paint: Paint): string {
  const shown = OUTCOMES.filter((outcome) => columns.some((column) => column[outcome] > 0))
  return (
    ' '.repeat(GUTTER) +
    shown.map((outcome) => `${paint(LOOKS[outcome].role, LOOKS[outcome].glyph)} ${outcome}`).join('   ')
  )
}
