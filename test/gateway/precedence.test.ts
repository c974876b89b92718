import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outcomeOf } from '../../src/gateway/conflicts/outcome.ts'
import { participates, resolveConflicts, settingsOf } from '../../src/gateway/conflicts/precedence.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { gateway, policy, route, world } from './objects.ts'

const names = (policies: Iterable<PolicyView>) => [...policies].map(({ identity }) => identity.name)

/** A policy that conflicts with every other one of these. */
const rival = (name: string, created?: string) => policy(name, { created, settings: { dryRun: true } })

/** The preferred one of two rivals, and what decides. */
function preferred(rivals: readonly PolicyView[], existedBefore?: (policy: PolicyView) => boolean): string {
  const { ranking, conflicts } = resolveConflicts(rivals, 'same-field', existedBefore)
  const [conflict] = [...conflicts.values()].flat()
  return `${names(ranking)[0]} by ${conflict?.decidedBy}`
}

describe('of two policies', () => {
  const AT = '2025-01-01T00:00:00Z'
  it.each([
    ['the older one is preferred', ['2025-01-01T00:00:01Z', AT], 'b by age'],
    ['time zones are taken into account', ['2025-01-01T01:00:00+02:00', AT], 'a by age'],
    ['fractions of a second do not count', ['2025-01-01T00:00:00.999Z', AT], 'a by name'],
    ['in the same second, the first by name is preferred', [AT, AT], 'a by name'],
    ['without times, the first by name is assumed', [undefined, undefined], 'a by assumed'],
    ['one without a time counts as the younger, by assumption', [undefined, AT], 'b by dated'],
    ['a time without a zone counts as no time', ['2025-01-01T00:00:00', '2025-01-01'], 'a by assumed'],
    ['one without a zone counts as the younger', ['2024-01-01T00:00:00', AT], 'b by dated'],
    [
      'a time in a comment is none',
      ['(2024-01-01T00:00:00Z) 2024-01-01', '2024-01-01 (2024-01-01T00:00:00Z)'],
      'a by assumed',
    ],
    ['a year of more digits makes it none', ['+002024-01-01T00:00:00Z', AT], 'b by dated'],
    ['an invalid time counts as no time', ['yesterday', '2025-13-01T00:00:00Z'], 'a by assumed'],
  ])('%s', (_, [createdA, createdB], expected) => {
    const [a, b] = [rival('a', createdA), rival('b', createdB)]
    expect(preferred([a, b])).toBe(expected)
    expect(preferred([b, a])).toBe(expected)
  })

  it('the one that existed before the change is preferred where times are not known', () => {
    const [a, b] = [rival('a'), rival('b')]
    expect(preferred([a, b], (one) => one === b)).toBe('b by age')
    expect(preferred([a, b], () => true)).toBe('a by assumed')
  })

  it('a known time decides where the other one existed before; that they disagree makes it an assumption', () => {
    const [dated, undated] = [rival('dated', AT), rival('undated')]
    expect(preferred([dated, undated], (one) => one === dated)).toBe('dated by age')
    expect(preferred([dated, undated], (one) => one === undated)).toBe('dated by dated')
  })

  it('names are compared by character code, as the controller does', () => {
    expect(preferred([rival('b.1'), rival('b-1')])).toBe('b-1 by assumed')
    expect(preferred([rival('a9'), rival('a10')])).toBe('a10 by assumed')
  })

  it('the order is total, whatever is known about them', () => {
    const time = fc.option(fc.constantFrom('2025-01-01T00:00:00Z', '2025-01-01T00:00:01Z'), { nil: undefined })
    const one = fc
      .record({ name: fc.constantFrom('a', 'b', 'c', 'd'), time, old: fc.boolean() })
      .map(({ name, time, old }) => ({ view: policy(name, { created: time }), key: `${name} ${time ?? old}`, old }))
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 5 }), fc.nat(), (all, turn) => {
        const keyOf = (view: PolicyView) => all.find((some) => some.view === view)?.key
        const existed = (view: PolicyView) => all.some((some) => some.view === view && some.old)
        const ranked = (some: typeof all) =>
          resolveConflicts(
            some.map(({ view }) => view),
            'same-field',
            existed,
          ).ranking.map(keyOf)
        const turned = [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)]
        expect(ranked(turned)).toEqual(ranked(all))
        expect(ranked([...all].reverse())).toEqual(ranked(all))
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
    expect(participates(policy('a', { settings }))).toBe(true)
  })

  it.each([
    { dryRun: 'yes' },
    { logLevel: 'debug' },
    { rejectCode: 200 },
    { rejectCode: 429.5 },
    { rejectCode: '429' },
  ])('never in a policy that the API server rejects: %j', (settings) =>
    expect(participates(policy('a', { settings: { ...settings } }))).toBe(false),
  )
})

