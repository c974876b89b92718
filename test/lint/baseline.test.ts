import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyBaseline, knownFrom, readBaseline, writeBaseline } from '../../src/lint/baseline/baseline.ts'
import type { LintReport, ReportedFinding } from '../../src/lint/report.ts'
import { holds } from '../support/holds.ts'

const finding = fc.record({
  rule: fc.constantFrom('gateway/a', 'gateway/b'),
  severity: fc.constantFrom('error', 'warning', 'info'),
  file: fc.constantFrom('a.yaml', 'b.yaml'),
  line: fc.integer({ min: 1, max: 9 }),
  pointer: fc.constantFrom('', '/spec/rules/0/key', '/spec/rules/1/key'),
  message: fc.oneof(
    fc.constantFrom('rules[0] is wrong', 'rules[1] is wrong', '"quoted"\n\u2028'),
    fc.string({ maxLength: 4 }),
  ),
  name: fc.constantFrom('coffee', 'tea'),
})

const reported = finding.map(
  ({ name, ...rest }): ReportedFinding => ({
    ...rest,
    column: 1,
    endLine: rest.line,
    endColumn: 2,
    help: '',
    object: { kind: 'RateLimitPolicy', namespace: 'shop', name },
  }),
)

const reportOf = (findings: readonly ReportedFinding[]): LintReport => ({
  version: 1,
  findings,
  suppressed: [],
  notJudged: [],
  summary: { files: 1, documents: 1, errors: 0, warnings: 0, infos: 0, suppressed: 0 },
})

const same = (file: string) => file
const reread = (known: ReturnType<typeof knownFrom>) => {
  const outcome = readBaseline(writeBaseline(known))
  if ('problem' in outcome) throw new Error(outcome.problem)
  return outcome.known
}

describe('a baseline', () => {
  it('of findings knows all of them, wherever they move and in whatever order they come', () =>
    holds(fc.array(reported), fc.integer({ min: 1, max: 50 }), (findings, by) => {
      const known = reread(knownFrom(findings, [], same))
      const moved = findings
        .map(({ message, ...one }) => ({ ...one, message: message.replace('[0]', '[7]') }))
        .map((one) => ({ ...one, line: one.line + by, pointer: one.pointer.replace('0', '7') }))
        .reverse()
      const { report, missing } = applyBaseline(reportOf(moved), known, same)
      expect(report.findings).toEqual([])
      expect(missing).toEqual([])
      expect(report.summary).toMatchObject({ errors: 0, warnings: 0, infos: 0 })
    }))

  it('reports exactly the new ones, and how many are gone', () =>
    holds(fc.array(reported), fc.array(reported), (before, now) => {
      const known = knownFrom(before, [], same)
      const { report, missing } = applyBaseline(reportOf(now), known, same)
      const gone = missing.reduce((sum, { count }) => sum + count, 0)
      expect(before.length - gone).toBe(now.length - report.findings.length)
      expect(applyBaseline(report, known, same).report.findings.length).toBeLessThanOrEqual(report.findings.length)
    }))

  it('is the same text whatever the order of the findings, with one line each', () =>
    holds(fc.array(reported), (findings) => {
      const text = writeBaseline(knownFrom(findings, [], same))
      expect(writeBaseline(knownFrom(findings.toReversed(), [], same))).toBe(text)
      expect(text.match(/^ {4}\{/gm)?.length ?? 0).toBe(JSON.parse(text).findings.length)
    }))
})
