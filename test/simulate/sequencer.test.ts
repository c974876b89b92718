import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSequencer, type SequencerOptions } from '../../src/simulate/core/sequencer.ts'

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

describe('whole seconds', () => {
  const requests = [1000, 1000, 2000, 1000, 1000, 2000].map((time, code) => ({ time, code }))
  it('are spread evenly, in the order of the log', () => {
    const { seen } = sequence(requests, { spread: 'even' })
    expect(seen.map(({ time, code }) => [time, code])).toEqual([
      [1000, 0],
      [1250, 1],
      [1500, 3],
      [1750, 4],
      [2000, 2],
      [2500, 5],
    ])
  })
  it('come at once where that is asked for', () => {
    const { seen } = sequence(requests, { spread: 'none' })
    expect(seen.map(({ time, code }) => [time, code])).toEqual([
      [1000, 0],
      [1000, 1],
      [1000, 3],
      [1000, 4],
      [2000, 2],
      [2000, 5],
    ])
  })
})

it('holds back no more than it may', () => {
  const { seen } = sequence(
    Array.from({ length: 1000 }, (_, code) => ({ time: code * 10, code })),
    { limit: 100 },
  )
  expect(seen.map(({ code }) => code)).toEqual(Array.from({ length: 1000 }, (_, code) => code))
})
