/** `sluice export validating-admission-policy`: what it prints, and its usage. In a cluster: test/cluster/. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { objectsIn } from './expected.ts'

const COMMAND = ['export', 'validating-admission-policy']

/** Exports with flags, and with settings. */
async function exported(flags: readonly string[] = [], settings = '') {
  const cwd = createFolder(settings === '' ? {} : { 'sluice.config.yaml': settings })
  const { code, stdout, stderr } = await sluice([...COMMAND, ...flags], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

type Exported = {
  readonly objects: readonly (JsonObject & { readonly kind: string; readonly spec: JsonObject })[]
  readonly carried: readonly { readonly rule: string; readonly severity: string; readonly policy: string }[]
  readonly notCarried: readonly { readonly rule: string; readonly reason: string }[]
}

const asJson = async (flags: readonly string[] = [], settings = ''): Promise<Exported> =>
  JSON.parse(await exported([...flags, '--format', 'json'], settings))

const bindingsOf = ({ objects }: Exported) => objects.filter(({ kind }) => kind.endsWith('Binding'))

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'

it('prints two policies with their bindings, and the same each time', async () => {
  const text = await exported()
  expect(Object.keys(objectsIn(text))).toEqual([
    'ValidatingAdmissionPolicy sluice-errors',
    'ValidatingAdmissionPolicyBinding sluice-errors',
    'ValidatingAdmissionPolicy sluice-warnings',
    'ValidatingAdmissionPolicyBinding sluice-warnings',
  ])
  expect(await exported()).toBe(text)
})

it('is the same as YAML and as JSON', async () => {
  const { objects } = await asJson()
  expect(Object.values(objectsIn(await exported()))).toEqual(objects)
})

it('carries each rule or says why not, in comments above the manifests and in JSON', async () => {
  const { carried, notCarried } = await asJson()
  const comments = (await exported()).split('\napiVersion')[0]?.replace(/\n# /g, ' ')
  for (const { rule, reason } of notCarried) expect(comments).toContain(`${rule}: ${reason}`)
  const ids = [...carried, ...notCarried].map(({ rule }) => rule)
  expect(new Set(ids)).toEqual(new Set(RULES.map(({ id }) => id)))
  expect(carried).toContainEqual(
    expect.objectContaining({ rule: KEY_CHANGE, severity: 'error', policy: 'sluice-errors' }),
  )
  const reasons = new Map(notCarried.map(({ rule, reason }) => [rule, reason]))
  expect(reasons.get('gateway/conflict')).toBe(
    'it looks up gateways, policies, routes in the cluster, and a policy sees one object only',
  )
})

it('lists the rules as a table', async () => {
  const lines = (await exported(['--list'])).split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^gateway\/rate-zero +error +sluice-errors$/))
  expect(lines).toContainEqual(expect.stringMatching(/^gateway\/conflict +- +it looks up /))
  expect(lines.filter(Boolean)).toHaveLength(RULES.length)
})

describe('follows the settings', () => {
  it('with the severities of rules, those of --rule above them', async () => {
    const { carried, notCarried } = await asJson(
      ['--rule', 'rate-zero=warning'],
      'rules: { gateway/rate-zero: "off", gateway/no-limits: error, gateway/key-quoting: "off" }\n',
    )
    const policies = new Map(carried.map(({ rule, policy }) => [rule, policy]))
    expect(policies.get('gateway/rate-zero')).toBe('sluice-warnings')
    expect(policies.get('gateway/no-limits')).toBe('sluice-errors')
    expect(notCarried).toContainEqual({ rule: 'gateway/key-quoting', reason: 'the settings switch it off' })
  })

  it('with the mode of the webhook, and --enforce above it', async () => {
    const actions = async (flags: readonly string[], settings = '') =>
      bindingsOf(await asJson(flags, settings)).map(({ spec }) => spec.validationActions)
    expect(await actions([])).toEqual([['Deny'], ['Warn']])
    expect(await actions([], 'admission: { enforce: warn }\n')).toEqual([['Warn'], ['Warn']])
    expect(await actions(['--enforce', 'deny'], 'admission: { enforce: warn }\n')).toEqual([['Deny'], ['Warn']])
    expect(await actions(['--enforce', 'audit'])).toEqual([['Audit'], ['Audit']])
  })

  it('with the page size, the API groups and the names of zones', async () => {
    const text = await exported([], 'platform: { pageSize: 65536 }\napiGroups: { vendor: acme, platform: metal }\n')
    expect(text).toContain('zone.bytes < 524288')
    expect(text).toContain("target.group != 'gateway.networking.metal.io'")
    expect(text.match(/apiGroups:\n +- .*/g)).toEqual(Array(2).fill(expect.stringMatching(/- gateway\.acme\.org$/)))
    const { notCarried } = await asJson([], 'zoneNaming: keyed\n')
    expect(notCarried).toContainEqual({
      rule: KEY_CHANGE,
      reason: 'with "zoneNaming: keyed" a changed key makes a new zone',
    })
  })

  it('with strict enforcement, which does not ask what was wrong before', async () => {
    const compares = '(one in variables.gateway_rate_zero[1])'
    expect(await exported()).toContain(compares)
    expect(await exported([], 'admission: { strict: true }\n')).not.toContain(compares)
  })

  it('and has no policy of a severity that no rule has', async () => {
    const all = RULES.map(({ id }) => `${id}: info`).join(', ')
    const { objects } = await asJson([], `rules: { ${all} }\n`)
    expect(objects).toHaveLength(2)
  })
})

it('selects namespaces by their labels', async () => {
  const flag = 'team=shop, tier!=test,gateways,!legacy'
  const [binding] = bindingsOf(await asJson(['--namespace-selector', flag]))
  const { matchResources } = binding?.spec ?? {}
  const selector = isObject(matchResources) ? matchResources.namespaceSelector : undefined
  expect(selector).toEqual({
    matchExpressions: [
      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] },
      { key: 'sluice.policy/enforce', operator: 'NotIn', values: ['off'] },
      { key: 'team', operator: 'In', values: ['shop'] },
      { key: 'tier', operator: 'NotIn', values: ['test'] },
      { key: 'gateways', operator: 'Exists' },
      { key: 'legacy', operator: 'DoesNotExist' },
    ],
  })
})

it.each([
  [[], 'what to export? write "sluice export validating-admission-policy"'],
  [
    ['validating-admission-polcy'],
    'cannot export "validating-admission-polcy"; did you mean validating-admission-policy?',
  ],
  [['everything'], 'cannot export "everything"; it exports validating-admission-policy'],
  [['validating-admission-policy', 'x'], '"sluice export validating-admission-policy" takes flags only; got "x"'],
  [['validating-admission-policy', '--enforce', 'no'], '--enforce must be one of deny, warn, audit; got "no"'],
  [['validating-admission-policy', '--list', '--format', 'json'], '--list prints a table'],
  [['validating-admission-policy', '--namespace-selector', 'a b'], 'must be labels such as team=shop'],
  [['validating-admission-policy', '--namespace-selector', '!a=b'], 'got "!a=b"'],
  [['validating-admission-policy', '--rule', 'rate-zer=off'], 'did you mean "gateway/rate-zero"?'],
])('reports what is wrong with %j', async (argv, message) => {
  const { code, stderr } = await sluice(['export', ...argv])
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})
