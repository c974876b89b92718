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
import { runs } from '../runs.ts'
import { numberOf } from './plans.ts'

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

it('decides as the leaky bucket of nginx does', () => {
  fc.assert(
    fc.property(
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
    ),
    runs(300),
  )
})

describe('counts', () => {
  const keys = createKeyTable([])
  const key = numberOf('a', keys)
  const run = (states: readonly LimitState[], requests: number, dryRun = false) => {
    const decision = { outcome: 0, wait: 0, limit: -1, fill: 0 }
    for (let index = 0; index < requests; index += 1)
      decideStage(
        { limits: states, keyPositions: states.map(() => 0), dryRun },
        { time: 0, keys: Float64Array.of(key), at: 0 },
        decision,
      )
    return states.map(({ counters }) => counters)
  }
  const limit = (burst: number, noDelay = false) =>
    stateOf({ rate: 1000, burst, delay: 0, noDelay, capacity: 10 }, 0, keys)

  it('each request once', () => {
    expect(run([limit(2)], 5)).toMatchObject([{ requests: 5, passed: 1, delayed: 2, rejected: 2 }])
  })
  it('a rejection for the limit that rejects, and the requests that others reject', () => {
    expect(run([limit(9, true), limit(1, true)], 5)).toMatchObject([
      { requests: 5, passed: 2, rejected: 0, rejectedByOther: 3 },
      { requests: 5, passed: 2, rejected: 3 },
    ])
  })
  it('a request without a key for a limit, which neither waits for it nor fills it', () => {
    const state = limit(4)
    const decision = { outcome: 0, wait: 0, limit: -1, fill: 0 }
    for (const number of [key, key, NO_KEY])
      decideStage(
        { limits: [state], keyPositions: [0], dryRun: false },
        { time: 0, keys: Float64Array.of(number), at: 0 },
        decision,
      )
    expect(decision).toEqual({ outcome: PASSED, wait: 0, limit: -1, fill: 0 })
    expect(state.counters).toMatchObject({ requests: 2, passed: 1, delayed: 1, withoutKey: 1 })
  })
  it('what a dry run would have done', () => {
    expect(run([limit(2)], 5, true)).toMatchObject([
      { requests: 5, passed: 5, delayed: 0, rejected: 0, delayedDryRun: 2, rejectedDryRun: 2 },
    ])
  })
})

describe('the fill of the fullest bucket', () => {
  const keys = createKeyTable([])
  const key = numberOf('a', keys)
  const fillsOf = (bursts: readonly number[], requests: number): readonly number[] => {
    const states = bursts.map((burst, index) =>
      stateOf({ rate: 1000, burst, delay: 0, noDelay: true, capacity: 10 }, index, keys),
    )
    const decision = { outcome: 0, wait: 0, limit: -1, fill: 0 }
    const keyPositions = states.map(() => 0)
    return Array.from({ length: requests }, () => {
      decideStage(
        { limits: states, keyPositions, dryRun: false },
        { time: 0, keys: Float64Array.of(key), at: 0 },
        decision,
      )
      return decision.fill
    })
  }

  it.each([
    ['grows with each request up to the burst', [4], [0, 0.25, 0.5, 0.75, 1, 1]],
    ['is that of the smaller burst', [4, 2], [0, 0.5, 1, 1]],
    ['is 0 without a burst', [0], [0, 0]],
  ])('%s', (_, bursts, fills) => {
    expect(fillsOf(bursts, fills.length)).toEqual(fills)
  })
})
