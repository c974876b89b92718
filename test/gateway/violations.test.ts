/** Violations of the published schema: one for each mistake, none for what follows from it. */
import { describe, expect, it } from 'vitest'
import { readPolicy } from '../../src/gateway/objects/policy.ts'
import { isMisspelt, mayBeMisspelt, missingLimits, violations } from '../../src/gateway/schema/violations.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'
import { policyOf, policyWith } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

const target = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }
const limit = { key: '$binary_remote_addr', rate: '10r/s' }

const policy = (spec: JsonObject, rest: JsonObject = {}): JsonObject => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name: 'coffee' },
  spec,
  ...rest,
})
const withLimit = (own: JsonObject): JsonObject =>
  policy({ targetRefs: [target], rateLimit: { local: { rules: [{ ...limit, ...own }] } } })

const found = (object: JsonObject) => violations({ object }).map(({ pointer, keyword }) => `${keyword} ${pointer}`)
const FIRST_LIMIT = '/spec/rateLimit/local/rules/0'

describe('violations', () => {
  each<[string, { limit: JsonObject } | { spec: JsonObject; rest?: JsonObject }, readonly string[]]>(
    'of a policy: %s',
    (_, parts, expected) =>
      expect(found('limit' in parts ? withLimit(parts.limit) : policy(parts.spec, parts.rest))).toEqual(expected),
  )

  it.each<readonly [string, JsonObject, string]>([
    ['misspelt', policy({ targetRef: [target] }), '/spec/targetRef'],
    ['in other letters', withLimit({ rate: undefined, RATE: '10r/s' }), `${FIRST_LIMIT}/RATE`],
    ['one level too high', policy({}, { targetRefs: [target] }), '/targetRefs'],
    ['left without its parent', { kind: 'RateLimitPolicy', targetRefs: [target] }, '/targetRefs'],
  ])('name a field once that is missing because it is %s', (_, object, pointer) =>
    expect(found(JSON.parse(JSON.stringify(object)))).toEqual([`additionalProperties ${pointer}`]),
  )

  it('do not mean a field that is there already', () =>
    expect(violations({ object: withLimit({ rates: '5r/s' }) })[0]?.meant).toBeUndefined())

  it('show where a field belongs', () => {
    const object = policy({ targetRefs: [target], rateLimit: { local: { rejectCode: 429, rules: [limit] }, burst: 5 } })
    expect(violations({ object }).map(({ meant }) => meant)).toEqual(cases('show where a field belongs'))
  })

  it('show whether a field is misspelt somewhere', () => {
    const object = policy({ targetRefs: [target] }, { metadata: { Name: 'coffee' } })
    expect(isMisspelt({ object }, '/metadata/name')).toBe(true)
    expect(isMisspelt({ object }, '/metadata/namespace')).toBe(false)
  })

  it('are computed once for each object', () => {
    const object = withLimit({ burst: '5' })
    expect(violations({ object })).toBe(violations({ object }))
  })
})

const LIMIT = { key: '$host', rate: '10r/s' }
const BURST = '/spec/rateLimit/local/rules/0/burst'

describe('a field that seems to be missing', () => {
  it('may be an unknown one beside it', () => {
    expect(mayBeMisspelt(policyOf({ ...LIMIT, Burst: 5 }), BURST)).toBe(true)
    expect(mayBeMisspelt(policyOf({ ...LIMIT, queue: 5 }), BURST)).toBe(true)
    expect(mayBeMisspelt(policyOf({ ...LIMIT, 'a/b': 5 }), BURST)).toBe(true)
  })

  it('may be one in a wrong place', () => {
    expect(mayBeMisspelt(policyWith({ rateLimit: { burst: 5, local: { rules: [LIMIT] } } }), BURST)).toBe(true)
    expect(mayBeMisspelt(policyWith({ rateLimit: { rules: [LIMIT] } }), '/spec/rateLimit/local/rules')).toBe(true)
  })

  it('is missing where all others are known', () => {
    expect(mayBeMisspelt(policyOf(LIMIT), BURST)).toBe(false)
    expect(mayBeMisspelt(policyOf({ ...LIMIT, delay: 5 }), BURST)).toBe(false)
  })

  it('is missing where only another limit has an unknown field', () =>
    expect(mayBeMisspelt(policyOf(LIMIT, { ...LIMIT, Burst: 5 }), BURST)).toBe(false))
})

describe('a policy without limits', () => {
  each<[JsonObject, string, readonly string[]]>('%j lacks %s and has the settings %j', (spec, pointer, settings) => {
    const empty = missingLimits(policyWith(spec))
    expect(empty?.at.pointer).toBe(pointer)
    expect(empty?.settings).toEqual(settings)
  })

  each<[{ rateLimit?: string | readonly never[] | JsonObject; ratelimit?: JsonObject }]>(
    'is not %j: another mistake stands there, or a limit',
    (spec) => expect(missingLimits(policyWith(spec))).toBeUndefined(),
  )

  it('is not examined without spec', () => {
    expect(missingLimits(readPolicy({ kind: 'RateLimitPolicy' }))).toBeUndefined()
    expect(missingLimits(readPolicy({ kind: 'RateLimitPolicy', spec: [] }))).toBeUndefined()
  })
})
