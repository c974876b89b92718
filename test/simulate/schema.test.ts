/** The JSON of `sluice simulate` is a contract: schemas/simulate.schema.json describes it, and no other. */
import { expect, it } from 'vitest'
import { reportOf, SCHEMA, validate } from './shop.ts'

it('the schema describes no other report', async () => {
  const report = await reportOf('k8s --log access.log --compare k8s')
  expect(validate(report)).toBe(true)
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
