import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, fateOf, lossesOf, resolve, settingsOf, takesPart } from '../../src/gateway/conflicts/precedence.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { policy, world } from './objects.ts'

const names = (policies: Iterable<PolicyView>) => [...policies].map(({ identity }) => identity.name)

describe('of two policies', () => {
  const AT = '2025-01-01T00:00:00Z'
  it.each([
    ['the older one wins', ['2025-01-01T00:00:01Z', AT], 'b by age'],
    ['zones of time are reckoned', ['2025-01-01T01:00:00+02:00', AT], 'a by age'],
    ['parts of a second do not count', ['2025-01-01T00:00:00.999Z', AT], 'a by name'],
    ['of one second, the first by name wins', [AT, AT], 'a by name'],
    ['without times, the first by name is assumed', [undefined, undefined], 'a by assumed'],
    ['one without a time counts as the younger, by assumption', [undefined, AT], 'b by assumed'],
    ['what is no time is none', ['yesterday', '2025-13-01T00:00:00Z'], 'a by assumed'],
  ])('%s', (_, [createdA, createdB], winner) => {
    const [a, b] = [policy('a', { created: createdA }), policy('b', { created: createdB })]
    const { sign, by } = compare(a, b)
    expect(`${sign < 0 ? 'a' : 'b'} by ${by}`).toBe(winner)
    expect(Math.sign(compare(b, a).sign)).toBe(-Math.sign(sign))
  })

  it('the one that was there before the change wins where times are not known', () => {
    const [a, b] = [policy('a'), policy('b')]
    expect(compare(a, b, (one) => one === b)).toMatchObject({ sign: 1, by: 'age' })
    expect(compare(a, b, () => true)).toMatchObject({ sign: -1, by: 'assumed' })
  })

  it('letters are compared by code, as the controller does', () => {
    expect(compare(policy('b-1'), policy('b.1')).sign).toBeLessThan(0)
    expect(compare(policy('a10'), policy('a9')).sign).toBeLessThan(0)
  })

  it('the order is total, whatever is known of them', () => {
    const time = fc.option(fc.constantFrom('2025-01-01T00:00:00Z', '2025-01-01T00:00:01Z'), { nil: undefined })
    const one = fc
      .record({ name: fc.constantFrom('a', 'b', 'c', 'd'), time, old: fc.boolean() })
      .map(({ name, time, old }) => ({ view: policy(name, time ? { created: time } : {}), old }))
    fc.assert(
      fc.property(one, one, one, (a, b, c) => {
        const isOld = (view: PolicyView) => [a, b, c].some((some) => some.view === view && some.old)
        const order = (left: typeof a, right: typeof a) => Math.sign(compare(left.view, right.view, isOld).sign)
        expect(order(a, b) + order(b, a)).toBe(0)
        if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

describe('a setting counts', () => {
  it.each([
    [{ dryRun: false }, ['dryRun']],
    [{ dryRun: null, logLevel: 'warn' }, ['logLevel']],
    [{ rejectCode: 599, dryRun: true, logLevel: 'info' }, ['dryRun', 'logLevel', 'rejectCode']],
    [{}, []],
  ])('of %j: %j', (settings, fields) => {
    expect(settingsOf(policy('a', { settings }))).toEqual(fields)
    expect(takesPart(policy('a', { settings }))).toBe(true)
  })

  it.each([
    { dryRun: 'yes' },
    { logLevel: 'debug' },
    { rejectCode: 200 },
    { rejectCode: 429.5 },
    { rejectCode: '429' },
  ])('never in a policy that the API server refuses: %j', (settings) =>
    expect(takesPart(policy('a', { settings: { ...settings } }))).toBe(false),
  )
})

describe('policies on one target', () => {
  const [a, b, c] = [
    policy('a', { settings: { dryRun: true } }),
    policy('b', { settings: { dryRun: true, logLevel: 'warn' } }),
    policy('c', { settings: { logLevel: 'warn' } }),
  ]

  it('are dropped by those before them that set one same field; who is dropped drops nobody', () => {
    const { ranking, losses } = resolve([c, b, a], 'same-field')
    expect(names(ranking)).toEqual(['a', 'b', 'c'])
    expect(names(losses.keys())).toEqual(['b'])
    expect(losses.get(b)).toEqual([{ winner: a, fields: ['dryRun'], by: 'assumed' }])
  })

  it('lose to several at once', () => {
    const last = policy('z', { settings: { dryRun: false, logLevel: 'info', rejectCode: 400 } })
    expect(resolve([last, a, c], 'same-field').losses.get(last)).toEqual([
      { winner: a, fields: ['dryRun'], by: 'assumed' },
      { winner: c, fields: ['logLevel'], by: 'assumed' },
    ])
  })

  it('all lose to the first that sets any field, where that is the reading', () => {
    const [plain, late] = [policy('0'), policy('d')]
    const { losses } = resolve([late, c, b, a, plain], 'any-field')
    expect(names(losses.keys())).toEqual(['b', 'c', 'd'])
    expect(losses.get(late)).toEqual([{ winner: a, fields: ['dryRun'], by: 'assumed' }])
  })

  it('do not meet one that the API server refuses', () => {
    const refused = policy('0', { settings: { dryRun: true, logLevel: 'loud' } })
    expect(resolve([refused, a], 'same-field').losses.size).toBe(0)
  })
})

describe('what becomes of a policy', () => {
  const settings = { rejectCode: 429 }
  const first = policy('1', { on: ['HTTPRoute coffee'], settings })
  const second = policy('2', { on: ['HTTPRoute coffee', 'HTTPRoute tea'], settings })
  const third = policy('3', { on: ['HTTPRoute tea'], settings })
  const other = policy('0', { on: ['HTTPRoute juice'], settings })

  it('is decided on all its targets together', () => {
    const { policies } = world({ policies: [first, second, other] })
    expect(fateOf(first, policies, 'same-field')).toEqual({ state: 'kept' })
    expect(fateOf(second, policies, 'same-field')).toMatchObject({
      state: 'dropped',
      losses: [{ kind: 'HTTPRoute', name: 'coffee', winner: first }],
    })
  })

  it('depends on order where the winner loses elsewhere', () => {
    const { policies } = world({ policies: [first, second, third] })
    expect(fateOf(third, policies, 'same-field')).toMatchObject({
      state: 'undetermined',
      links: [{ loss: { winner: second, name: 'tea' }, beyond: { winner: first, name: 'coffee' } }],
    })
  })

  it('does not depend on order where another winner stands firm', () => {
    const firm = policy('0', { on: ['HTTPRoute milk'], settings })
    const both = policy('3', { on: ['HTTPRoute tea', 'HTTPRoute milk'], settings })
    const { policies } = world({ policies: [first, second, both, firm] })
    expect(fateOf(both, policies, 'same-field')).toMatchObject({ state: 'dropped', losses: [{ winner: firm }] })
  })

  it('is never decided by policies of another namespace, another kind of target, or in another namespace of a target', () => {
    const { policies } = world({
      policies: [
        first,
        policy('0', { on: ['HTTPRoute coffee'], settings, namespace: 'cafe' }),
        policy('00', { on: ['Gateway coffee'], settings }),
        policy('000', { on: ['HTTPRoute coffee cafe'], settings }),
        policy('0000', { on: ['HTTPRoute coffee'], settings, namespace: undefined }),
      ],
    })
    expect(lossesOf(first, policies, 'same-field')).toEqual([])
  })

  it('is not decided by an identity that appears twice', () => {
    const { policies } = world({ policies: [first, policy('0', { settings }), policy('0', { settings })] })
    expect(fateOf(first, policies, 'same-field')).toEqual({ state: 'kept' })
  })
})
