import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyParts } from '../../src/limits/key.ts'
import { createTimeline } from '../../src/simulate/core/counters.ts'
import { createEventQueue } from '../../src/simulate/core/event-queue.ts'
import { createKeyTable } from '../../src/simulate/core/keys.ts'
import { createRejectedKeys } from '../../src/simulate/core/rejected-keys.ts'
import { createTop } from '../../src/simulate/core/top.ts'
import { createWaitHistogram } from '../../src/simulate/core/waits.ts'
import type { KeyCounts } from '../../src/simulate/core/zone.ts'
import { holds } from '../support/holds.ts'
import { numberOf } from './plans.ts'

describe('waits', () => {
  const summary = (waits: readonly number[]) => {
    const histogram = createWaitHistogram()
    for (const wait of waits) histogram.add(wait)
    return histogram.summary()
  }
  it('of no request have no summary', () => expect(summary([])).toBeUndefined())
  it('below a second are exact', () =>
    expect(summary(Array.from({ length: 1000 }, (_, index) => index + 1))).toEqual({ p50: 500, p95: 950, max: 1000 }))
  it.each([1024, 2047, 2048, 4096])('of %d ms are counted behind shorter ones', (wait) =>
    expect(summary([1, wait, 1_000_000])).toMatchObject({ p50: wait, max: 1_000_000 }),
  )
  it('are off by less than a thousandth, the longest by nothing', () => {
    const waits = fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 50 })
    holds(waits, (all) => {
      const sorted = [...all].sort((a, b) => a - b)
      const { p50 = 0, p95 = 0, max } = summary(all) ?? {}
      expect(max).toBe(sorted.at(-1))
      for (const [found, share] of [
        [p50, 0.5],
        [p95, 0.95],
      ] as const) {
        const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0
        expect(found).toBeLessThanOrEqual(exact)
        expect(found).toBeGreaterThan(exact * 0.999 - 1)
      }
    })
  })
})

describe('a timeline', () => {
  it('counts every request, however long the traffic lasts', () => {
    const event = fc.record({
      time: fc.integer({ min: 0, max: 2 ** 41 }),
      outcome: fc.integer({ min: 0, max: 3 }),
      fill: fc.constantFrom(0, 0.5, 1),
    })
    holds(fc.array(event, { maxLength: 100 }), (events) => {
      const timeline = createTimeline()
      for (const { time, outcome, fill } of events) timeline.add(time, outcome, fill)
      const points = timeline.points()
      expect(points.length).toBeLessThanOrEqual(240)
      let total = 0
      for (const { start, fill, ...counts } of points) {
        const own = events.filter(({ time }) => start <= time && time < start + timeline.interval)
        const [passed, delayed, rejected, unmatched] = [0, 1, 2, 3].map(
          (outcome) => own.filter((one) => one.outcome === outcome).length,
        )
        expect(counts).toEqual({ passed, delayed, rejected, unmatched })
        expect(fill, 'the greatest of the interval').toBe(Math.max(0, ...own.map((one) => one.fill)))
        total += own.length
      }
      expect(total).toBe(events.length)
    })
  })

  it('has round intervals without gaps', () => {
    const timeline = createTimeline(100)
    for (const second of [0, 1, 60]) timeline.add(second * 1000, 0, 0)
    expect(timeline.interval).toBe(500)
    expect(timeline.points()).toHaveLength(121)
  })
})

it('a list of the most frequent keys removes the rare ones when it is full', () => {
  const top = createTop<number>({ weigh: (count) => count, join: (a, b) => a + b, limit: 10 })
  for (const weight of [9, 3, 7, 1, 10, 5, 8, 2, 6, 4]) top.add(`weight ${weight}`, weight)
  expect(top.size).toBe(10)
  for (let index = 0; index < 5; index += 1) top.add('frequent', 10)
  expect(top.list(9)).toEqual([
    { key: 'frequent', counts: 50 },
    ...[10, 9, 8, 7].map((weight) => ({ key: `weight ${weight}`, counts: weight })),
  ])
  expect(top.list(1)).toEqual([{ key: 'frequent', counts: 50 }])
})

describe('a list of rejected keys', () => {
  const parts = keyParts('$binary_remote_addr')
  const counts = fc.record({ rejected: fc.integer({ min: 1, max: 9 }), delayed: fc.nat(9), passed: fc.nat(9) })
  const key = fc.constantFrom('10.0.0.1', '10.0.0.2', '203.0.113.9', '255.255.255.255', '::1', '2001:db8::1')

  it('has the sums of all addresses and texts, the most rejected first', () =>
    holds(fc.array(fc.record({ key, counts }), { maxLength: 60 }), fc.nat(7), (added, length) => {
      const table = createKeyTable(parts)
      const list = createRejectedKeys(table)
      const top = createTop<KeyCounts>({
        weigh: ({ rejected }) => rejected,
        join: (a, b) => ({
          rejected: a.rejected + b.rejected,
          delayed: a.delayed + b.delayed,
          passed: a.passed + b.passed,
        }),
      })
      for (const one of added) {
        list.add(numberOf(one.key, table), one.counts)
        top.add(one.key, one.counts)
      }
      expect(list.list(length)).toEqual(top.list(length))
    }))

  it('keeps the heavier half of the addresses when it is full', () => {
    const list = createRejectedKeys(createKeyTable(parts), 100)
    const add = (address: number, rejected: number) => list.add(address, { rejected, delayed: 0, passed: 0 })
    for (let address = 0; address < 20; address += 1) add(address, 3)
    for (let address = 1000; address < 9000; address += 1) add(address, 1)
    for (let address = 0; address < 20; address += 1) add(address, 2)
    const all = list.list(1000)
    expect(all.length).toBeLessThanOrEqual(100)
    expect(all.filter(({ counts: { rejected } }) => rejected === 5)).toHaveLength(20)
    expect(all.slice(20).every(({ counts: { rejected } }) => rejected === 1)).toBe(true)
  })
})

it('an event queue is in order of time, then of adding', () =>
  holds(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 100 }), (times) => {
    const queue = createEventQueue<number>()
    for (const [index, time] of times.entries()) queue.add(time, index)
    const taken: number[] = []
    for (let until = -1; until < 21; until += 1)
      for (let item = queue.take(until); item !== undefined; item = queue.take(until)) {
        expect(times[item]).toBe(until)
        taken.push(item)
      }
    expect(taken).toEqual(times.map((_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b))
  }))
