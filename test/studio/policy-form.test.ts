/** The form of a rate limit policy: what it makes of policies, and policies of it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import {
  correlationHeaderIn,
  rateLimitsIn,
  withCorrelationHeader,
  withoutRateLimit,
  withRateLimit,
} from '../../src/studio/management/policies/body.ts'
import {
  describePolicy,
  formOf,
  newForm,
  policyOf,
  type Stipulation,
} from '../../src/studio/management/policies/form.ts'
import { LIMIT_UNITS, toRate, toZoneSize, ZONE_UNITS } from '../../src/studio/management/policies/units.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { cases, each } = casesOf(import.meta.url)

describe('a unit', () => {
  each<[string, keyof typeof LIMIT_UNITS, string]>('%s %s is %s', (limit, unit, value) =>
    expect(toRate(limit, unit)).toEqual({ value }),
  )

  each<[string, keyof typeof ZONE_UNITS, string]>(
    '%s %s is %s',
    (size, unit, value) => expect(toZoneSize(size, unit)).toEqual({ value }),
    'a unit: %s %s is %s',
  )

  each<[JsonObject, RegExp]>('that cannot be exact is refused: %j', ({ problem }, words) =>
    expect(problem).toMatch(words),
  )

  it('is exact, or the two next values that are named are', () => {
    const limits = fc.record({
      count: fc.integer({ min: 0, max: 10_000_000 }),
      unit: fc.constantFrom(...(Object.keys(LIMIT_UNITS) as (keyof typeof LIMIT_UNITS)[])),
    })
    holds(limits, ({ count, unit }) => {
      const { value, problem } = toRate(String(count), unit)
      if (value !== undefined) return Number.parseInt(value, 10) * LIMIT_UNITS[unit] === count
      const named = [...(problem ?? '').matchAll(/(\d+) per (?:minute|hour|day) \(/g)].map(([, text]) => text ?? '')
      return named.length > 0 && named.every((text) => toRate(text, unit).value !== undefined)
    })
    holds(fc.integer({ min: 0, max: 10_000_000 }), (count) => {
      const { value } = toZoneSize(String(count), 'K')
      return value === undefined || Number.parseInt(value, 10) * ZONE_UNITS.M === count
    })
  })
})

const limit = (throttle?: object) => ({
  rate: '5r/s',
  rateLimitBy: 'client.ip',
  zoneSize: '10M',
  ...(throttle ? { throttle } : {}),
})
const policy = (limits: readonly object[], action: object = {}) =>
  ({
    systemMetadata: { appliedOn: 'inbound' },
    metadata: { a: 1 },
    action: { returnCode: 429, ...action, limits },
  }) as never

describe('the form of a policy', () => {
  each<[string, JsonObject, undefined | JsonObject, string]>(
    'makes the same policy again: %s',
    (_, action, throttle, shaping) => {
      const before = policy([limit(throttle), limit()], action)
      const form = formOf(before, '')
      expect(form.stipulations[0]?.shaping).toBe(shaping)
      expect(policyOf(form, before)).toEqual({ policy: before, problems: {} })
    },
  )

  it('makes the same policy again, whatever is in it', () => {
    const count = fc.integer({ min: 1, max: 1000 })
    const throttles = fc.oneof(
      fc.record({ burst: count }),
      fc.record({ burst: count, noDelay: fc.boolean() }),
      fc.record({ burst: count, delay: count }),
    )
    const limits = fc.record({
      rate: count.map((number) => `${number}r/s`),
      zoneSize: count.map((number) => `${number}M`),
      rateLimitBy: fc.constantFrom('uri', 'consumer', 'client.ip'),
    })
    const entries = fc.array(fc.tuple(limits, fc.option(throttles)), { minLength: 1, maxLength: 4 })
    holds(entries, fc.integer({ min: 400, max: 599 }), (made, returnCode) => {
      const before = policy(
        made.map(([one, throttle]) => ({ ...one, ...(throttle ? { throttle } : {}) })),
        { returnCode },
      )
      expect(policyOf(formOf(before, ''), before)).toEqual({ policy: before, problems: {} })
    })
  })

  it('moves the throttle of a whole action to its limits', () => {
    const before = policy([limit(), limit({ burst: 2 })], { throttle: { burst: 7 } })
    const { policy: after } = policyOf(formOf(before, ''), before)
    expect(after).toEqual(policy([limit({ burst: 7 }), limit({ burst: 2 })]))
  })

  const changed = (change: Partial<Stipulation>) => {
    const form = formOf(policy([limit({ burst: 5, noDelay: true })]), '')
    const [first] = form.stipulations
    return policyOf({ ...form, stipulations: first ? [{ ...first, ...change }] : [] }, policy([]))
  }

  each<[JsonObject, undefined | JsonObject]>('writes %j as the throttle %j', (change, throttle) =>
    expect(changed(change)).toMatchObject({ policy: policy([limit(throttle)]), problems: {} }),
  )

  each<[JsonObject, string]>('says at the field what is wrong: %j', (change, at) =>
    expect(Object.keys(changed(change).problems)).toEqual([at]),
  )

  it('leaves it to the rules which number is too large, and says so where it would be another one', () => {
    expect(changed({ burst: '99999999999' })).toMatchObject({
      policy: policy([limit({ burst: 99_999_999_999, noDelay: true })]),
      problems: {},
    })
    expect(changed({ burst: '99999999999999999999' }).problems).toEqual({
      'limits/0/throttle/burst': expect.stringMatching(/^This number is too large\./),
    })
  })

  it('needs a stipulation, and codes that are numbers', () => {
    const form = { ...newForm(''), stipulations: [], fields: { returnCode: 'x', grpcStatusCode: '' } }
    expect(Object.keys(policyOf(form, {}).problems)).toEqual(['limits', 'returnCode'])
    expect(policyOf({ ...newForm(''), fields: {} }, {}).policy.action).not.toHaveProperty('returnCode')
  })

  it('is a policy of the specification when it is new', () => {
    const systemMetadata = { appliedOn: 'inbound', context: 'proxy' }
    expect(policyOf(newForm(''), { systemMetadata }).policy).toEqual({
      systemMetadata,
      action: { limits: [{ rate: '10r/s', rateLimitBy: 'client.ip', zoneSize: '10M' }], returnCode: 429 },
    })
  })

  it('is described in a few words', () =>
    expect(describePolicy(policy([limit({ burst: 9, delay: 3 }), limit({ burst: 5, noDelay: true }), limit()]))).toBe(
      '5 per second by client.ip (burst 9, delay 3); 5 per second by client.ip (burst 5, no delay); 5 per second by client.ip; else 429',
    ))
})

describe('the policies of a body', () => {
  const before = cases<JsonObject>('before')

  it('are added, replaced and removed without touching the others', () => {
    const added = withRateLimit(before, 1, { action: {} })
    expect(rateLimitsIn(added)).toHaveLength(2)
    expect(withoutRateLimit(added, 1)).toEqual(before)
    expect(withRateLimit(before, 0, { metadata: 1 })).toEqual({ ...before, 'rate-limit': [{ metadata: 1 }] })
    expect(withoutRateLimit(before, 0)).not.toHaveProperty('rate-limit')
  })

  it('have a correlation header that can be set, changed and removed', () => {
    const set = withCorrelationHeader(before, 'x-id')
    expect(set['request-correlation-id']).toEqual([{ action: { x: 1, httpHeaderName: 'x-id' } }])
    expect(correlationHeaderIn(set)).toBe('x-id')
    expect(withCorrelationHeader(set, '')).toEqual(before)
    expect(withCorrelationHeader({}, 'x-id')).toEqual({
      'request-correlation-id': [{ action: { httpHeaderName: 'x-id' } }],
    })
    expect(withCorrelationHeader(withCorrelationHeader({}, 'x-id'), '')).toEqual({})
    expect(withCorrelationHeader(before, '')).toBe(before)
  })
})
