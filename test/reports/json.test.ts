import { expect, it } from 'vitest'
import { json } from '../../src/reports/lint/json.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const JSON_CONTEXT = context(undefined)

it('is one object, with one finding a line', () => {
  expect(json.render(reportOf([finding(), finding({ line: 3, severity: 'info' })]), JSON_CONTEXT)).toBe(
    `{"version":1,"findings":[
{"rule":"gateway/rate-syntax","severity":"error","file":"k8s/coffee.yaml","line":2,"column":7,"endLine":2,"endColumn":12,"pointer":"/spec/rate","message":"\\"10R/S\\" is not a valid rate","help":"Write \\"10r/s\\".","object":{"kind":"RateLimitPolicy","namespace":"shop","name":"coffee"}},
{"rule":"gateway/rate-syntax","severity":"info","file":"k8s/coffee.yaml","line":3,"column":7,"endLine":3,"endColumn":12,"pointer":"/spec/rate","message":"\\"10R/S\\" is not a valid rate","help":"Write \\"10r/s\\".","object":{"kind":"RateLimitPolicy","namespace":"shop","name":"coffee"}}
],"suppressed":[],"summary":{"files":14,"documents":9,"errors":1,"warnings":0,"infos":1,"suppressed":0}}
`,
  )
})

it('says it when there is nothing', () => {
  expect(json.render(reportOf([]), JSON_CONTEXT)).toBe(
    '{"version":1,"findings":[],"suppressed":[],"summary":{"files":14,"documents":9,"errors":0,"warnings":0,"infos":0,"suppressed":0}}\n',
  )
})

it('holds the contract and nothing else, in any order of members', () => {
  const { object, ...rest } = finding()
  const more = { ...rest, extra: 1, object: { ...object, uid: 'x' } }
  const parsed: unknown = JSON.parse(json.render(reportOf([more]), JSON_CONTEXT))
  expect(parsed).toEqual({
    version: 1,
    findings: [finding()],
    suppressed: [],
    summary: { files: 14, documents: 9, errors: 1, warnings: 0, infos: 0, suppressed: 0 },
  })
})

it('shows errors only where nothing else is asked for; the summary counts all', () => {
  const report = reportOf([finding({ severity: 'warning' }), finding()])
  const parsed: unknown = JSON.parse(json.render(report, { ...JSON_CONTEXT, quiet: true }))
  expect(parsed).toMatchObject({ findings: [{ severity: 'error' }], summary: { errors: 1, warnings: 1 } })
})

it('tells of what stays quiet, and why', () => {
  const report = reportOf([], { suppressed: [suppressedFinding()] })
  expect(JSON.parse(json.render(report, JSON_CONTEXT))).toEqual({
    version: 1,
    findings: [],
    suppressed: [{ ...finding(), suppression: { kind: 'comment', reason: 'agreed' } }],
    summary: { files: 14, documents: 9, errors: 0, warnings: 0, infos: 0, suppressed: 1 },
  })
})

it('counts the findings of each rule when asked', () => {
  const other = { rule: 'gateway/conflict', severity: 'warning' } as const
  const report = reportOf([finding(other), finding(), finding({ line: 3 })], { suppressed: [suppressedFinding(other)] })
  const statistics = (quiet: boolean) =>
    JSON.parse(json.render(report, { ...JSON_CONTEXT, statistics: true, quiet })).statistics
  expect(statistics(false)).toEqual([
    { rule: 'gateway/rate-syntax', findings: 2, suppressed: 0 },
    { rule: 'gateway/conflict', findings: 1, suppressed: 1 },
  ])
  expect(statistics(true)).toEqual([{ rule: 'gateway/rate-syntax', findings: 2, suppressed: 0 }])
})
