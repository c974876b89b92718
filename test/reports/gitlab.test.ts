import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gitlab } from '../../src/reports/lint/gitlab.ts'
import { hostileReport } from './hostile.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const entriesOf = (...parameters: Parameters<typeof gitlab.render>) => JSON.parse(gitlab.render(...parameters))

it('has one entry per finding', () => {
  expect(entriesOf(reportOf([finding({ endLine: 4 })]), context(''))).toEqual([
    {
      description: '"10R/S" is not a valid rate (Write "10r/s".)',
      check_name: 'gateway/rate-syntax',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      severity: 'critical',
      location: { path: 'k8s/coffee.yaml', lines: { begin: 2, end: 4 } },
    },
  ])
})

it('is an empty list without findings, and leaves out suppressed ones', () => {
  expect(gitlab.render(reportOf([], { suppressed: [suppressedFinding()] }), context(''))).toBe('[]\n')
})

it('reports errors as critical, warnings as major, infos as info', () => {
  const report = reportOf([finding(), finding({ severity: 'warning' }), finding({ severity: 'info' })])
  const severities = (quiet: boolean) =>
    entriesOf(report, context('', { quiet })).map(({ severity }: { severity: string }) => severity)
  expect(severities(false)).toEqual(['critical', 'major', 'info'])
  expect(severities(true)).toEqual(['critical'])
})

it('gives every finding a fingerprint of its own, also those that differ only in their line', () => {
  const report = reportOf(Array.from({ length: 1000 }, (_, line) => finding({ line: line + 1 })))
  const prints = entriesOf(report, context('')).map(({ fingerprint }: { fingerprint: string }) => fingerprint)
  expect(new Set(prints).size).toBe(1000)
})

it('has paths relative to the root of the repository', () => {
  const base = { folder: '/builds/shop/apps', repository: '/builds/shop' }
  expect(entriesOf(reportOf([finding()]), context('', { base }))[0].location.path).toBe('apps/k8s/coffee.yaml')
})

it('contains the findings, whatever their text', () => {
  fc.assert(
    fc.property(hostileReport, (report) => {
      const entries = entriesOf(report, context(''))
      expect(entries.map(({ location }: { location: { path: string } }) => location.path)).toEqual(
        report.findings.map(({ file }) => file),
      )
      for (const [index, { message }] of report.findings.entries())
        expect(entries[index].description.startsWith(message)).toBe(true)
    }),
  )
})
