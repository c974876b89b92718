/** The JSON of `sluice simulate` is a contract: schemas/simulate.schema.json describes it, and no other. */
import { expect, it } from 'vitest'
import { SCHEMA, validate } from './schema.ts'
import { createShop, GATEWAY, json, policy, ROUTES, write } from './shop.ts'

createShop()

/** What is wrong with the report of a command line. */
async function errorsOf(argv: string) {
  const report = await json(argv)
  validate(report)
  return { report, errors: validate.errors ?? [] }
}

it('the schema describes no other report', async () => {
  const { report } = await errorsOf('k8s --log access.log --compare k8s')
  expect(validate({ ...report, more: 1 })).toBe(false)
  expect(validate({ ...report, totals: { ...report.totals, refused: 1 } })).toBe(false)
  expect(validate({ ...report, version: 2 })).toBe(false)
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
