import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LintReport } from '../../src/lint/report.ts'
import { junit } from '../../src/reports/lint/junit.ts'
import type { ReportContext } from '../../src/reports/lint/reporter.ts'
import { type Element, hostileReport, inXml, parseXml } from './hostile.ts'
import { context, finding, reportOf } from './report.ts'

function suitesOf(report: LintReport, parts: Partial<ReportContext> = {}): Element {
  const [suites] = parseXml(junit.render(report, context('', parts))).children
  if (!suites) throw new Error('no root')
  return suites
}

const casesOf = (...parameters: Parameters<typeof suitesOf>) =>
  suitesOf(...parameters).children.flatMap(({ children }) => children)

const warning = finding({ severity: 'warning', pointer: '/spec/burst' })

describe('the JUnit report', () => {
  it('has a suite per file and a case per finding', () => {
    const report = reportOf([finding(), warning])
    expect(junit.render(report, context('', { files: ['k8s/tea.yaml', 'k8s/coffee.yaml'] }))).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sluice" tests="3" failures="1" errors="0" skipped="1">
<testsuite name="k8s/coffee.yaml" tests="2" failures="1" errors="0" skipped="1">
<testcase name="gateway/rate-syntax RateLimitPolicy shop/coffee /spec/rate" classname="k8s/coffee.yaml" file="k8s/coffee.yaml" line="2">
<failure message="&quot;10R/S&quot; is not a valid rate" type="error">k8s/coffee.yaml:2:7: &quot;10R/S&quot; is not a valid rate&#10;Write &quot;10r/s&quot;.</failure>
</testcase>
<testcase name="gateway/rate-syntax RateLimitPolicy shop/coffee /spec/burst" classname="k8s/coffee.yaml" file="k8s/coffee.yaml" line="2">
<skipped message="warning: &quot;10R/S&quot; is not a valid rate&#10;Write &quot;10r/s&quot;."/>
</testcase>
</testsuite>
<testsuite name="k8s/tea.yaml" tests="1" failures="0" errors="0" skipped="0">
<testcase name="no problems" classname="k8s/tea.yaml" file="k8s/tea.yaml"/>
</testsuite>
</testsuites>
`,
    )
  })

  it('fails a warning where warnings fail the run', () => {
    const outcomes = (warningsFail: boolean) =>
      casesOf(reportOf([warning]), { warningsFail }).map(({ children }) => children[0]?.name)
    expect(outcomes(false)).toEqual(['skipped'])
    expect(outcomes(true)).toEqual(['failure'])
  })

  it('numbers cases of the same name', () => {
    const names = casesOf(reportOf([finding(), finding({ line: 9 })])).map(({ attributes }) => attributes.name)
    expect(names[1]).toBe(`${names[0]} (2)`)
  })

  it('reports a file as passed if all its findings are left out', () => {
    const report = reportOf([warning])
    const [only] = casesOf(report, { quiet: true, files: [warning.file] })
    expect(only?.attributes.name).toBe('no problems')
  })

  it('is well-formed and contains the findings, whatever their text', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const suites = suitesOf(report)
        const cases = suites.children.flatMap(({ children }) => children)
        expect(cases).toHaveLength(report.findings.length)
        expect(Number(suites.attributes.tests)).toBe(cases.length)
        const messages = cases.map(({ children }) => children[0]?.attributes.message ?? '')
        for (const { message, severity } of report.findings) {
          const expected = severity === 'error' ? inXml(message) : `${severity}: ${inXml(message)}`
          expect(messages.some((found) => found.startsWith(expected))).toBe(true)
        }
      }),
    )
  })
})