describe('policies on one target', () => {
  const [a, b, c] = [
    policy('a', { settings: { dryRun: true } }),
    policy('b', { settings: { dryRun: true, logLevel: 'warn' } }),
    policy('c', { settings: { logLevel: 'warn' } }),
  ]

  it('are rejected because of those before them that set the same field; a rejected policy rejects no other', () => {
    const { ranking, conflicts } = resolveConflicts([c, b, a], 'same-field')
    expect(names(ranking)).toEqual(['a', 'b', 'c'])
    expect(names(conflicts.keys())).toEqual(['b'])
    expect(conflicts.get(b)).toEqual([{ preferred: a, fields: ['dryRun'], decidedBy: 'assumed' }])
  })

  it('can conflict with several at once', () => {
    const last = policy('z', { settings: { dryRun: false, logLevel: 'info', rejectCode: 400 } })
    expect(resolveConflicts([last, a, c], 'same-field').conflicts.get(last)).toEqual([
      { preferred: a, fields: ['dryRun'], decidedBy: 'assumed' },
      { preferred: c, fields: ['logLevel'], decidedBy: 'assumed' },
    ])
  })

  it('all conflict with the first that sets any field in mode any-field', () => {
    const [plain, late] = [policy('0'), policy('d')]
    const { conflicts } = resolveConflicts([late, c, b, a, plain], 'any-field')
    expect(names(conflicts.keys())).toEqual(['b', 'c', 'd'])
    expect(conflicts.get(late)).toEqual([{ preferred: a, fields: ['dryRun'], decidedBy: 'assumed' }])
  })

  it('do not conflict with one that the API server rejects', () => {
    const invalid = policy('0', { settings: { dryRun: true, logLevel: 'loud' } })
    expect(resolveConflicts([invalid, a], 'same-field').conflicts.size).toBe(0)
  })
})

describe('the outcome for a policy', () => {
  const settings = { rejectCode: 429 }
  const first = policy('1', { on: ['HTTPRoute coffee'], settings })
  const second = policy('2', { on: ['HTTPRoute coffee', 'HTTPRoute tea'], settings })
  const third = policy('3', { on: ['HTTPRoute tea'], settings })
  const other = policy('0', { on: ['HTTPRoute juice'], settings })
  const routes = ['coffee', 'tea', 'milk', 'juice'].map((name) => route(name))

  it('is decided on all its targets together', () => {
    const lookups = world({ routes, policies: [first, second, other] })
    expect(outcomeOf(first, lookups, 'same-field')).toEqual({ state: 'accepted' })
    expect(outcomeOf(second, lookups, 'same-field')).toMatchObject({
      state: 'rejected',
      conflicts: [{ kind: 'HTTPRoute', name: 'coffee', preferred: first }],
    })
  })

  it('depends on the order of targets where the preferred policy is rejected on another target', () => {
    const lookups = world({ routes, policies: [first, second, third] })
    expect(outcomeOf(third, lookups, 'same-field')).toMatchObject({
      state: 'undetermined',
      chains: [{ conflict: { preferred: second, name: 'tea' }, next: { preferred: first, name: 'coffee' } }],
    })
  })

  it('does not depend on order where another preferred policy has no conflict', () => {
    const firm = policy('0', { on: ['HTTPRoute milk'], settings })
    const both = policy('3', { on: ['HTTPRoute tea', 'HTTPRoute milk'], settings })
    const lookups = world({ routes, policies: [first, second, both, firm] })
    expect(outcomeOf(both, lookups, 'same-field')).toMatchObject({
      state: 'rejected',
      conflicts: [{ preferred: firm }],
    })
  })

  it('is never decided by policies of another namespace, another kind of target, or in another namespace of a target', () => {
    const lookups = world({
      routes,
      gateways: [gateway('coffee')],
      policies: [
        first,
        policy('0', { on: ['HTTPRoute coffee'], settings, namespace: 'cafe' }),
        policy('00', { on: ['Gateway coffee'], settings }),
        policy('000', { on: ['HTTPRoute coffee cafe'], settings }),
        policy('0000', { on: ['HTTPRoute coffee'], settings, namespace: undefined }),
      ],
    })
    expect(outcomeOf(first, lookups, 'same-field')).toEqual({ state: 'accepted' })
  })

  it('is not decided by an identity that appears twice', () => {
    const lookups = world({ routes, policies: [first, policy('0', { settings }), policy('0', { settings })] })
    expect(outcomeOf(first, lookups, 'same-field')).toEqual({ state: 'accepted' })
  })
})
