/** Reports take as long as there is something to report, whatever the texts look like. */
import { describe, it } from 'vitest'
import type { ReportedFinding } from '../../src/lint/report.ts'
import { createExcerpter } from '../../src/reports/lint/excerpt.ts'
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { createUnits } from '../../src/reports/lint/places.ts'
import { context, finding, reportOf, suppressedFinding } from '../reports/report.ts'
import { expectLinear } from './growth.ts'

const SEVERITIES = ['error', 'warning', 'info'] as const

/** Findings of several files, every one with characters beyond the first plane before it. */
const manyFindings = (size: number): readonly ReportedFinding[] =>
  Array.from({ length: size }, (_, index) =>
    finding({
      file: `k8s/${index % 4}.yaml`,
      line: Math.floor(index / 4) + 1,
      severity: SEVERITIES[index % 3] ?? 'error',
      message: `"${index}" is "no" rate: 100 % ::x:: ]]> | \`<b>\` é🐢`,
    }),
  )
const textOfMany = (size: number): string => '🐢 rate: 10R/S\n'.repeat(size / 4)

/** The same in one line of one file. */
const manyInOneLine = (size: number): readonly ReportedFinding[] =>
  manyFindings(size).map((one, index) => ({
    ...one,
    file: 'a.json',
    line: 1,
    endLine: 1,
    column: index + 2,
    endColumn: index + 9,
  }))

const loaded = await Promise.all(FORMATS.map(async ({ name, load }) => ({ name, reporter: await load() })))
const whole = { info: true, statistics: true }

describe.each(loaded)('$name', ({ reporter }) => {
  it('takes as long as there are findings', () =>
    expectLinear((size) => {
      const findings = manyFindings(size)
      const report = reportOf(findings, { suppressed: findings.map((one) => suppressedFinding(one)) })
      return () => reporter.render(report, context(textOfMany(size), whole))
    }, 800))

  it('takes as long as there are findings, in one line too', () =>
    expectLinear((size) => {
      const report = reportOf(manyInOneLine(size))
      return () => reporter.render(report, context(`🐢${'x'.repeat(2 * size)}`, whole))
    }, 800))
})

describe('places in a line that is as long as a file', () => {
  it('are shown', () =>
    expectLinear((size) => {
      const line = Array.from({ length: size }, (_, index) => `w${index}`).join(' ')
      return () => {
        const excerpter = createExcerpter(`${line}\nshort\n`)
        for (let column = 1; column < line.length; column += 100)
          excerpter({ line: 1, column, endLine: 1, endColumn: column + 2 }, 20)
      }
    }, 1000))

  it('are counted in other units', () =>
    expectLinear((size) => {
      const text = '🐢'.repeat(size)
      return () => {
        const { columnOf } = createUnits(text)
        for (let column = 1; column <= size; column += 5) columnOf(1, column)
      }
    }, 5000))
})
