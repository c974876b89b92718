/** The SARIF report against the schema that OASIS publishes (test/reports/sarif-schema-2.1.0.json, unchanged). */
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
import { context, finding, reportOf, suppressedFinding } from './report.ts'

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

const resultOf = (...parameters: Parameters<typeof runOf>) => runOf(...parameters).results[0]
const placeOf = (...parameters: Parameters<typeof runOf>) => resultOf(...parameters).locations[0].physicalLocation

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
    expect(complaints(JSON.stringify(report))).toEqual([
      '/runs/0/results/0 must NOT have additional properties',
      '/runs/0/results/0/level must be equal to one of the allowed values',
    ])
  })

  it('accepts a report without findings', () => {
    expect(runOf(reportOf([])).results).toEqual([])
  })
})

describe('a result', () => {
  it('has rule, level, place, object, fingerprint and the remedy', () => {
    expect(resultOf(reportOf([finding()]))).toEqual({
      ruleId: 'gateway/rate-syntax',
      ruleIndex: RULES.findIndex(({ id }) => id === 'gateway/rate-syntax'),
      level: 'error',
      message: { text: '"10R/S" is not a valid rate. Write "10r/s".' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'k8s/coffee.yaml', uriBaseId: '%SRCROOT%' },
            region: { startLine: 2, startColumn: 7, endLine: 2, endColumn: 12 },
          },
          logicalLocations: [{ name: 'coffee', fullyQualifiedName: 'RateLimitPolicy/shop/coffee', kind: 'resource' }],
        },
      ],
      partialFingerprints: { 'sluice/v1': expect.stringMatching(/^[0-9a-f]{16}$/) },
      properties: { pointer: '/spec/rate' },
    })
  })

  it.each([
    ['error', 'error'],
    ['warning', 'warning'],
    ['info', 'note'],
  ] as const)('calls %s %s', (severity, level) => {
    expect(resultOf(reportOf([finding({ severity })])).level).toBe(level)
  })

  it('is left out with --quiet unless it is an error', () => {
    const report = reportOf([finding({ severity: 'info' }), finding({ severity: 'warning' }), finding()])
    expect(runOf(report).results).toHaveLength(3)
    expect(runOf(report, { quiet: true }).results).toHaveLength(1)
  })

  it.each([
    ['comment', 'inSource'],
    ['annotation', 'inSource'],
    ['baseline', 'external'],
  ] as const)('is marked as suppressed by a %s', (kind, expected) => {
    const report = reportOf([], { suppressed: [suppressedFinding({}, { kind, reason: 'agreed' })] })
    expect(resultOf(report).suppressions).toEqual([{ kind: expected, justification: 'agreed' }])
  })

  it('keeps its fingerprint where lines move and where one like it is suppressed', () => {
    const prints = (report: LintReport) =>
      runOf(report).results.map((result: { partialFingerprints: object }) => result.partialFingerprints)
    const [first, second] = prints(reportOf([finding({ line: 2 }), finding({ line: 9 })]))
    expect(prints(reportOf([finding({ line: 5 }), finding({ line: 12 })]))).toEqual([first, second])
    const half = reportOf([finding({ line: 9 })], { suppressed: [suppressedFinding({ line: 2 })] })
    expect(prints(half)).toEqual([first, second])
    expect(first).not.toEqual(second)
  })

  it('escapes what a viewer would take for a placeholder or a link', () => {
    const message = 'in [a](b) and [0] a {0} of {x}'
    expect(resultOf(reportOf([finding({ message, help: '' })])).message.text).toBe(
      'in \\[a\\](b) and [0] a {{0}} of {x}.',
    )
  })
})

