import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSequencer, type SequencerOptions, WINDOW } from '../../src/simulate/core/sequencer.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

type Seen = { readonly time: number; readonly code: number; readonly key: number | undefined }

/** Puts requests in; what comes out. */
function sequence(
  requests: readonly { time: number; code: number }[],
  { size = 1, ...options }: Partial<SequencerOptions> & { readonly size?: number } = {},
) {
  const seen: Seen[] = []
  const sequencer = createSequencer({
    spread: undefined,
    keyCount: (code) => code % 2,
    sink: (code, { time, keys, at }) => void seen.push({ time, code, key: code % 2 === 1 ? keys[at] : undefined }),
    ...options,
  })
  for (let start = 0; start < requests.length; start += size) {
    const batch = requests.slice(start, start + size)
    sequencer.put({
      times: Float64Array.from(batch, ({ time }) => time),
      codes: Int32Array.from(batch, ({ code }) => code),
      keys: Float64Array.from(batch.flatMap(({ code }) => (code % 2 === 1 ? [code * 10] : []))),
      latest: Math.max(...batch.map(({ time }) => time)),
    })
  }
  sequencer.finish()
  return { seen, setBacks: sequencer.setBacks }
}

describe('fine times', () => {
  it('are put in order within a minute, equal ones stay as they came', () => {
    const times = fc.array(fc.integer({ min: 0, max: 58_000 }), { maxLength: 200 })
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 50 }), (all, size) => {
        const { seen, setBacks } = sequence(
          all.map((time, code) => ({ time, code })),
          { size },
        )
        const expected = all.map((time, code) => ({ time, code })).sort((a, b) => a.time - b.time || a.code - b.code)
        expect(seen.map(({ time, code }) => ({ time, code }))).toEqual(expected)
        expect(setBacks).toBe(0)
        for (const { code, key } of seen) expect(key).toBe(code % 2 === 1 ? code * 10 : undefined)
      }),
    )
  })

  it('lose no request, whatever the clock does', () => {
    const times = fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 200 })
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (all, limit, size) => {
        const { seen } = sequence(
          all.map((time, code) => ({ time, code })),
          { limit, size },
        )
        expect(seen.map(({ code }) => code).sort((a, b) => a - b)).toEqual(all.map((_, code) => code))
        for (const { time, code } of seen) expect(time).toBe(all[code])
      }),
    )
  })

  it('that go back by more than a minute are a clock that was set', () => {
    const { seen, setBacks } = sequence([100_000, 101_000, 30_000, 31_000].map((time, code) => ({ time, code })))
    expect(setBacks).toBe(1)
    expect(seen.map(({ time }) => time)).toEqual([100_000, 101_000, 30_000, 31_000])
  })
})

describe('the window of a minute', () => {
  const second = 1000
  /** Puts times one by one; what was released before the end, and whether the clock was set back. */
  function releasedEarly(times: readonly number[], latest = Number.NEGATIVE_INFINITY) {
    const seen: number[] = []
    const sequencer = createSequencer({ spread: undefined, keyCount: () => 0, sink: (_, { time }) => seen.push(time) })
    for (const time of times)
      sequencer.put({ times: Float64Array.of(time), codes: Int32Array.of(0), keys: new Float64Array(0), latest })
    return { early: [...seen], setBacks: sequencer.setBacks }
  }

  it('is a minute, as in nginx', () => expect(WINDOW).toBe(60 * second))

  it('holds a request back until a minute of later ones was logged, and not longer', () => {
    expect(releasedEarly([0], 60 * second)).toEqual({ early: [], setBacks: 0 })
    expect(releasedEarly([0], 61 * second - 1)).toEqual({ early: [], setBacks: 0 })
    expect(releasedEarly([0], 61 * second)).toEqual({ early: [0], setBacks: 0 })
    expect(releasedEarly([0, second], 61 * second)).toEqual({ early: [0], setBacks: 0 })
  })

  it('puts a request that is a minute late in order', () => {
    const { seen, setBacks } = sequence(
      [60 * second, 0].map((time, code) => ({ time, code })),
      { size: 2 },
    )
    expect(seen.map(({ time }) => time)).toEqual([0, 60 * second])
    expect(setBacks).toBe(0)
  })

  it('takes a request that is a second later still for a clock that was set back', () => {
    const { seen, setBacks } = sequence(
      [61 * second, 0].map((time, code) => ({ time, code })),
      { size: 2 },
    )
    expect(seen.map(({ time }) => time)).toEqual([61 * second, 0])
    expect(setBacks).toBe(1)
  })
})

describe('whole seconds', () => {
  const requests = [1000, 1000, 2000, 1000, 1000, 2000].map((time, code) => ({ time, code }))
  it('are spread evenly, in the order of the log', () => {
    const { seen } = sequence(requests, { spread: 'even' })
    expect(seen.map(({ time, code }) => [time, code])).toEqual(cases('are spread evenly, in the order of the log'))
  })
  it('come at once with spread: none', () => {
    const { seen } = sequence(requests, { spread: 'none' })
    expect(seen.map(({ time, code }) => [time, code])).toEqual(cases('come at once with spread: none'))
  })
})

it('releases the oldest second as soon as it holds more than its limit', () => {
  const held = (limit: number) => {
    const seen: number[] = []
    const sequencer = createSequencer({ spread: undefined, keyCount: () => 0, limit, sink: (code) => seen.push(code) })
    sequencer.put({
      times: Float64Array.of(0, 1000, 2000),
      codes: Int32Array.of(0, 1, 2),
      keys: new Float64Array(0),
      latest: 2000,
    })
    return seen
  }
  expect(held(3)).toEqual([])
  expect(held(2)).toEqual([0])
  expect(held(1)).toEqual([0, 1])
})

it('counts a request that comes too late in the first second that is still open', () => {
  const { seen } = sequence(
    [0, 1000, 2000, 0].map((time, code) => ({ time, code })),
    { limit: 1, spread: 'even' },
  )
  expect(seen.map(({ time, code }) => [time, code])).toEqual(
    cases('counts a request that comes too late in the first second that is still open'),
  )
})

it('holds back no more than its limit, in order', () => {
  const { seen } = sequence(
    Array.from({ length: 1000 }, (_, code) => ({ time: code * 10, code })),
    { limit: 100 },
  )
  expect(seen.map(({ code }) => code)).toEqual(Array.from({ length: 1000 }, (_, code) => code))
})
