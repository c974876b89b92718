/** The functions of the library do what the command line does, and say what is wrong with their arguments. */
import { describe, expect, it } from 'vitest'
import {
  effective,
  explain,
  fix,
  formatEffective,
  formatLint,
  formatRender,
  formatSimulation,
  formatStatus,
  lint,
  type Result,
  readSettings,
  render,
  rules,
  simulate,
  simulateStream,
  status,
} from '../../src/browser.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { casesOf } from '../support/cases.ts'
import { LOG, policy, SHOP } from './manifests.ts'

function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

const { cases, each } = casesOf(import.meta.url)
const FUNCTIONS = { explain, formatLint, lint, render, simulate, status }

const problemsOf = (result: Result<unknown>) => (result.ok ? [] : result.problems)

describe('lint', () => {
  it('judges texts and objects', () => {
    const { findings, summary } = unwrap(lint([policy('10R/S')]))
    expect(findings).toMatchObject([{ rule: 'gateway/rate-syntax', file: 'policy.yaml', line: 10 }])
    expect(summary).toMatchObject({ errors: 1, documents: 1 })
  })

  it('gives the edits of each finding where it is asked for them', () => {
    const source = policy('10R/S')
    const { fixes } = unwrap(lint([source], { fixes: true }))
    expect(fixes).toMatchObject([{ finding: 0, kind: 'safe' }])
    expect(fixes.map(({ edits }) => applyEdits(source.text, edits))).toEqual([policy('10r/s').text])
    expect(unwrap(lint([source])).fixes).toEqual([])
  })

  it('runs only the rules of `only`, by their short names too, and also those that the settings switch off', () => {
    const sources = [policy('10R/S, burst: -1')]
    const rulesOf = (options: Parameters<typeof lint>[1]) =>
      unwrap(lint(sources, options)).findings.map(({ rule }) => rule)
    expect(rulesOf({})).toEqual(expect.arrayContaining(['gateway/rate-syntax']))
    expect(rulesOf({}).length).toBeGreaterThan(1)
    expect(rulesOf({ only: ['rate-syntax'] })).toEqual(['gateway/rate-syntax'])
    const settings = { rules: { 'gateway/rate-syntax': 'off' as const }, ruleset: '0.0' }
    expect(rulesOf({ only: ['gateway/rate-syntax'], settings })).toEqual(['gateway/rate-syntax'])
  })

  it('compares with the sources before', () => {
    const before = policy('10r/s')
    const after = { ...before, text: before.text.replace('$binary_remote_addr', '$http_x_tenant') }
    const { findings } = unwrap(lint([after], { previous: [before], only: ['key-change-without-zone-resize'] }))
    expect(findings).toMatchObject([{ severity: 'error' }])
  })
})

it('fix returns texts and the edits that make them, also where it takes several rounds', () => {
  const [before, now] = [policy('10r/s'), policy('10R/S')]
  const source = { ...now, text: now.text.replace('$binary_remote_addr', '$http_x_tenant') }
  const other = { ...policy('5r/s'), file: 'other.yaml', namespace: { override: 'other' } }
  // The second round sees the rate that the first one wrote, and changes the size of the zone.
  const { changed, remaining } = unwrap(fix([source, other], { previous: [before, other], all: true }))
  expect(changed).toMatchObject([{ file: 'policy.yaml', fixed: 2, edits: [{ text: '10r/s' }, {}] }])
  for (const { text, edits } of changed) expect(applyEdits(source.text, edits)).toBe(text)
  expect(remaining.findings.filter(({ severity }) => severity === 'error')).toEqual([])
})

describe('the questions', () => {
  it('have the results of the command line', () => {
    expect(unwrap(effective(SHOP, 'HTTPRoute/coffee'))).toMatchObject(
      cases<object>('have the results of the command line'),
    )
    const now = '2026-01-31T12:00:00.5+01:00'
    const [world] = unwrap(status(SHOP, { now }))
    expect(world?.policies).toMatchObject([
      { ancestors: [{ conditions: [{ status: 'True', lastTransitionTime: '2026-01-31T11:00:00Z' }] }] },
    ])
    const { gateways } = unwrap(render(SHOP, { complete: true, listen: '::1', port: { 80: 8080 } }))
    expect(gateways).toMatchObject([{ name: 'edge', files: [{ name: 'nginx.conf' }] }])
    expect(gateways[0]?.files[0]?.text).toContain('listen [::1]:8080')
  })

  it('fail with the names of options, not of flags', () => {
    const twice = [...SHOP, ...SHOP].map((source, index) => ({ ...source, world: index < SHOP.length ? 'eu' : 'us' }))
    expect(problemsOf(effective(twice, 'HTTPRoute/coffee'))).toEqual([
      { path: '', message: 'HTTPRoute/shop/coffee is in several worlds: eu, us; pick one with world NAME' },
    ])
  })
})

