import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyParts } from '../../src/limits/key.ts'
import { createBatchBuilder } from '../../src/simulate/core/batch.ts'
import { createComparer } from '../../src/simulate/core/comparison.ts'
import { createRowEncoder } from '../../src/simulate/core/encoder.ts'
import { createDictionary, type DictionaryLimits } from '../../src/simulate/core/keys.ts'
import type { Plan } from '../../src/simulate/core/plan.ts'
import { createPlanRun } from '../../src/simulate/core/run-plan.ts'
import { createVariables } from '../../src/traffic/variables.ts'
import { createLimit, createZone, decide } from '../nginx/bucket.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'
import { type LimitText, PLATFORM, planOf } from './plans.ts'

const { cases, each } = casesOf(import.meta.url)

type Request = { readonly time: number; readonly address: string; readonly target: string }

const COLUMNS = ['remote_addr', 'request_uri']
const variables = createVariables(
  { has: (name) => COLUMNS.includes(name), slot: (name) => COLUMNS.indexOf(name) },
  new Map(),
)

type Options = Partial<Pick<Parameters<typeof createPlanRun>[0], 'fewestTexts' | 'onOutcome'>> & {
  readonly limits?: DictionaryLimits
  /** Requests in a batch, and readers that take turns. */
  readonly size?: number
  readonly readers?: number
  /** False where requests are held back, to be put in order. */
  readonly isOrdered?: boolean
}

/** The outcome and wait of each request, in the order in which they are final. */
function run(
  plan: Plan,
  requests: readonly Request[],
  { limits, size = 10, readers = 1, isOrdered = true, fewestTexts = 1, onOutcome }: Options = {},
) {
  const outcomes: { request: number; outcome: number; wait: number; key: string | undefined }[] = []
  const planRun = createPlanRun({
    plan,
    pageSize: 4096,
    spread: isOrdered ? 'ordered' : undefined,
    fewestTexts,
    onOutcome(scenario, one, keys) {
      onOutcome?.(scenario, one, keys)
      if (scenario > 0) return
      const expression = one.limit ? plan.scenarios[0].limits[one.limit.number]?.expression : undefined
      const { request, outcome, wait } = one
      outcomes.push({ request, outcome, wait, key: keys[expression ?? -1]?.text(one.key) })
    },
  })
  const encoders = Array.from({ length: readers }, () => {
    const dictionary = createDictionary(plan, limits)
    const builder = createBatchBuilder()
    const encode = createRowEncoder({ plan, platform: PLATFORM, variables }, dictionary, builder)
    return { dictionary, builder, encode }
  })
  for (let start = 0; start < requests.length; start += size) {
    const reader = (start / size) % readers
    const encoder = encoders[reader]
    if (!encoder) throw new Error('no such reader')
    const reset = encoder.dictionary.begin()
    for (const { time, address, target } of requests.slice(start, start + size)) {
      encoder.encode(time, [address, target])
      encoder.builder.logged(time)
    }
    planRun.take(reader, encoder.builder.finish({ reset, newTexts: encoder.dictionary.takeTexts(), lines: 0 }))
  }
  planRun.finish()
  return { outcomes, run: planRun }
}

/** Requests of one client for one path at these times. */
const requestsAt = (times: readonly number[], address = '::1'): Request[] =>
  times.map((time) => ({ time, address, target: '/' }))

/** Requests of one client by their number. */
const requestsOf = (count: number, of: (index: number) => readonly [time: number, target: string]): Request[] =>
  Array.from({ length: count }, (_, index) => {
    const [time, target] = of(index)
    return { time, address: '::1', target }
  })

const PLAN = planOf(...cases<Parameters<typeof planOf>>('PLAN'))
const SMALL = planOf([{ key: '$request_uri', zoneBytes: 32_768 }], [{ path: '/', limits: [0] }])
const oneRequest = fc.record({
  step: fc.integer({ min: 0, max: 300 }),
  address: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '::1', '::2'),
  target: fc.constantFrom('/', '/a', '/a?1', '/a?2', '/b', '/dry', '/hop', '/hop?1', '/free', '..'),
})
const traffic = fc.array(oneRequest, { maxLength: 120 }).map((all) => {
  let time = 0
  return all.map(({ step, ...rest }) => {
    time += step
    return { time, ...rest }
  })
})

it('texts of keys that a zone has removed are forgotten', () => {
  const requests = requestsOf(20_000, (index) => [Math.floor(index / 100), `/${index}`])
  const sizes: number[] = []
  run(SMALL, requests, {
    limits: { keys: 500, characters: 2 ** 20 },
    size: 100,
    fewestTexts: 1000,
    onOutcome: (_, __, [table]) => sizes.push(table?.size ?? 0),
  })
  expect(sizes).toHaveLength(20_000)
  expect(Math.max(...sizes)).toBeLessThan(2500)
})

