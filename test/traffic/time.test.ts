import { describe, expect, it } from 'vitest'
import { createTimeReader, isFine, parseDuration, parseTime } from '../../src/traffic/time.ts'

const NOON = Date.UTC(2026, 0, 5, 12, 0, 59)

describe('reads a time', () => {
  it.each([
    ['05/Jan/2026:12:00:59 +0000', NOON],
    ['05/Jan/2026:13:30:59 +0130', NOON],
    ['05/Jan/2026:04:00:59 -0800', NOON],
    ['2026-01-05T12:00:59+00:00', NOON],
    ['2026-01-05T12:00:59Z', NOON],
    ['2026-01-05 12:00:59', NOON],
    ['2026-01-05T12:00:59.123Z', NOON + 123],
    ['2026-01-05T13:00:59,9876+01:00', NOON + 987],
    ['1767614459.123', NOON + 123],
    ['1767614459', NOON],
    ['1767614459123', NOON + 123],
    ['1767614459123456', NOON + 123],
    ['28/Feb/2026:23:59:60 +0000', Date.UTC(2026, 2, 1)],
    ['29/Feb/2028:12:00:00 +1400', Date.UTC(2028, 1, 28, 22)],
  ])('%s', (text, time) => expect(parseTime(text)).toBe(time))
})

it.each([
  '',
  '-',
  'yesterday',
  '05/Foo/2026:12:00:59 +0000',
  '05/Jan/2026:24:00:59 +0000',
  '32/Jan/2026:12:00:59 +0000',
  '31/Feb/2026:12:00:59 +0000',
  '29/Feb/2026:12:00:59 +0000',
  '31/Apr/2026:12:00:59 +0000',
  '00/Jan/2026:12:00:59 +0000',
  '05/Jan/0026:12:00:59 +0000',
  '05/Jan/2026:12:00:59 +9900',
  '2026-02-30T12:00:59Z',
  '05/Jan/2026:12:00:59',
  '2026-13-05T12:00:59Z',
  '2026-01-05T12:00Z',
  '1767614459.',
  '-1',
])('sees no time in "%s"', (text) => expect(parseTime(text)).toBeNaN())

it('remembers the last time without mixing it up', () => {
  const read = createTimeReader()
  const times = ['1767614459', '1767614459', 'x', '1767614460', '1767614459'].map(read)
  expect(times).toEqual([NOON, NOON, Number.NaN, NOON + 1000, NOON])
})

it.each([
  ['1767614459.123', true],
  ['1767614459', false],
  ['1767614459123', true],
  ['2026-01-05T12:00:59.1Z', true],
  ['2026-01-05T12:00:59+00:00', false],
  ['05/Jan/2026:12:00:59 +0000', false],
])('knows whether %s is finer than a second', (text, fine) => expect(isFine(text)).toBe(fine))

it.each([
  ['0.005', 5],
  ['12.345', 12_345],
  ['3', 3000],
  ['-', 0],
  ['', 0],
])('reads the duration "%s"', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds))
