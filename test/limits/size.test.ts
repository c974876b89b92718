import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ZONE_SIZE, describeBytes, fitFourDigits, parseSize, repairSize } from '../../src/limits/size.ts'
import { zoneName } from '../../src/limits/zone.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { each } = casesOf(import.meta.url)

function bytes(text: string): number {
  const parsed = parseSize(text)
  if (!parsed) throw new Error(`${text} is not a valid size`)
  return parsed.bytes
}

describe('a size', () => {
  each<[string, number]>('%s is %i bytes', (text, size) => expect(bytes(text)).toBe(size))

  it.each(['', 'm', '10M', '10 m', '10mb', '10Mi', '10240k', '00010m', '-1m', '1.5m', '10m\n', '1t', '١m'])(
    'is not %j',
    (text) => expect(parseSize(text)).toBeUndefined(),
  )

  it('is 10m where a limit has none', () => expect(parseSize('10m')).toEqual(DEFAULT_ZONE_SIZE))
})

describe('a misspelt size', () => {
  each<[string, string]>('%j certainly means %s', (text, meant) => expect(repairSize(text)).toBe(meant))

  each<[string]>('%j leaves room for doubt', (text) => expect(repairSize(text)).toBeUndefined())

  it('is repaired to a size of the same bytes, in units that nginx knows', () => {
    const factors: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }
    const unit = fc.constantFrom('k', 'K', 'm', 'M', 'g', 'G')
    holds(
      fc.nat(20_000),
      fc.stringMatching(/^\s{0,2}$/),
      unit,
      fc.constantFrom('', 'b', 'i', 'iB'),
      (count, blank, letter, tail) => {
        const repaired = repairSize(`${count}${blank}${letter}${tail}`)
        if (repaired === undefined) return
        expect(bytes(repaired)).toBe(count * (factors[letter.toLowerCase()] ?? 0))
        expect(repaired).toMatch(/^\d+[km]$/)
      },
    )
  })
})

it('fits four digits, in m where it can', () => {
  expect(fitFourDigits(1024 ** 2)).toBe('1m')
  expect(fitFourDigits(1024 ** 2 + 1024)).toBe('1025k')
  expect(fitFourDigits(9999 * 1024 ** 2)).toBe('9999m')
  expect(fitFourDigits(10_000 * 1024 ** 2)).toBeUndefined()
  expect(fitFourDigits(1000)).toBeUndefined()
  expect(fitFourDigits(0)).toBeUndefined()
})

each<[number, string]>('%i bytes read %s', (size, text) => expect(describeBytes(size)).toBe(text))

it('a zone is named after namespace, policy and index', () => {
  expect(zoneName('shop', 'coffee', 0)).toBe('shop_rl_coffee_rule0')
  expect(zoneName('shop', 'coffee-v1.2', 11)).toBe('shop_rl_coffee-v1.2_rule11')
})

it('a zone with a key has the same name for the same key, and another one for another key or position', () => {
  const name = (key: string, index = 0) => zoneName('shop', 'coffee', index, key)
  expect(name('$binary_remote_addr')).toMatch(/^shop_rl_coffee_rule0_[0-9a-f]{16}$/)
  expect(name('$uri')).toBe(name('$uri'))
  const keys = ['$uri', '$URI', '$host', '$host$uri', '$uri$host', '', 'a', 'é']
  expect(new Set(keys.flatMap((key) => [name(key), name(key, 1)])).size).toBe(keys.length * 2)
})
