import { describe, expect, it } from 'vitest'
import { readPolicy } from '../../src/gateway/objects/policy.ts'
import { missingLimits } from '../../src/gateway/schema/violations.ts'
import { policyWith } from './policies.ts'

describe('a policy without limits', () => {
  it.each([
    [{}, '/spec/rateLimit', []],
    [{ rateLimit: null }, '/spec/rateLimit', []],
    [{ rateLimit: {} }, '/spec/rateLimit', []],
    [{ rateLimit: { local: null } }, '/spec/rateLimit/local', []],
    [{ rateLimit: { local: {} } }, '/spec/rateLimit/local', []],
    [{ rateLimit: { local: { rules: null } } }, '/spec/rateLimit/local/rules', []],
    [{ rateLimit: { local: { rules: [] } } }, '/spec/rateLimit/local/rules', []],
    [{ rateLimit: { dryRun: false } }, '/spec/rateLimit/local', ['dryRun']],
    [{ rateLimit: { dryRun: null, rejectCode: 429, local: {} } }, '/spec/rateLimit/local', ['rejectCode']],
    [{ rateLimit: { logLevel: 'loud', dryRun: true } }, '/spec/rateLimit/local', ['dryRun', 'logLevel']],
  ])('%j lacks %s and has the settings %j', (spec, pointer, settings) => {
    const empty = missingLimits(policyWith(spec))
    expect(empty?.at.pointer).toBe(pointer)
    expect(empty?.settings).toEqual(settings)
  })

  it.each([
    { rateLimit: { local: { rules: [{}] } } },
    { rateLimit: { local: { rules: [null] } } },
    { rateLimit: [] },
    { rateLimit: 'none' },
    { rateLimit: { local: [] } },
    { rateLimit: { local: { rules: {} } } },
    { rateLimit: { rules: [] } },
    { rateLimit: { locale: { rules: [] } } },
    { ratelimit: {} },
  ])('is not %j: another mistake stands there, or a limit', (spec) => {
    expect(missingLimits(policyWith(spec))).toBeUndefined()
  })

  it('is none without spec', () => {
    expect(missingLimits(readPolicy({ kind: 'RateLimitPolicy' }))).toBeUndefined()
    expect(missingLimits(readPolicy({ kind: 'RateLimitPolicy', spec: [] }))).toBeUndefined()
  })
})
