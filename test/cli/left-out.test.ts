/** What `effective`, `status`, `render` and `simulate` leave out is said: in notes and in the JSON. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { effective, lint, render, simulate, status } from '../../src/index.ts'
import { createFolder, policy } from '../files/folder.ts'
import { sluice } from './run.ts'

const GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { gatewayClassName: nginx, listeners: [{ name: http, port: 80, protocol: HTTP }] }
`
const ROUTE = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: coffee, namespace: shop }
spec: { parentRefs: [{ name: edge }], rules: [{ backendRefs: [{ name: coffee, port: 80 }] }] }
`
const SHOP = `${GATEWAY}---\n${ROUTE}`

const COMMANDS = {
  effective: ['HTTPRoute/coffee'],
  status: [],
  render: [],
  simulate: ['--clients', '1', '--rate', '1r/s', '--for', '2s'],
} as const

const TWICE = 'it is defined more than once; pass only the paths that belong together'
const DEEP = `${'['.repeat(101)}${']'.repeat(101)}`

/** Each file and what is said of it. */
const CASES: Readonly<Record<string, { files: Record<string, string | Uint8Array>; notes: readonly string[] }>> = {
  'YAML that cannot be read': {
    files: { 'a.yaml': `${ROUTE.replaceAll('coffee', 'tea')}---\n${policy()}      - [\n` },
    notes: ['a.yaml:24: a bracket is never closed, so its objects are left out'],
  },
  'a kind that is hidden by an escape': {
    files: { 'a.yaml': policy().replace('RateLimitPolicy', '"RateLimit\\x50olicy"').replace('20', '[20') },
    notes: ['a.yaml:16: a bracket is never closed, so its objects are left out'],
  },
  'a document that is nested too deeply': {
    files: { 'a.yaml': `${policy()}x: ${DEEP}\n` },
    notes: ['a.yaml:19: nested deeper than 100 levels, so its objects are left out'],
  },
  'a file that is not UTF-8': {
    files: { 'a.yaml': Buffer.from(`${policy()}# caf\xe9\n`, 'latin1') },
    notes: ['a.yaml:19: not encoded in UTF-8, so its objects are left out'],
  },
  'a key that is there twice': {
    files: { 'a.yaml': policy().replace('        burst: 20', '        rate: 5r/s\n        burst: 20') },
    notes: ['a.yaml:16: duplicate key "rate": the last of its values counts'],
  },
  'a template': {
    files: {
      'a.yaml': policy({ rate: '{{ .Values.rate }}' }).replace('  name: coffee', '  name: {{ .Release.Name }}'),
    },
    notes: ['a.yaml:1: a template ({{ }}), so its objects are left out: pass what is rendered of it'],
  },
  'an object that is defined twice': {
    files: { 'a.yaml': policy(), 'b.yaml': policy({ rate: '5r/s' }) },
    notes: ['a.yaml', 'b.yaml'].map((file) => `${file}: RateLimitPolicy shop/coffee is left out: ${TWICE}`),
  },
  'a part of a kustomization that cannot be read': {
    files: { 'kustomization.yaml': 'resources: [shop.yaml, a.yaml]\n', 'a.yaml': `${policy()}      - [\n` },
    notes: ['a.yaml:19: a bracket is never closed, so its objects are left out'],
  },
  'a kustomization that cannot be built': {
    files: {
      'kustomization.yaml': 'resources: [shop.yaml, a.yaml, b.yaml]\n',
      'a.yaml': policy(),
    },
    notes: ['kustomization.yaml: the resource "b.yaml" does not exist, so what it changes is left out'],
  },
}

const schemaOf = (command: string) => {
  const schema = JSON.parse(readFileSync(new URL(`../../schemas/${command}.schema.json`, import.meta.url), 'utf8'))
  const Validator = String(schema.$schema).includes('2020-12') ? Ajv2020.default : Ajv.default
  return new Validator({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    validateFormats: false,
  }).compile(schema)
}

const shown = ({ file, line, reason }: { file: string; line?: number; reason: string }) =>
  `${file}${line === undefined ? '' : `:${line}`}: ${reason}`

