import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveConflicts } from '../../src/gateway/conflicts/precedence.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'
import { policy } from './objects.ts'

const { each } = casesOf(import.meta.url)

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
  each<[string, readonly (string | undefined)[], string]>(
    '%s',
    (_, [createdA, createdB], expected) => {
      const [a, b] = [rival('a', createdA), rival('b', createdB)]
      expect(preferred([a, b])).toBe(expected)
      expect(preferred([b, a])).toBe(expected)
    },
    'of two policies',
  )

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
    holds(fc.array(one, { minLength: 2, maxLength: 5 }), fc.nat(), (all, turn) => {
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
    })
  })
})