describe('a place', () => {
  it('counts columns in UTF-16 units', () => {
    const found = finding({ line: 2, column: 4, endColumn: 6 })
    expect(placeOf(reportOf([found]), {}, '\n🐢é🐢🐢x\n').region).toEqual({
      startLine: 2,
      startColumn: 6,
      endLine: 2,
      endColumn: 9,
    })
  })

  it('counts the last column on the last line', () => {
    const found = finding({ line: 1, column: 3, endLine: 2, endColumn: 4 })
    const at = (text: string) => placeOf(reportOf([found]), {}, text).region
    expect(at('🐢🐢: x\nyyyy\n')).toEqual({ startLine: 1, startColumn: 5, endLine: 2, endColumn: 4 })
    expect(at('yyyy: x\n🐢🐢é🐢\n')).toEqual({ startLine: 1, startColumn: 3, endLine: 2, endColumn: 6 })
  })

  it('counts no column for a byte order mark, and ends a line before CR LF', () => {
    const found = finding({ line: 1, column: 2, endColumn: 3 })
    const at = (text: string) => placeOf(reportOf([found]), {}, text).region
    expect(at('\ufeff🐢x\r\ny\r\n')).toMatchObject({ startLine: 1, startColumn: 3, endColumn: 4 })
    expect(at('\ufeffax\r\ny\r\n')).toMatchObject({ startLine: 1, startColumn: 2, endColumn: 3 })
  })

  it('has the same place as the lint for every column of a text with all of these', () => {
    const text = '\ufeff🐢: "🐢🐢"\r\nkind: RateLimitPolicy\r\n🐢: ["🐢", {🐢: 1, 🐢: 2}]\r\n'
    const { report } = lint([{ file: 'a.yaml', text }])
    const [result] = runOf(report, {}, text).results
    const { startLine, startColumn, endColumn } = result.locations[0].physicalLocation.region
    const line = text.slice(1).split('\r\n')[startLine - 1]
    expect(line?.slice(startColumn - 1, endColumn - 1)).toBe('🐢')
  })

  it.each([
    ['k8s/with space/ü#?%41.yaml', { uri: 'k8s/with%20space/%C3%BC%23%3F%2541.yaml', uriBaseId: '%SRCROOT%' }],
    ['a:b/c.yaml', { uri: 'a%3Ab/c.yaml', uriBaseId: '%SRCROOT%' }],
    ['<stdin>', { uri: '%3Cstdin%3E', uriBaseId: '%SRCROOT%' }],
    ['half\ud83d.yaml', { uri: 'half%EF%BF%BD.yaml', uriBaseId: '%SRCROOT%' }],
    ['../other/a.yaml', { uri: 'file:///home/me/other/a.yaml' }],
    ['../../../../a b.yaml', { uri: 'file:///a%20b.yaml' }],
    ['/etc/a.yaml', { uri: 'file:///etc/a.yaml' }],
    ['D:/k8s/a.yaml', { uri: 'file:///D:/k8s/a.yaml' }],
  ])('names the file %s', (file, expected) => {
    expect(placeOf(reportOf([finding({ file })])).artifactLocation).toEqual(expected)
  })

  it('has paths relative to the root of the repository where that is known', () => {
    const uriOf = (file: string, repository: string) =>
      placeOf(reportOf([finding({ file })]), { base: { folder: '/src/shop/apps', repository } }).artifactLocation.uri
    expect(uriOf('k8s/a.yaml', '/src/shop')).toBe('apps/k8s/a.yaml')
    expect(uriOf('../a.yaml', '/src/shop/')).toBe('a.yaml')
    expect(uriOf('../../a.yaml', '/src/shop')).toBe('file:///src/a.yaml')
    expect(uriOf('k8s/a.yaml', '/elsewhere')).toBe('k8s/a.yaml')
    expect(uriOf('k8s/a.yaml', '/src/sho')).toBe('k8s/a.yaml')
  })
})

describe('a fix', () => {
  const text = '🐢🐢: 1\nrate: 10R/S\nburst: 5\n'
  const fixOf = (...edits: readonly { start: number; end: number; text: string }[]) =>
    resultOf(reportOf([finding()]), { editsOf: () => edits }, text).fixes

  it('replaces, inserts and removes at columns in UTF-16 units', () => {
    const at = text.indexOf('10R/S')
    expect(
      fixOf({ start: at, end: at + 5, text: '10r/s' }, { start: 4, end: 5, text: '' }, { start: 0, end: 0, text: '-' }),
    ).toEqual([
      {
        description: { text: 'Write "10r/s".' },
        artifactChanges: [
          {
            artifactLocation: { uri: 'k8s/coffee.yaml', uriBaseId: '%SRCROOT%' },
            replacements: [
              {
                deletedRegion: { startLine: 2, startColumn: 7, endLine: 2, endColumn: 12 },
                insertedContent: { text: '10r/s' },
              },
              { deletedRegion: { startLine: 1, startColumn: 5, endLine: 1, endColumn: 6 } },
              {
                deletedRegion: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
                insertedContent: { text: '-' },
              },
            ],
          },
        ],
      },
    ])
  })

  it('is absent where the finding has no fix', () => {
    expect(fixOf()).toBeUndefined()
  })
})

describe('a rule', () => {
  it('has a summary, a reason and a remedy', () => {
    const rule = runOf(reportOf([])).tool.driver.rules.find(({ id }: { id: string }) => id === 'gateway/conflict')
    expect(rule).toMatchObject({
      name: 'Conflict',
      defaultConfiguration: { level: 'error' },
      properties: { tags: ['nginx', 'rate-limiting', 'gateway'], 'problem.severity': 'error' },
    })
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
