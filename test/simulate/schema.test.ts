/** The JSON of `sluice simulate` is a contract: schemas/simulate.schema.json. */
import { readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { createShop, GATEWAY, json, LOG, line, policy, ROUTES, route, write } from './shop.ts'

createShop()

const SCHEMA = JSON.parse(readFileSync(new URL('../../schemas/simulate.schema.json', import.meta.url), 'utf8'))
const ajv = new Ajv.default({ allErrors: true, strictTypes: false })
addFormats.default(ajv)
const validate = ajv.compile(SCHEMA)

/** What is wrong with the report of a command line. */
async function errorsOf(argv: string, stdin?: Iterable<Uint8Array>) {
  const report = await json(argv, stdin)
  validate(report)
  return { report, errors: validate.errors ?? [] }
}

describe('the schema describes the report', () => {
  it.each([
    'k8s --log access.log',
    'k8s --log access.log --spread none --top 1',
    'k8s --log access.log --compare old',
    'old --log access.log --compare k8s',
    'k8s --log bad.log',
    'k8s --log access.log --route HTTPRoute/coffee',
    'k8s --clients 4 --rate 2r/s --for 10s',
    'k8s --clients 4 --rate 2r/s --for 10s --shape poisson --path /coffee --compare old',
    'k8s --clients 1 --rate 1r/m --for 500ms --route Gateway/edge',
    'hop --log access.log --composition inherit',
    'hop --log access.log',
    'small --log many.log --log-format combined',
    'alone --log access.log',
  ])('of %s', async (argv) => {
    write('old/all.yaml', `${GATEWAY}---${ROUTES}${policy('tea', ['HTTPRoute', 'coffee'], '{key: all, rate: 1r/m}')}`)
    write('bad.log', `garbage\n${LOG}`)
    write(
      'many.log',
      Array.from({ length: 500 }, (_, index) => line(`2001:db8::${index}`, 1, 'GET / HTTP/1.1')).join(''),
    )
    write(
      'hop/all.yaml',
      `${GATEWAY}---${ROUTES}` +
        policy('edge', ['Gateway', 'edge'], '{key: $http_x_key, rate: 2r/s, burst: 1, delay: 1}', 'rejectCode: 429,') +
        policy('coffee', ['HTTPRoute', 'coffee'], '{key: all, rate: 1r/s, burst: 2, noDelay: true}', 'dryRun: true,'),
    )
    write(
      'small/all.yaml',
      `${GATEWAY}---${route('all', '/')}${policy('small', ['HTTPRoute', 'all'], '{key: $remote_addr, rate: 1r/m, zoneSize: 32k}')}`,
    )
    write('alone/all.yaml', ROUTES + policy('coffee', ['HTTPRoute', 'coffee'], '{key: all, rate: 1r/s}'))
    expect((await errorsOf(argv)).errors).toEqual([])
  })

  it('and nothing else', async () => {
    const { report } = await errorsOf('k8s --log access.log --compare old')
    expect(validate({ ...report, more: 1 })).toBe(false)
    expect(validate({ ...report, totals: { ...report.totals, refused: 1 } })).toBe(false)
    expect(validate({ ...report, version: 2 })).toBe(false)
  })
})

it('every member has a description', () => {
  const missing: string[] = []
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    const described = 'description' in schema || ('$ref' in schema && describedAt(String(schema.$ref)))
    if (/\/properties\/[^/]+$/.test(path) && !described) missing.push(path)
    for (const [name, value] of Object.entries(schema)) visit(value, `${path}/${name}`)
  }
  const describedAt = (ref: string): boolean => 'description' in SCHEMA.$defs[ref.slice('#/$defs/'.length)]
  visit(SCHEMA, '')
  expect(missing).toEqual([])
})

it('a setting is null where it differs between the routes that share the limit', async () => {
  const onlyCode = `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: {name: tea, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: tea}]
  rateLimit: {rejectCode: 429}
---`
  const edge = policy('edge', ['Gateway', 'edge'], '{key: all, rate: 1r/s}', 'rejectCode: 430,')
  write('shared/all.yaml', `${GATEWAY}---${ROUTES}${onlyCode}${edge}`)
  const limitOf = async (composition: string) => {
    const { report, errors } = await errorsOf(`shared --log access.log --composition ${composition}`)
    expect(errors).toEqual([])
    return report.policies[0].limits[0]
  }
  expect(await limitOf('inherit')).toMatchObject({ rejectCode: null, dryRun: false })
  expect(await limitOf('stack')).toMatchObject({ rejectCode: 430, dryRun: false })
})
