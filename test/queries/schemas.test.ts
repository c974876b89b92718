/** The published schemas describe the JSON of effective, status, render, explain, export and doctor: they accept it, and nothing else. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { isObject } from '../../src/json/member.ts'
import { effectiveJson } from '../../src/reports/effective.ts'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { effective, gateway, policy, route } from './manifests.ts'

const cwd = new URL('../..', import.meta.url).pathname
const NAMES = ['effective', 'status', 'render', 'explain', 'export', 'doctor'] as const

const ajv = new Ajv.default({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
addFormats.default(ajv)
const schemas = new Map<string, unknown>(
  NAMES.map((name) => [
    name,
    JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')),
  ]),
)

/** What the schema of a command has against a JSON text. */
function errors(name: (typeof NAMES)[number], json: string): readonly unknown[] {
  const schema = schemas.get(name)
  if (!isObject(schema)) throw new Error(`there is no schema for ${name}`)
  const validate = ajv.compile(schema)
  validate(JSON.parse(json))
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
}

const perClient = (rate: string, more: object = {}) => ({ key: '$binary_remote_addr', rate, zoneSize: '10m', ...more })

/** Manifests with a conflict, an invalid policy, a Gateway that rejects the route, and every kind of key. */
const SHOP = [
  gateway('edge'),
  gateway('narrow', { hostname: 'other.example' }),
  route('coffee', {
    hostnames: ['coffee.example'],
    parentRefs: ['edge', 'narrow', 'gone', 'far'].map((name) => ({ name })),
  }),
  route('orders', {}, 'GRPCRoute'),
  policy('edge', ['Gateway/edge'], { rejectCode: 429, logLevel: 'info' }, [perClient('100r/s', { burst: 5 })]),
  policy('a', ['HTTPRoute/coffee', 'GRPCRoute/orders'], { rejectCode: 444, dryRun: true }, [
    perClient('10r/s', { burst: 20, delay: 5 }),
    { key: 'everyone', rate: '60r/m', zoneSize: '10m' },
    { key: '$http_x_key', rate: '1r/s', zoneSize: '10m' },
  ]),
  policy('b', ['HTTPRoute/coffee'], { rejectCode: 429 }),
  policy('c', ['HTTPRoute/coffee'], {}, [{ key: '$unknown_variable', rate: '1r/s', zoneSize: '10m' }]),
  policy('wrong', ['HTTPRoute/coffee'], { rejectCode: 200 }, [{ key: '$uri' }]),
]

describe('schemas/effective.schema.json', () => {
  const targets = ['HTTPRoute/coffee', 'GRPCRoute/orders', 'Gateway/edge', 'Gateway/far', 'Gateway/narrow']

  it.each(targets)('accepts the result for %s', (target) => {
    const more = target === 'Gateway/far' ? [policy('far', ['Gateway/far'])] : []
    for (const closedWorld of [true, false])
      for (const composition of ['stack', 'inherit'] as const) {
        const result = effective(target, [...SHOP, ...more], { closedWorld, settings: { composition } })
        expect(errors('effective', effectiveJson(result))).toEqual([])
      }
  })

  it('is tried with conflicts, replaced limits, dry runs and rejections', () => {
    const { requestPaths, rejectedBy, invalidPolicies } = effective('HTTPRoute/coffee', SHOP, {
      settings: { composition: 'inherit' },
    })
    const [path] = requestPaths
    expect(path).toMatchObject({ conflicts: [{}], replaced: [{}], limits: [{ dryRun: true }, {}, {}] })
    expect(rejectedBy.map(({ reason }) => reason)).toEqual(['hostname', 'absent', 'absent'])
    expect(invalidPolicies).toHaveLength(2)
  })

  it('accepts the output of the command', async () => {
    const { stdout } = await sluice(['effective', 'HTTPRoute/coffee', 'examples/shop', '--format=json'], { cwd })
    expect(errors('effective', stdout)).toEqual([])
  })

  it('rejects a member that it does not know, and one that is missing', () => {
    const result = effective('HTTPRoute/coffee', SHOP)
    expect(errors('effective', JSON.stringify({ ...result, behind: [] }))).toHaveLength(1)
    expect(errors('effective', JSON.stringify({ ...result, complete: undefined }))).toHaveLength(1)
  })
})