describe.each(Object.entries(COMMANDS))('sluice %s', (command, args) => {
  const [target = [], flags = []] = command === 'effective' ? [args] : [[], args]
  const validate = schemaOf(command)

  it.each(Object.entries(CASES))('says that it leaves out %s', async (_, { files, notes }) => {
    const cwd = createFolder({ ...files, 'shop.yaml': SHOP })
    const text = await sluice([command, ...target, '.', ...flags], { cwd })
    expect(text.code).toBe(0)
    const lines = text.stderr.split('\n')
    for (const note of notes) expect(lines.filter((line) => line === `note: ${note}`)).toHaveLength(1)
    const { stdout } = await sluice([command, ...target, '.', ...flags, '--format', 'json'], { cwd })
    const result = JSON.parse(stdout)
    validate(result)
    expect(validate.errors ?? []).toEqual([])
    expect(result.notJudged.map(shown)).toEqual(notes)
  })

  it('leaves out nothing of what it can read, nor documents of other kinds', async () => {
    const cwd = createFolder({ 'shop.yaml': SHOP, 'a.yaml': policy(), 'b.yaml': 'kind: ConfigMap\ndata: [\n' })
    const { stdout, stderr } = await sluice([command, ...target, '.', ...flags, '--format', 'json'], { cwd })
    expect(JSON.parse(stdout).notJudged).toEqual([])
    expect(stderr).not.toContain('left out')
  })
})

it('a query that finds nothing says first what it has left out', async () => {
  const cwd = createFolder({ 'a.yaml': `${ROUTE}x: [\n` })
  for (const args of [['effective', 'HTTPRoute/coffee'], ['render'], ['simulate', ...COMMANDS.simulate]]) {
    const { code, stderr } = await sluice(args, { cwd })
    expect(stderr).toMatch(/^note: a\.yaml:5: a bracket is never closed, so its objects are left out\n/)
    expect(code).toBe(2)
  }
})

it('a file that is no manifest at all is among what is not judged, with exit code 2', async () => {
  const cwd = createFolder({ 'shop.yaml': SHOP })
  const { code, stdout } = await sluice(['status', '.', 'missing.yaml', '--format', 'json'], { cwd })
  expect(code).toBe(2)
  expect(JSON.parse(stdout).notJudged).toEqual([{ file: 'missing.yaml', reason: 'no such file or folder' }])
})

describe('the library', () => {
  const broken = [
    { file: 'shop.yaml', text: SHOP },
    { file: 'a.yaml', text: `${policy()}      - [\n` },
  ]
  const notJudged = [{ file: 'a.yaml', line: 19, reason: 'a bracket is never closed, so its objects are left out' }]

  it('has it in the values of all queries', () => {
    expect(effective(broken, 'HTTPRoute/coffee')).toMatchObject({ value: { notJudged } })
    expect(status(broken)).toMatchObject({ value: [{ notJudged }] })
    expect(render(broken)).toMatchObject({ value: { notJudged } })
    const traffic = { clients: 1, rate: '1r/s', for: '2s' }
    expect(simulate(broken, traffic)).toMatchObject({ value: { notJudged } })
    const old = notJudged.map((one) => ({ ...one, reason: `in the version to compare with, ${one.reason}` }))
    expect(simulate([{ file: 'shop.yaml', text: SHOP }], traffic, { compare: broken })).toMatchObject({
      value: { notJudged: old },
    })
  })

  it('has it beside the problem where nothing is found', () => {
    expect(effective(broken, 'HTTPRoute/tea')).toMatchObject({
      ok: false,
      problems: [{}, { path: '', message: 'a.yaml:19: a bracket is never closed, so its objects are left out' }],
    })
  })

  it('says why a kustomization cannot be built', () => {
    const sources = [
      { file: 'kustomization.yaml', text: `resources: [a.yaml]\nx: ${DEEP}\n` },
      { file: 'a.yaml', text: `${SHOP}---\n${policy()}` },
    ]
    const reason = 'nested deeper than 100 levels'
    expect(lint(sources, { kustomize: true })).toMatchObject({
      value: { notJudged: [{ file: 'kustomization.yaml', reason }] },
    })
    expect(effective(sources, 'HTTPRoute/coffee', { kustomize: true })).toMatchObject({
      value: { notJudged: [{ file: 'kustomization.yaml', reason: `${reason}, so what it changes is left out` }] },
    })
  })
})
