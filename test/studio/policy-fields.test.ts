/** What the editor knows of the fields of a RateLimitPolicy. */
import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import {
  blockPlace,
  type FieldSchema,
  fieldAt,
  proposals,
  valuesOf,
} from '../../src/studio/playground/policy-fields.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

type Crd = {
  readonly spec: { readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: FieldSchema } }] }
}

const crd = load(readFileSync(new URL('../../schemas/ratelimitpolicy.crd.yaml', import.meta.url), 'utf8')) as Crd
const SCHEMA = crd.spec.versions[0].schema.openAPIV3Schema

const POLICY = cases<string>('POLICY')

/** The place behind the first lines of the policy, and behind what is typed then. */
const placeAfter = (line: string, typed: string) =>
  blockPlace(POLICY.slice(0, POLICY.indexOf(line) + line.length) + typed)
const proposed = (line: string, typed: string) => proposals(SCHEMA, placeAfter(line, typed)).map(({ text }) => text)

describe('the place of a line', () =>
  each<[string, string, readonly (string | number)[]]>('behind %s%s is by its indentation', (line, typed, path) =>
    expect(placeAfter(line, typed).path).toEqual(path),
  ))

describe('what may be written', () => {
  it('are the fields of a limit', () => {
    expect(proposed('burst: 1', '\n        ')).toEqual(
      expect.arrayContaining(['key: ', 'rate: ', 'zoneSize: ', 'burst: ', 'delay: ', 'noDelay: ']),
    )
    expect(proposed('burst: 1', '\n    ')).toEqual(['dryRun: ', 'logLevel: ', 'rejectCode: ', 'local:'])
  })

  it('are the values of a field', () => {
    expect(proposed('burst: 1', '\n    logLevel: ')).toEqual(['info', 'notice', 'warn', 'error'])
    expect(proposed('burst: 1', '\n    dryRun: t')).toEqual(['true', 'false'])
    expect(proposed('burst: 1', '\n      - key: $')).toContain('$binary_remote_addr')
    expect(proposed('kind: HTTPRoute', '\n  - kind: ')).toEqual(['Gateway', 'HTTPRoute', 'GRPCRoute'])
    expect(proposed('burst: 1', '\n---\nkind: ')).toContain('RateLimitPolicy')
    expect(proposed('burst: 1', '\n    unknown: ')).toEqual([])
  })
})

it('a field has its description and its values', () => {
  const field = fieldAt(SCHEMA, ['spec', 'rateLimit', 'rejectCode'])
  expect(field?.description).toContain('HTTP status of rejected requests')
  expect(field && valuesOf(field)).toBe('integer from 400 to 599')
  expect(fieldAt(SCHEMA, ['spec', 'rateLimit', 'local', 'rules', 3, 'rate'])?.type).toBe('string')
})
