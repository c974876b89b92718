import { describe, expect, it } from 'vitest'
import { createTimeReader, isFine, parseDuration, parseTime } from '../../src/traffic/time.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const NOON = Date.UTC(2026, 0, 5, 12, 0, 59)

describe('reads a time', () =>
  each<[string, number]>('%s', (text, time) => expect(parseTime(text)).toBe(time), 'reads a time'))

each<[string]>('sees no time in "%s"', (text) => expect(parseTime(text)).toBeNaN())

it('remembers the last time without mixing it up', () => {
  const read = createTimeReader()
  const times = ['1767614459', '1767614459', 'x', '1767614460', '1767614459'].map(read)
  expect(times).toEqual([NOON, NOON, Number.NaN, NOON + 1000, NOON])
})

each<[string, boolean]>('knows whether %s is finer than a second', (text, fine) => expect(isFine(text)).toBe(fine))

each<[string, number]>('reads the duration "%s"', (text, milliseconds) =>
  expect(parseDuration(text)).toBe(milliseconds),
)
