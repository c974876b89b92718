import { expect, it } from 'vitest'
import { json } from '../../src/reports/lint/json.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const JSON_CONTEXT = context(undefined)

it('is one object, with one finding per line', () => {
  expect(json.render(reportOf([finding(), finding({ line: 3, severity: 'info' })]), JSON_CONTEXT)).toBe(
    `{"version":1,"findings":[
{"rule":"gateway/rate-syntax","severity":"error","file":"k8s/coffee.yaml","line":2,"column":7,"endLine":2,"endColumn":12,"pointer":"/spec/rate","message":"\\"10R/S\\" is not a valid rate","help":"Write \\"10r/s\\".","object":{"kind":"RateLimitPolicy","namespace":"shop","name":"coffee"}},
{"rule":"gateway/rate-syntax","severity":"info","file":"k8s/coffee.yaml","line":3,"column":7,"endLine":3,"endColumn":12,"pointer":"/spec/rate","message":"\\"10R/S\\" is not a valid rate","help":"Write \\"10r/s\\".","object":{"kind":"RateLimitPolicy","namespace":"shop","name":"coffee"}}
],"suppressed":[],"notJudged":[],"summary":{"files":14,"documents":9,"errors":1,"warnings":0,"infos":1,"suppressed":0}}
`,
  )
})

it('has empty lists where there are no findings', () => {
  expect(json.render(reportOf([]), JSON_CONTEXT)).toBe(
    '{"version":1,"findings":[],"suppressed":[],"notJudged":[],"summary":{"files":14,"documents":9,"errors":0,"warnings":0,"infos":0,"suppressed":0}}\n',
  )
})

it('has the members of version 1 and no others, in any order of the input', () => {
  const { object, ...rest } = finding()
  const more = { ...rest, extra: 1, object: { ...object, uid: 'x' } }
  const parsed: unknown = JSON.parse(json.render(reportOf([more]), JSON_CONTEXT))
  expect(parsed).toEqual({
    version: 1,
    findings: [finding()],
    suppressed: [],
    notJudged: [],
    summary: { files: 14, documents: 9, errors: 1, warnings: 0, infos: 0, suppressed: 0 },
  })
})

it('contains only errors with --quiet; the summary counts all', () => {
  const report = reportOf([finding({ severity: 'warning' }), finding()])
  const parsed: unknown = JSON.parse(json.render(report, { ...JSON_CONTEXT, quiet: true }))
  expect(parsed).toMatchObject({ findings: [{ severity: 'error' }], summary: { errors: 1, warnings: 1 } })
})

it('contains suppressed findings with their reasons', () => {
  const report = reportOf([], { suppressed: [suppressedFinding()] })
  expect(JSON.parse(json.render(report, JSON_CONTEXT))).toEqual({
    version: 1,
    findings: [],
    suppressed: [{ ...finding(), suppression: { kind: 'comment', reason: 'agreed' } }],
    notJudged: [],
    summary: { files: 14, documents: 9, errors: 0, warnings: 0, infos: 0, suppressed: 1 },
  })
})

it('counts the findings of each rule with --statistics', () => {
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
