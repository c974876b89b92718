import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { type LintOptions, lint } from '../../src/lint/lint.ts'
import type { Source } from '../../src/project/source.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'

type Parts = {
  readonly top?: string
  readonly above?: string
  readonly beside?: string
  readonly key?: string
  readonly ignore?: string
}

/** A policy whose only finding is that of its key, on a line of its own. */
const policy = ({ top = '', above = '', beside = '', key = 'everybody', ignore }: Parts) =>
  `${top === '' ? '' : `${top}\n`}apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: coffee
  namespace: shop
${ignore === undefined ? '' : `  annotations: { sluice.policy/ignore: "${ignore}" }\n`}spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
  rateLimit:
    local:
      rules:
${above === '' ? '' : `      ${above}\n`}      - key: ${key}${beside === '' ? '' : ` ${beside}`}
        rate: 10r/s
        zoneSize: 10m
`

function judged(text: string, options: LintOptions = {}, source: Partial<Source> = {}) {
  const { report, fixes, faults } = lint([{ file: 'a.yaml', text, ...source }], options)
  expect(faults).toEqual([])
  return {
    found: report.findings.map(({ rule }) => rule),
    suppressed: report.suppressed.map(({ rule, suppression: { kind, reason } }) => `${rule} ${kind}: ${reason}`),
    messages: report.findings.map(({ message }) => message),
    summary: report.summary,
    fixes,
  }
}

const CONSTANT = 'gateway/key-constant'

describe('a comment suppresses the finding that it names', () => {
  it.each([
    ['on its line', { beside: `# sluice-disable-line ${CONSTANT} -- meant` }],
    ['on the next line', { above: `# sluice-disable-next-line ${CONSTANT} -- meant` }],
    [
      'on the next line that holds something',
      {
        above: `# sluice-disable-next-line ${CONSTANT} -- meant\n\n      # words\n\n      # sluice-disable-line`,
        beside: '',
      },
    ],
    ['in its file', { top: `# sluice-disable-file ${CONSTANT} -- meant` }],
    ['without a space, among others, without commas', { beside: `#sluice-disable-line ${CONSTANT} x/y -- meant` }],
  ])('%s', (_, parts) => {
    const { found, suppressed } = judged(policy(parts))
    expect(found).not.toContain(CONSTANT)
    expect(suppressed).toEqual([`${CONSTANT} comment: meant`])
  })

  it('and counts it apart', () => {
    const { summary } = judged(policy({ beside: `# sluice-disable-line ${CONSTANT} -- meant` }))
    expect(summary).toEqual({ files: 1, documents: 1, errors: 0, warnings: 0, infos: 0, suppressed: 1 })
  })

  it('where a missing member is placed on the key of its parent', () => {
    const text = policy({ key: '$binary_remote_addr' }).replace('        zoneSize: 10m\n', '')
    const commented = text.replace(
      '- key: ',
      '# sluice-disable-next-line gateway/zone-size-implicit -- the default\n      - key: ',
    )
    expect(judged(text).found).toEqual(['gateway/zone-size-implicit'])
    expect(judged(commented)).toMatchObject({
      found: [],
      suppressed: ['gateway/zone-size-implicit comment: the default'],
    })
  })

  it('also an error, which is not fixed then', () => {
    const text = policy({ key: '$uri' }).replace('10r/s', '10R/S')
    const commented = text.replace('10R/S', '10R/S # sluice-disable-line gateway/rate-syntax -- rewritten on its way')
    expect(judged(text).fixes.size).toBe(1)
    expect(judged(commented)).toMatchObject({ found: [], fixes: new Map() })
  })

  it.each([
    ['another line', { above: `# sluice-disable-line ${CONSTANT} -- meant` }],
    ['a line further down', { top: `# sluice-disable-next-line ${CONSTANT} -- meant` }],
    ['no reason', { beside: `# sluice-disable-line ${CONSTANT}` }],
    ['an empty reason', { beside: `# sluice-disable-line ${CONSTANT} --  ` }],
    ['another rule', { beside: '# sluice-disable-line gateway/key-unique -- meant' }],
    ['a wildcard', { beside: '# sluice-disable-line gateway/* -- meant' }],
    ['a misspelt directive', { beside: `# sluice-disabled-line ${CONSTANT} -- meant` }],
  ])('and not with %s, which is reported', (_, parts) => {
    const { found, suppressed } = judged(policy(parts))
    expect(suppressed).toEqual([])
    expect([...found].sort()).toEqual(['document/suppression', CONSTANT])
  })

  it.each([`"everybody" # see sluice-disable-line`, 'everybody # sluice-webhook reads this'])(
    'other text is ignored: %s',
    (key) => expect(judged(policy({ key })).found).toEqual([CONSTANT]),
  )
})