describe('simulate', () => {
  it('takes logs and made-up clients', () => {
    expect(unwrap(simulate(SHOP, { log: LOG, spread: 'none' })).totals).toMatchObject({ requests: 3, rejected: 2 })
    expect(unwrap(simulate(SHOP, { log: new TextEncoder().encode(LOG) })).totals).toMatchObject({ requests: 3 })
    const traffic = { clients: 2, rate: '2r/s', for: '3s' }
    expect(unwrap(simulate(SHOP, traffic)).totals).toMatchObject({ requests: 12, rejected: 6 })
    const compared = unwrap(simulate([...SHOP.slice(0, 1), policy('9r/s')], traffic, { compare: SHOP }))
    expect(compared.comparison).toMatchObject({ noLongerRejected: { requests: 6 } })
  })

  it('takes a log in parts, with the report of the whole', async () => {
    const bytes = new TextEncoder().encode(LOG)
    const parts = (size: number) =>
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
    const whole = unwrap(simulate(SHOP, { log: LOG }))
    for (const size of [1, 7, 1000]) expect(unwrap(await simulateStream(SHOP, { chunks: parts(size) }))).toEqual(whole)
    expect(problemsOf(await simulateStream(SHOP, { chunks: [] }))).toEqual([
      { path: '', message: 'log: the log has no lines' },
    ])
  })

  it('says why a log in parts cannot be read', async () => {
    async function* broken() {
      yield new TextEncoder().encode(LOG)
      throw new Error('the disk is gone')
    }
    expect(problemsOf(await simulateStream(SHOP, { chunks: broken() }))).toEqual([
      { path: 'traffic.chunks', message: 'the log cannot be read: the disk is gone' },
    ])
  })
})

describe('what is wrong with arguments', () => {
  each<[string, keyof typeof FUNCTIONS, readonly unknown[], readonly [string, string]]>(
    'is reported: %s',
    (_, name, written, [path, message]) => {
      const given = written.map((one) => (one === 'SHOP' ? SHOP : one))
      // As a caller without types has them.
      const result: Result<unknown> = Reflect.apply(FUNCTIONS[name], undefined, given)
      expect(problemsOf(result)).toEqual([{ path, message: expect.stringContaining(message) }])
    },
  )

  it('has line and column in a text of settings', () =>
    expect(problemsOf(readSettings('platform:\n  nginxVersion: 1.30\n'))).toMatchObject([
      { path: 'platform.nginxVersion', line: 2, column: 17 },
    ]))

  it('is none where settings that were read are passed on', () => {
    const project = unwrap(
      readSettings('platform: { variables: [$tenant] }\nbudgets: { zoneMemory: 1g }\nruleset: "0.1"'),
    )
    expect(problemsOf(lint([], { settings: project.settings }))).toEqual([])
  })
})

it('has the texts of all rules', () => {
  expect(rules().map(({ id }) => unwrap(explain(id)).id)).toEqual(rules().map(({ id }) => id))
  expect(unwrap(explain('rate-syntax'))).toMatchObject({ id: 'gateway/rate-syntax', fix: 'safe', since: null })
})

it('writes results in the formats of the command line', () => {
  const sources = [policy('10R/S')]
  const found = unwrap(lint(sources, { fixes: true }))
  const written = (format: Parameters<typeof formatLint>[1]) => unwrap(formatLint(found, format, { sources }))
  expect(written('text')).toMatch(/rate: 10R\/S[\s\S]*1 error in 1 file \(1 document\)\n$/)
  expect(JSON.parse(written('json'))).toMatchObject({ version: 1, findings: [{ line: 10 }] })
  expect(JSON.parse(written('sarif'))).toMatchObject({ runs: [{ results: [{ fixes: [{}] }] }] })
  expect(JSON.parse(written('gitlab'))).toMatchObject([{ location: { path: 'policy.yaml' } }])
  expect(written('junit')).toContain('<testsuite')
  expect(written('github')).toContain('::error file=policy.yaml')
  expect(written('markdown')).toContain('gateway/rate-syntax')
  const limits = unwrap(effective(SHOP, 'HTTPRoute/coffee'))
  expect(unwrap(formatEffective(limits, 'text'))).toContain('1r/s')
  expect(JSON.parse(unwrap(formatEffective(limits, 'json')))).toEqual(limits)
  const statuses = unwrap(status(SHOP))
  expect(unwrap(formatStatus(statuses, 'table'))).toContain('1 policy: 1 accepted')
  expect(JSON.parse(unwrap(formatStatus(statuses, 'json')))).toMatchObject({ kind: 'List' })
  expect(unwrap(formatStatus(statuses, 'yaml'))).toContain('conditions:')
  const rendered = unwrap(render(SHOP))
  expect(unwrap(formatRender(rendered, 'nginx'))).toContain('limit_req_zone')
  expect(JSON.parse(unwrap(formatRender(rendered, 'json')))).toMatchObject({ version: 1 })
  const report = unwrap(simulate(SHOP, { log: LOG }))
  expect(JSON.parse(unwrap(formatSimulation(report, 'json')))).toEqual(JSON.parse(JSON.stringify(report)))
  expect(unwrap(formatSimulation(report, 'csv'))).toContain('limit,RateLimitPolicy,shop,coffee')
  expect(unwrap(formatSimulation(report, 'svg'))).toContain('<svg')
  expect(unwrap(formatSimulation(report, 'text'))).toContain('3 requests')
})
