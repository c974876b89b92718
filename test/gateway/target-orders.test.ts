/** The outcome of conflicts, compared with looking at one target after the other in every order, as the controller may. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { outcomeOf } from '../../src/gateway/conflicts/outcome.ts'
import { policy, route, world } from './objects.ts'

const TARGETS = ['coffee', 'tea', 'juice']
const SETTINGS = { dryRun: false, logLevel: 'warn', rejectCode: 429 }
const FIELDS = ['dryRun', 'logLevel', 'rejectCode'] as const

/** A policy by its rank. */
type Plan = { readonly on: readonly string[]; readonly sets: readonly (typeof FIELDS)[number][] }

const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({ on: fc.subarray(TARGETS, { minLength: 1 }), sets: fc.subarray([...FIELDS], { minLength: 1 }) }),
  { minLength: 2, maxLength: 6 },
)

function orders<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item) => orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

/** The ranks of the policies that are rejected if the targets are looked at in this order. */
function rejectedIn(order: readonly string[], all: readonly Plan[]): ReadonlySet<number> {
  const rejected = new Set<number>()
  for (const target of order)
    for (const [rank, { on, sets }] of all.entries()) {
      const isBefore = (other: Plan, index: number) =>
        index < rank &&
        !rejected.has(index) &&
        other.on.includes(target) &&
        other.sets.some((set) => sets.includes(set))
      if (on.includes(target) && all.some(isBefore)) rejected.add(rank)
    }
  return rejected
}

it('is certain only where every order of targets agrees', () => {
  fc.assert(
    fc.property(plans, (all) => {
      const runs = orders(TARGETS).map((order) => rejectedIn(order, all))
      const policies = all.map(({ on, sets }, rank) =>
        policy(String(rank), {
          on: on.map((name) => `HTTPRoute ${name}`),
          settings: Object.fromEntries(sets.map((set) => [set, SETTINGS[set]])),
        }),
      )
      const lookups = world({ routes: TARGETS.map((name) => route(name)), policies })
      for (const [rank, one] of policies.entries()) {
        const times = runs.filter((rejected) => rejected.has(rank)).length
        const { state } = outcomeOf(one, lookups, 'same-field')
        if (state === 'accepted') expect(times).toBe(0)
        if (state === 'rejected') expect(times).toBe(runs.length)
      }
    }),
    { numRuns: 500 },
  )
})
