import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSequencer, type SequencerOptions, WINDOW } from '../../src/simulate/core/sequencer.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { each } = casesOf(import.meta.url)

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
    holds(times, fc.integer({ min: 1, max: 50 }), (all, size) => {
      const { seen, setBacks } = sequence(
        all.map((time, code) => ({ time, code })),
        { size },
      )
      const expected = all.map((time, code) => ({ time, code })).sort((a, b) => a.time - b.time || a.code - b.code)
      expect(seen.map(({ time, code }) => ({ time, code }))).toEqual(expected)
      expect(setBacks).toBe(0)
      for (const { code, key } of seen) expect(key).toBe(code % 2 === 1 ? code * 10 : undefined)
    })
  })

  it('lose no request, whatever the clock does', () => {
    const times = fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 200 })
    holds(times, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (all, limit, size) => {
      const { seen } = sequence(
        all.map((time, code) => ({ time, code })),
        { limit, size },
      )
      expect(seen.map(({ code }) => code).sort((a, b) => a - b)).toEqual(all.map((_, code) => code))
      for (const { time, code } of seen) expect(time).toBe(all[code])
    })
  })
})

type Put = readonly [times: readonly number[], options: Parameters<typeof sequence>[1]]

describe('requests', () =>
  each<[string, Put, [time: number, code: number][], number]>('%s', (_, [times, options], expected, setBacks) => {
    const found = sequence(
      times.map((time, code) => ({ time, code })),
      options,
    )
    expect(found.seen.map(({ time, code }) => [time, code])).toEqual(expected)
    expect(found.setBacks).toBe(setBacks)
  }))

it('the window is a minute, as in nginx', () => expect(WINDOW).toBe(60_000))

each<[number[], Partial<SequencerOptions>, number, number[]]>(
  'of requests at %j, put with %j and logged until %d, those at %j are released early',
  (times, options, latest, early) => {
    const seen: number[] = []
    const sink = (_: number, { time }: { readonly time: number }) => void seen.push(time)
    const sequencer = createSequencer({ spread: undefined, keyCount: () => 0, sink, ...options })
    for (const time of times)
      sequencer.put({ times: Float64Array.of(time), codes: Int32Array.of(0), keys: new Float64Array(0), latest })
    expect([...seen]).toEqual(early)
    expect(sequencer.setBacks).toBe(0)
  },
)

it('holds back no more than its limit, in order', () => {
  const { seen } = sequence(
    Array.from({ length: 1000 }, (_, code) => ({ time: code * 10, code })),
    { limit: 100 },
  )
  expect(seen.map(({ code }) => code)).toEqual(Array.from({ length: 1000 }, (_, code) => code))
})
