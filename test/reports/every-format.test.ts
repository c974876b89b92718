/** Every format. */
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { ALL_CASES } from '../runs.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const SEVERITIES = ['error', 'warning', 'info'] as const

/** Findings of several files, every one with characters beyond the first plane before it. */
const LINE = '🐢 rate: 10R/S'
const MANY = Array.from({ length: ALL_CASES ? 100_000 : 5_000 }, (_, index) =>
  finding({
    file: `k8s/${Math.floor(index / 30_000)}.yaml`,
    line: (index % 30_000) + 1,
    severity: SEVERITIES[index % 3] ?? 'error',
    message: `"${index}" is "no" rate: 100 % ::x:: ]]> | \`<b>\` é🐢`,
  }),
)
const TEXT = `${LINE}\n`.repeat(30_000)

const loaded = await Promise.all(FORMATS.map(async ({ name, load }) => ({ name, reporter: await load() })))

describe.each(loaded)('$name', ({ reporter }) => {
  it(`renders ${MANY.length} findings, and as many suppressed ones`, () => {
    const suppressed = MANY.map((one) => suppressedFinding(one))
    const rendered = reporter.render(reportOf(MANY, { suppressed }), context(TEXT, { info: true, statistics: true }))
    expect(rendered.slice(-2)).toMatch(/^[^\n]\n$/)
  })

  it('renders a report the same every time', () => {
    const report = reportOf(MANY.slice(0, 50), { suppressed: [suppressedFinding()] })
    const render = () => reporter.render(report, context(TEXT, { info: true, statistics: true }))
    expect(render()).toBe(render())
  })

  it('leaves out what --quiet excludes', () => {
    const report = reportOf([
      finding({ severity: 'warning', message: 'a wish' }),
      finding({ severity: 'info', message: 'a note' }),
    ])
    const rendered = reporter.render(report, context('', { quiet: true, files: ['k8s/coffee.yaml'] }))
    expect(rendered).not.toMatch(/a wish|a note/)
  })
})
