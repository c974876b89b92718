import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import {
  describeSeconds,
  parseRate,
  printRate,
  type Rate,
  rateFault,
  rateOverflows,
  repairRate,
  secondsPerRequest,
} from '../../src/limits/rate.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { each } = casesOf(import.meta.url)

function rate(text: string): Rate {
  const parsed = parseRate(text)
  if (!parsed) throw new Error(`${text} is not a valid rate`)
  return parsed
}

describe('a rate', () => {
  each<[string, string, string, number]>(
    '%s counts %s per %s: %i thousandths per second',
    (text, digits, unit, thousandths) => expect(rate(text)).toEqual({ digits, unit, thousandths }),
  )

  each<[string]>('is not %j', (text) => expect(parseRate(text)).toBeUndefined())

  it('is printed as it was read, without leading zeros', () =>
    holds(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom('s', 'm'), fc.nat(5), (count, unit, zeros) => {
      const text = `${count}r/${unit}`
      expect(printRate(rate(`${'0'.repeat(zeros)}${text}`))).toBe(text)
    }))

  it('is kept in whole thousandths, as nginx divides', () =>
    holds(
      fc.bigInt({ min: 0n, max: 2n ** 53n / 1000n }),
      fc.constantFrom('s', 'm'),
      (count, unit) =>
        void expect(rate(`${count}r/${unit}`).thousandths).toBe(Number((count * 1000n) / (unit === 'm' ? 60n : 1n))),
    ))

  each<[string, boolean]>('%s overflows: %s', (text, overflows) => expect(rateOverflows(rate(text))).toBe(overflows))

  it.each([
    ['1r/m', 62.5],
    ['10r/s', 0.1],
    ['0r/s', Infinity],
  ])('%s is one request every %d seconds', (text, seconds) => expect(secondsPerRequest(rate(text))).toBe(seconds))
})

describe('a misspelt rate', () => {
  each<[string, string]>('%j certainly means %s', (text, meant) => expect(repairRate(text)).toBe(meant))

  each<[string]>('%j leaves room for doubt', (text) => expect(repairRate(text)).toBeUndefined())

  it('is repaired to a rate above zero that does not overflow', () => {
    const blank = fc.stringMatching(/^\s{0,3}$/)
    const word = fc.constantFrom('r', 'R', 'req', 'requests', '')
    const unit = fc.constantFrom('s', 'S', 'sec', 'm', 'MIN', 'minutes', '1s')
    const loose = fc.tuple(blank, fc.nat(), blank, word, fc.constantFrom('/', ' per '), unit, blank)
    holds(
      fc.oneof(
        fc.string(),
        loose.map((parts) => parts.join('')),
      ),
      (text) => {
        const repaired = repairRate(text)
        if (repaired === undefined) return
        expect(repaired).toBe(printRate(rate(repaired)))
        expect(rate(repaired).thousandths).toBeGreaterThan(0)
        expect(rateOverflows(rate(repaired))).toBe(false)
      },
    )
  })

  each<[string, JsonObject]>('%j has this fault: %j', (text, fault) => expect(rateFault(text)).toEqual(fault))
})

each<[number, string]>('%d seconds read %s', (seconds, text) => expect(describeSeconds(seconds)).toBe(text))
