/**
 * The SARIF report against the schema that OASIS publishes (test/reports/sarif-schema-2.1.0.json, unchanged). Its
 * results: test/fixtures/reports/formats.txtar.
 */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { lint } from '../../src/lint/lint.ts'
import type { LintReport } from '../../src/lint/report.ts'
import type { ReportContext } from '../../src/reports/lint/reporter.ts'
import { sarif } from '../../src/reports/lint/sarif.ts'
import { sluice } from '../cli/run.ts'
import { casesOf } from '../support/cases.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const { cases } = casesOf(import.meta.url)

const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false })
addFormats.default(ajv)
const validate = ajv.compile(JSON.parse(readFileSync(new URL('./sarif-schema-2.1.0.json', import.meta.url), 'utf8')))

/** The errors of the schema's validator; empty where the report is valid. */
function complaints(rendered: string): readonly string[] {
  validate(JSON.parse(rendered))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const runOf = (report: LintReport, parts: Partial<ReportContext> = {}, text = 'spec:\nrate: 10R/S # fast\n') => {
  const rendered = sarif.render(report, context(text, parts))
  expect(complaints(rendered)).toEqual([])
  return JSON.parse(rendered).runs[0]
}

describe('the schema', () => {
  it('accepts the report of examples/mistakes', async () => {
    const cwd = new URL('../..', import.meta.url).pathname
    const { stdout } = await sluice(['lint', 'examples/mistakes', '--info', '--format', 'sarif'], { cwd })
    expect(complaints(stdout)).toEqual([])
    const [{ results, tool }] = JSON.parse(stdout).runs
    expect(results).toHaveLength(27)
    expect(tool.driver.rules).toHaveLength(RULES.length)
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
  })

  it('rejects an invalid report', () => {
    const report = JSON.parse(sarif.render(reportOf([finding()]), context('')))
    report.runs[0].results[0].level = 'fatal'
    report.runs[0].results[0].line = 3
    expect(complaints(JSON.stringify(report))).toEqual(cases('rejects an invalid report'))
  })
})

it('a place is that of the lint for every column of a text with a byte order mark, CR LF and wide characters', () => {
  const text = '\ufeff🐢: "🐢🐢"\r\nkind: RateLimitPolicy\r\n🐢: ["🐢", {🐢: 1, 🐢: 2}]\r\n'
  const { report } = lint([{ file: 'a.yaml', text }])
  const [result] = runOf(report, {}, text).results
  const { startLine, startColumn, endColumn } = result.locations[0].physicalLocation.region
  const line = text.slice(1).split('\r\n')[startLine - 1]
  expect(line?.slice(startColumn - 1, endColumn - 1)).toBe('🐢')
})

it('more results than GitHub takes: the worst are kept, in their order, and the others counted', () => {
  const severityOf = (index: number) => (index % 3 === 0 ? 'info' : index % 3 === 1 ? 'error' : 'warning')
  const findings = Array.from({ length: 36_000 }, (_, index) =>
    finding({ severity: severityOf(index), line: index + 1 }),
  )
  const suppressed = [suppressedFinding(finding({ line: 40_000 }))]
  const { results, invocations } = runOf(reportOf(findings, { suppressed }))
  const lines = results.map((result: typeof results) => result.locations[0].physicalLocation.region.startLine)
  const kept = findings.filter(({ severity }, index) => severity !== 'info' || index < 3000)
  expect(lines).toEqual(kept.map(({ line }) => line))
  expect(invocations[0].toolExecutionNotifications).toEqual(
    cases('more results than GitHub takes: the worst are kept, in their order, and the others counted'),
  )
})

describe('a rule', () => {
  it('has a summary, a reason and a remedy', () => {
    const rule = runOf(reportOf([])).tool.driver.rules.find(({ id }: { id: string }) => id === 'gateway/conflict')
    expect(rule).toMatchObject(cases<object>('has a summary, a reason and a remedy'))
    expect(rule.help.text).toMatch(/\n\nSource: /)
    expect(rule.help.markdown).toContain('```yaml\n')
  })

  it('is not longer than GitHub shows', () => {
    for (const { shortDescription, fullDescription } of runOf(reportOf([])).tool.driver.rules) {
      expect(shortDescription.text.length).toBeLessThanOrEqual(1024)
      expect(fullDescription.text.length).toBeLessThanOrEqual(1024)
    }
  })
})