describe('the outcome does not depend on', () => {
  const orderless = ({ outcomes }: ReturnType<typeof run>) => [...outcomes].sort((a, b) => a.request - b.request)

  it('how often readers forget their keys', () =>
    holds(traffic, fc.integer({ min: 1, max: 4 }), (requests, keys) => {
      const tight = run(PLAN, requests, { limits: { keys, characters: 20 }, size: 5, isOrdered: false })
      expect(orderless(tight)).toEqual(orderless(run(PLAN, requests, { isOrdered: false })))
    }))

  it('whether texts that are no longer used are swept out while requests are held back', () => {
    const requests = requestsOf(60, (index) => [index * 100, `/${index >> 2}`])
    const plan = planOf([{ key: '$request_uri' }], [{ path: '/', limits: [0] }])
    const swept = run(plan, requests, { size: 3, limits: { keys: 2, characters: 100 }, isOrdered: false })
    expect(swept.outcomes.map(({ request, outcome, key }) => [request, outcome, key])).toEqual(
      requests.map(({ target }, index) => (index % 4 === 0 ? [index, 0, undefined] : [index, 2, target])),
    )
  })

  it('how many readers there are', () =>
    holds(
      traffic,
      fc.integer({ min: 2, max: 4 }),
      (requests, readers) =>
        void expect(orderless(run(PLAN, requests, { readers, size: 3, limits: { keys: 2, characters: 100 } }))).toEqual(
          orderless(run(PLAN, requests)),
        ),
    ))
})

describe('an outer hop', () => {
  each<[string, [LimitText[], number[]], object[], object[]]>('%s', (_, [limits, times], outcomes, counters) => {
    const { outcomes: found, run: planRun } = run(
      planOf(limits, [{ path: '/', limits: [0, 1], hop: true }]),
      requestsAt(times),
    )
    expect(found).toEqual(outcomes.map((one) => ({ key: undefined, ...one })))
    expect([0, 1].map((limit) => planRun.scenarios[0].limits.used(limit)?.state.counters)).toMatchObject(counters)
  })

  it('keeps the texts of requests that wait for the inner location', () => {
    const requests = requestsOf(40, (index) => [index, `/${index >> 1}`])
    const plan = planOf(...cases<Parameters<typeof planOf>>('HOP'))
    const { outcomes } = run(plan, requests, { size: 1, limits: { keys: 1, characters: 9 } })
    expect(outcomes.map(({ key }) => key)).toEqual(
      requests.map(({ target }, index) => (index % 2 ? target : undefined)),
    )
  })

  it('decides as two chained buckets do', () => {
    const plan = planOf(...cases<Parameters<typeof planOf>>('CHAINED'))
    holds(traffic, (requests) => {
      const { outcomes } = run(plan, requests)
      const own = outcomes.filter(({ outcome }) => outcome !== 3)
      const wordOf = ({ outcome, wait }: (typeof own)[0]) => (outcome === 2 ? 'REJECTED' : `${wait}`)
      expect(new Map(own.map((one) => [one.request, wordOf(one)]))).toEqual(chained(requests))
    })
  })
})

/** The outcomes of requests behind two buckets, one after the other: how long they wait, or `REJECTED`. */
function chained(requests: readonly Request[]): ReadonlyMap<number, string> {
  const outer = createLimit(createZone({ name: 'o', rate: 2000 }), { burst: 3 })
  const inner = createLimit(createZone({ name: 'i', rate: 3000 }), { burst: 2 })
  const outcomes = new Map<number, string>()
  const arrivals = requests.flatMap(({ time, address, target }, request) => {
    if (!target.startsWith('/')) return []
    const { outcome, wait } = decide([outer], [address], time)
    if (outcome !== 'REJECTED') return [{ time: time + wait, request, wait }]
    outcomes.set(request, outcome)
    return []
  })
  /** Of requests that arrive together, those that have waited come first. */
  arrivals.sort((a, b) => a.time - b.time || Number(a.wait === 0) - Number(b.wait === 0) || a.request - b.request)
  for (const { time, request, wait } of arrivals) {
    const second = decide([inner], ['inner'], time)
    outcomes.set(request, second.outcome === 'REJECTED' ? second.outcome : `${wait + second.wait}`)
  }
  return outcomes
}

it('compares two versions request by request', () => {
  const [now, before] = cases<Parameters<typeof planOf>[]>('VERSIONS').map((version) => planOf(...version).scenarios[0])
  if (!now || !before) throw new Error('there are two versions')
  const plan: Plan = { expressions: [keyParts('$binary_remote_addr')], scenarios: [now, before] }
  const comparer = createComparer(plan.scenarios)
  run(plan, [...requestsAt([0, 0, 0, 2000], 'a'), ...requestsAt([2000, 2000, 2000], 'b')], { onOutcome: comparer.add })
  expect(comparer.summary(10)).toEqual(cases('CHANGES'))
})

it('names the keys with the most rejected requests, also those that the zone has removed', () => {
  const requests = requestsOf(3000, (index) => [index, `/${index >> 2}`])
  const { run: planRun } = run(SMALL, requests)
  const used = planRun.scenarios[0].limits.used(0)
  expect(used?.state.zone.evictions).toBeGreaterThan(0)
  expect(used?.rejectedKeys.list(1000)).toHaveLength(750)
  expect(used?.rejectedKeys.list(1)).toEqual([{ key: '/0', counts: { passed: 1, delayed: 0, rejected: 3 } }])
})