describe('an annotation suppresses findings of its object', () => {
  it('with a reason or without', () => {
    expect(judged(policy({ ignore: CONSTANT }))).toMatchObject({ found: [], suppressed: [`${CONSTANT} annotation: `] })
    expect(judged(policy({ ignore: `${CONSTANT} -- meant` })).suppressed).toEqual([`${CONSTANT} annotation: meant`])
  })

  it('in JSON and in a List, and of no other object', () => {
    const item = (name: string, annotations: object) => ({
      apiVersion: 'gateway.nginx.org/v1alpha1',
      kind: 'RateLimitPolicy',
      metadata: { name, namespace: 'shop', annotations },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
        rateLimit: { local: { rules: [{ key: 'everybody', rate: '10r/s', zoneSize: '10m' }] } },
      },
    })
    const items = [item('coffee', { 'sluice.policy/ignore': CONSTANT }), item('tea', {})]
    const { report } = lint([{ file: 'a.json', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) }])
    expect(report.findings.map(({ object }) => object.name)).toEqual(['tea'])
    expect(report.suppressed.map(({ object }) => object.name)).toEqual(['coffee'])
  })

  it('and what is filled in later is not judged', () => {
    expect(judged(policy({ ignore: '${IGNORED}' })).found).toEqual([CONSTANT])
  })
})

describe('a suppression is unused', () => {
  const text = policy({ key: '$binary_remote_addr', beside: `# sluice-disable-line ${CONSTANT} -- meant` })
  const unused = [`sluice-disable-line suppresses no finding of ${CONSTANT}`]

  it('where its rule finds nothing', () => {
    expect(judged(text).messages).toEqual(unused)
    expect(judged(policy({ key: '$uri', ignore: CONSTANT })).messages).toEqual([
      `sluice.policy/ignore suppresses no finding of ${CONSTANT}`,
    ])
  })

  it('not where its rule is off: for all files, for this one, or as it came later', () => {
    const settings = { ...DEFAULT_SETTINGS, rules: { [CONSTANT]: 'off' as const } }
    expect(judged(text, { settings }).messages).toEqual([])
    expect(judged(text, {}, { rules: { [CONSTANT]: 'off' } }).messages).toEqual([])
    const rules = RULES.map((rule) => (rule.id === CONSTANT ? { ...rule, since: '0.9' } : rule))
    expect(judged(text, { rules, settings: { ...DEFAULT_SETTINGS, ruleset: '0.1' } }).messages).toEqual([])
  })

  it('not by a rule that needs other objects, unless the files are all there is', () => {
    const beside = '# sluice-disable-file gateway/location-shared -- meant'
    const around = policy({ key: '$uri', beside })
    expect(judged(around).messages).toEqual([])
    expect(judged(around, { closedWorld: true }).messages).toContain(
      'sluice-disable-file suppresses no finding of gateway/location-shared',
    )
  })

  it('not by a rule that compares, unless the policy has changed', () => {
    const rule = 'gateway/key-change-without-zone-resize'
    const now = policy({ key: '$uri', beside: `# sluice-disable-line ${rule} -- meant` })
    const against = (before: string) => judged(now, { previous: [{ file: 'a.yaml', text: before }] })
    expect(judged(now).messages).toEqual([])
    expect(against(policy({ key: '$uri' })).messages).toEqual([])
    expect(against(policy({ key: '$binary_remote_addr' })).suppressed).toEqual([`${rule} comment: meant`])
    expect(against(policy({ key: '$uri' }).replace('10r/s', '20r/s')).messages).toEqual([
      `sluice-disable-line suppresses no finding of ${rule}`,
    ])
  })

  it('not where the version is unknown', () => {
    expect(judged(text.replace('v1alpha1', 'v9')).found).not.toContain('document/suppression')
  })

  it('and is reported with the severity from the settings, or not at all', () => {
    const severity = (rules: LintOptions['settings'] extends undefined ? never : Source['rules']) =>
      lint([{ file: 'a.yaml', text, ...(rules ? { rules } : {}) }]).report.findings.map((one) => one.severity)
    expect(severity({ 'document/suppression': 'error' })).toEqual(['error'])
    expect(severity({ 'document/suppression': 'off' })).toEqual([])
  })
})

it('suppresses only in its own file', () => {
  const texts = [policy({ top: `# sluice-disable-file ${CONSTANT} -- meant` }), policy({})]
  const { report } = lint(texts.map((text, index) => ({ file: `${index}.yaml`, text })))
  expect(report.findings.map(({ file, rule }) => `${file} ${rule}`)).toEqual([`1.yaml ${CONSTANT}`])
})

it('takes very many comments above one line', () => {
  const stacked = Array.from({ length: 2000 }, () => `# sluice-disable-next-line ${CONSTANT} -- meant`).join('\n      ')
  const { report } = lint([{ file: 'a.yaml', text: policy({ above: stacked }) }])
  expect(report.findings).toEqual([])
  expect(report.suppressed).toHaveLength(1)
})

it('never suppresses the rules that must be reported, which exist', () => {
  for (const id of ['document/syntax', 'document/unreadable', 'document/suppression']) {
    const { found, messages } = judged(policy({ top: `# sluice-disable-file ${id} -- meant`, key: '$uri' }))
    expect(found).toEqual(['document/suppression'])
    expect(messages).toEqual([`sluice-disable-file cannot suppress ${id}`])
  }
})
