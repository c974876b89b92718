/** Bodies are recognised by what is in them, and nothing of another product is taken for one. */
import { describe, expect, it } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import { mentionsIn, SYSTEMS } from '../../src/registry.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const judge = (text: string, file = 'body.yaml') => lint([{ file, text }]).report
const rulesIn = (text: string, file?: string) => judge(text, file).findings.map(({ rule }) => rule)

const LIMITS = '{rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M}'

describe('a body is judged', () => {
  each<[string, string]>(
    '%s',
    (_, text) => {
      expect(judge(text)).toMatchObject({ findings: [], summary: { documents: 1 } })
    },
    'a body is judged',
  )

  each<[string, string, readonly string[]]>('whose policies are %s', (_, text, rules) => {
    expect(new Set(rulesIn(text))).toEqual(new Set(rules))
  })

  it('beside manifests of Kubernetes, each document for itself', () => {
    const text = `apiVersion: v1\nkind: ConfigMap\ndata: {}\n---\npolicies: {rate-limit: [{action: {limits: [${LIMITS}]}}]}\n`
    expect(judge(text)).toMatchObject({
      findings: [{ rule: 'api-management/implicit-default', line: 5, object: { kind: 'Proxy', name: '' } }],
      notJudged: [],
      summary: { documents: 1 },
    })
  })

  it('and two bodies of one name are no mistake: nothing says that they are in one workspace', () => {
    const text = `name: a\nproxyConfig: {policies: {rate-limit: [{action: {returnCode: 429, limits: [${LIMITS}]}}]}}\n`
    const { report } = lint([
      { file: 'a.yaml', text },
      { file: 'b.yaml', text },
    ])
    expect(report).toMatchObject({ findings: [], notJudged: [], summary: { documents: 2 } })
  })
})

describe('a text of another product is not judged', () => {
  each<[string, string]>('with %s', (_, text) => {
    expect(judge(text)).toMatchObject({ findings: [], notJudged: [] })
  })

  each<[string, string]>('and is not called broken: %s', (_, text) => {
    expect(judge(text)).toMatchObject({ findings: [], notJudged: [] })
  })
})

describe('the text of a body', () => {
  const BODY = `{"name": "a", "proxyConfig": {"policies": {"rate-limit": [{"action": {"limits": [{"zoneSize": "10M"}]}}]}}}`

  it('that cannot be read is reported, once', () => {
    expect(rulesIn(BODY.slice(0, -2), 'body.json')).toEqual(['document/syntax'])
    expect(rulesIn('policies:\n  rate-limit:\n  - systemMetadata: {context: proxy\n')).toEqual(['document/syntax'])
  })

  it('with a key that is there twice is reported, and judged with the last one', () => {
    const twice = BODY.replace('"zoneSize"', '"zoneSize": "1M", "zoneSize"')
    expect(rulesIn(twice, 'body.json')).toContain('document/duplicate-key')
  })

  it('that is filled in later is not judged there', () => {
    expect(
      rulesIn(
        'policies: {rate-limit: [{action: {returnCode: 429, limits: [{rate: "${RATE}", rateLimitBy: uri, zoneSize: 1M}]}}]}',
      ),
    ).toEqual([])
    expect(judge('proxyConfig:\n  policies:\n    rate-limit: {{ .Values.limits }}\n').notJudged).toMatchObject([
      { reason: expect.stringContaining('a template') },
    ])
  })

  it('is found by its words, whatever stands between them', () => {
    const mentions = mentionsIn(SYSTEMS)
    for (const text of ['"rate-limit":[]', "'rate-limit' : []", 'rate-limit:\n- {}', 'a: {rate-limit: []}'])
      expect(text, text).toMatch(mentions)
    for (const text of ['rate-limiting: a', 'rate_limit: a', 'no rate-limit here', 'x-rate-limited: 1'])
      expect(text, text).not.toMatch(mentions)
  })
})

it('suppressions hold for bodies as for manifests', () => {
  const text = `policies:\n  rate-limit:\n  - action:\n      returnCode: 444 # sluice-disable-line api-management/return-code-effect -- the gateway drops them\n      limits: [${LIMITS}]\n`
  expect(judge(text)).toMatchObject({ findings: [], suppressed: [{ rule: 'api-management/return-code-effect' }] })
})

it('a body that has no text is named by its own name', () => {
  const object = { name: 'menu', policies: { 'rate-limit': [{ action: { returnCode: 429, limits: [] } }] } }
  expect(lint([{ object }]).report.findings).toMatchObject([{ rule: 'api-management/limits', file: 'menu' }])
})

it('a body before and after a change is the same body: it is compared, and no rule objects to a new key', () => {
  const text = (by: string) =>
    `name: a\nproxyConfig: {policies: {rate-limit: [{action: {returnCode: 429, limits: [{rate: 10r/s, rateLimitBy: ${by}, zoneSize: 10M}]}}]}}\n`
  const { report, faults } = lint([{ file: 'a.yaml', text: text('uri') }], {
    previous: [{ file: 'a.yaml', text: text('client.ip') }],
  })
  expect({ findings: report.findings, faults }).toEqual({ findings: [], faults: [] })
})