describe('schemas/status.schema.json', () => {
  it('accepts the output of the command', async () => {
    const { stdout } = await sluice(['status', 'examples/shop', '--format=json'], { cwd })
    expect(errors('status', stdout)).toEqual([])
    const generation = { ...gateway('edge'), metadata: { name: 'edge', namespace: 'shop', generation: 3 } }
    const folder = createFolder({ 'all.json': JSON.stringify({ kind: 'List', items: [...SHOP.slice(1), generation] }) })
    const shop = await sluice(['status', '--format=json'], { cwd: folder })
    expect(errors('status', shop.stdout)).toEqual([])
    expect(shop.stdout).toContain('"reason": "Conflicted"')
    const again = await sluice(['status', '-', '--format=json', '--controller-name=example.com/ours'], {
      cwd: folder,
      stdin: shop.stdout,
    })
    expect(errors('status', again.stdout)).toEqual([])
  })

  it('rejects a policy without ancestors', () => {
    const item = { apiVersion: 'v1', kind: 'RateLimitPolicy', metadata: {}, status: {} }
    expect(errors('status', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item] }))).not.toEqual([])
  })
})

it('schemas/render.schema.json accepts the output of the command', async () => {
  const folder = createFolder({ 'all.json': JSON.stringify({ kind: 'List', items: SHOP }) })
  for (const argv of [[], ['--complete'], ['--gateway=far']]) {
    const { stdout } = await sluice(['render', '--format=json', ...argv], { cwd: folder })
    expect(errors('render', stdout)).toEqual([])
  }
})

it('schemas/explain.schema.json accepts the text of every rule', async () => {
  const { stdout } = await sluice(['explain', ...RULES.map(({ id }) => id), '--format=json'])
  expect(errors('explain', stdout)).toEqual([])
  expect(JSON.parse(stdout).rules).toHaveLength(RULES.length)
})

it('schemas/export.schema.json accepts the output of the command', async () => {
  const { stdout } = await sluice(['export', 'validating-admission-policy', '--format=json'])
  expect(errors('export', stdout)).toEqual([])
  const { carried, notCarried } = JSON.parse(stdout)
  const rules = [...carried, ...notCarried].map(({ rule }: { readonly rule: string }) => rule)
  expect([...new Set(rules)].sort()).toEqual(RULES.map(({ id }) => id).sort())
})

it('schemas/doctor.schema.json accepts what it says of manifests, without and with a mistake', async () => {
  const { stdout } = await sluice(['manifests', '--mesh'])
  for (const [code, stdin] of [stdout, stdout.replace('- UPDATE', '- CONNECT')].entries()) {
    const said = await sluice(['doctor', '-', '--format=json'], { stdin })
    expect([errors('doctor', said.stdout), said.code]).toEqual([[], code])
  }
})

/** Every schema within a schema. */
function* subschemas(schema: unknown): Iterable<Readonly<Record<string, unknown>>> {
  if (Array.isArray(schema)) for (const one of schema) yield* subschemas(one)
  if (!isObject(schema)) return
  yield schema
  for (const one of Object.values(schema)) yield* subschemas(one)
}

describe.each(NAMES)('schemas/%s.schema.json', (name) => {
  const all = [...subschemas(schemas.get(name))]

  it('describes every member, and every object that is not from a manifest is closed', () => {
    const properties = all.flatMap((schema) => (isObject(schema.properties) ? Object.entries(schema.properties) : []))
    const bare = properties.filter(
      ([, property]) => isObject(property) && !('description' in property || '$ref' in property || 'const' in property),
    )
    expect(bare.filter(([member]) => member !== 'kind').map(([member]) => member)).toEqual([])
    const open = all.filter((schema) => isObject(schema.properties) && schema.type === 'object')
    if (name !== 'status') expect(open.filter((schema) => schema.additionalProperties !== false)).toEqual([])
  })
})
