import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DELAYED,
  decideStage,
  emptyCounters,
  type LimitState,
  PASSED,
  REJECTED,
} from '../../src/simulate/core/decision.ts'
import { createKeyTable, type KeyTable, NO_KEY } from '../../src/simulate/core/keys.ts'
import type { Slab } from '../../src/simulate/core/slab.ts'
import { createWaitHistogram } from '../../src/simulate/core/waits.ts'
import { createZoneState } from '../../src/simulate/core/zone.ts'
import { createLimit, createZone, decide, type Limit } from '../nginx/bucket.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { numberOf } from './plans.ts'

const { each } = casesOf(import.meta.url)

/** Memory for so many keys. */
function slabFor(keys: number): Slab {
  let used = 0
  return {
    allocate() {
      if (used === keys) return -1
      used += 1
      return 0
    },
    free() {
      used -= 1
    },
  }
}

type Config = { rate: number; burst: number; delay: number; noDelay: boolean; capacity: number }

function stateOf({ rate, burst, delay, noDelay, capacity }: Config, number: number, keys: KeyTable): LimitState {
  const zone = createZoneState({ rate, keys, slab: slabFor(capacity), onRemove: () => {} })
  return {
    number,
    zone,
    burst: burst * 1000,
    delay: noDelay ? Number.POSITIVE_INFINITY : delay * 1000,
    counters: emptyCounters(),
    waits: createWaitHistogram(),
    entry: 0,
    excess: 0,
  }
}

const config = fc.record({
  rate: fc.oneof(fc.constantFrom(16, 33, 500, 1000, 10_000), fc.integer({ min: 1, max: 5_000_000 })),
  burst: fc.integer({ min: 0, max: 6 }),
  delay: fc.integer({ min: 0, max: 4 }),
  noDelay: fc.boolean(),
  capacity: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1000)),
})
const request = fc.record({
  /** Mostly forward; sometimes a little back, sometimes far. */
  step: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 400 }) },
    { weight: 2, arbitrary: fc.integer({ min: 20_000, max: 200_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -2000, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: -200_000, max: -50_000 }) },
  ),
  keys: fc.array(fc.constantFrom('', 'a', 'b', 'c', '10.0.0.1', '10.0.0.2', '255.255.255.255'), {
    minLength: 3,
    maxLength: 3,
  }),
  dryRun: fc.boolean(),
})

const OUTCOME: Readonly<Record<string, number>> = {
  PASSED,
  DELAYED,
  REJECTED,
  DELAYED_DRY_RUN: PASSED,
  REJECTED_DRY_RUN: PASSED,
}

it('decides as the leaky bucket of nginx does', () =>
  holdsFor(300)(
    fc.array(config, { minLength: 1, maxLength: 3 }),
    fc.array(request, { maxLength: 200 }),
    (configs, requests) => {
      const limits: Limit[] = configs.map((one, index) =>
        createLimit(createZone({ name: `z${index}`, rate: one.rate, capacity: one.capacity }), one),
      )
      const table = createKeyTable([])
      const states = configs.map((one, index) => stateOf(one, index, table))
      const keyPositions = states.map((_, index) => index)
      const decision = { outcome: 0, wait: 0, limit: -1, fill: 0 }
      let now = 1_000_000
      for (const { step, keys, dryRun } of requests) {
        now += step
        const expected = decide(limits, keys, now, dryRun)
        const numbers = Float64Array.from(keys.map((key) => (key === '' ? NO_KEY : numberOf(key, table))))
        decideStage({ limits: states, keyPositions, dryRun }, { time: now, keys: numbers, at: 0 }, decision)
        expect(decision).toMatchObject({
          outcome: OUTCOME[expected.outcome],
          wait: expected.outcome === 'DELAYED' ? expected.wait : 0,
          limit: expected.limit ? limits.indexOf(expected.limit) : -1,
        })
      }
      for (const [index, { zone }] of states.entries()) expect(zone.size).toBe(limits[index]?.zone.entries.size)
    },
  ))

/** Limits by their bursts, without delay where `noDelay`, and requests with a key or `none`, which come at once. */
type Table = readonly [bursts: readonly number[], noDelay: boolean, requests: readonly string[], dryRun: boolean]

function decideAll([bursts, noDelay, requests, dryRun]: Table) {
  const keys = createKeyTable([])
  const limits = bursts.map((burst, index) =>
    stateOf({ rate: 1000, burst, delay: 0, noDelay, capacity: 10 }, index, keys),
  )
  const stage = { limits, keyPositions: limits.map(() => 0), dryRun }
  const decisions = requests.map((key) => {
    const decision = { outcome: 0, wait: 0, limit: -1, fill: 0 }
    const number = key === 'none' ? NO_KEY : numberOf(key, keys)
    decideStage(stage, { time: 0, keys: Float64Array.of(number), at: 0 }, decision)
    return decision
  })
  const counted = limits.map(({ counters }) => Object.entries(counters).filter(([, count]) => count > 0))
  return { decisions, counters: counted.map((all) => Object.fromEntries(all)) }
}

describe('counts', () =>
  each<[string, Table, object[]]>(
    '%s',
    (_, table, counters) => expect(decideAll(table).counters).toEqual(counters),
    'counts',
  ))

describe('the decision', () =>
  each<[string, Table, object]>(
    '%s',
    (_, table, last) => expect(decideAll(table).decisions.at(-1)).toEqual(last),
    'decision',
  ))

describe('the fill of the fullest bucket', () =>
  each<[string, Table, number[]]>(
    '%s',
    (_, table, fills) => expect(decideAll(table).decisions.map(({ fill }) => fill)).toEqual(fills),
    'fill',
  ))
