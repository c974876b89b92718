import { describe, expect, it } from 'vitest'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { policyOf, policyWith } from './policies.ts'

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

  it('is missing where only another limit has an unknown field', () => {
    expect(mayBeMisspelt(policyOf(LIMIT, { ...LIMIT, Burst: 5 }), BURST)).toBe(false)
  })
})
