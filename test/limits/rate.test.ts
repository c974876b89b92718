import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

function rate(text: string): Rate {
  const parsed = parseRate(text)
  if (!parsed) throw new Error(`${text} is not a valid rate`)
  return parsed
}

describe('a rate', () => {
  it.each([
    ['1r/s', '1', 's', 1000],
    ['10r/s', '10', 's', 10_000],
    ['30r/m', '30', 'm', 500],
    ['1r/m', '1', 'm', 16],
    ['5r/m', '5', 'm', 83],
    ['59r/m', '59', 'm', 983],
    ['0r/s', '0', 's', 0],
    ['000r/m', '0', 'm', 0],
    ['0300r/m', '300', 'm', 5000],
    ['999999999999r/s', '999999999999', 's', 999_999_999_999_000],
    ['9007199254740991r/s', '9007199254740991', 's', 9_007_199_254_740_991_000],
    ['60000000000000000000000r/s', '60000000000000000000000', 's', 6e25],
    ['60000000000000000000000r/m', '60000000000000000000000', 'm', 1e24],
  ])('%s counts %s per %s: %i thousandths per second', (text, digits, unit, thousandths) => {
    expect(rate(text)).toEqual({ digits, unit, thousandths })
  })

  it.each([
    '',
    '10',
    '10r',
    'r/s',
    '10R/s',
    '10r/S',
    ' 10r/s',
    '10r/s\n',
    '10 r/s',
    '10r/h',
    '-1r/s',
    '1.5r/s',
    '+1r/s',
    '٣r/s',
  ])('is not %j', (text) => expect(parseRate(text)).toBeUndefined())

  it('is printed as it was read, without leading zeros', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.constantFrom('s', 'm'),
        fc.nat(5),
        (count, unit, zeros) => {
          const text = `${count}r/${unit}`
          expect(printRate(rate(`${'0'.repeat(zeros)}${text}`))).toBe(text)
        },
      ),
    )
  })

  it('is kept in whole thousandths, as nginx divides', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 53n / 1000n }), fc.constantFrom('s', 'm'), (count, unit) => {
        expect(rate(`${count}r/${unit}`).thousandths).toBe(Number((count * 1000n) / (unit === 'm' ? 60n : 1n)))
      }),
    )
  })

  it.each([
    ['9223372036854775r/s', false],
    ['9223372036854776r/s', true],
    ['9223372036854776r/m', true],
    ['0009223372036854775r/s', false],
    ['999999999999999r/s', false],
    ['99999999999999999r/s', true],
  ])('%s overflows: %s', (text, overflows) => expect(rateOverflows(rate(text))).toBe(overflows))

  it.each([
    ['1r/m', 62.5],
    ['10r/s', 0.1],
    ['0r/s', Infinity],
  ])('%s is one request every %d seconds', (text, seconds) => expect(secondsPerRequest(rate(text))).toBe(seconds))
})

describe('a misspelt rate', () => {
  it.each([
    ['10R/S', '10r/s'],
    ['10r/M', '10r/m'],
    ['10 r/s', '10r/s'],
    [' 10r/s\n', '10r/s'],
    ['10 r / s', '10r/s'],
    ['10r/sec', '10r/s'],
    ['10r/min', '10r/m'],
    ['10req/s', '10r/s'],
    ['10 requests per second', '10r/s'],
    ['1 request per minute', '1r/m'],
    ['10 per second', '10r/s'],
    ['10/s', '10r/s'],
    ['10rps', '10r/s'],
    ['100 RPM', '100r/m'],
    ['10r/1s', '10r/s'],
    ['0010 r/s', '10r/s'],
  ])('%j certainly means %s', (text, meant) => expect(repairRate(text)).toBe(meant))

  it.each([
    '',
    '10',
    '10r',
    '10 r s',
    '10ps',
    '10pm',
    '10r/h',
    '10r/ms',
    '10r/10s',
    '1,000r/s',
    '1.000r/s',
    '1 000r/s',
    '1.5r/s',
    '1e3r/s',
    '-10r/s',
    '0 r/s',
    '00R/S',
    '10r\\s',
    '10r/s;',
    '10persecond',
    '9999999999999999 r/s',
  ])('%j leaves room for doubt', (text) => expect(repairRate(text)).toBeUndefined())

  it('is repaired to a rate above zero that does not overflow', () => {
    const blank = fc.stringMatching(/^\s{0,3}$/)
    const word = fc.constantFrom('r', 'R', 'req', 'requests', '')
    const unit = fc.constantFrom('s', 'S', 'sec', 'm', 'MIN', 'minutes', '1s')
    const loose = fc.tuple(blank, fc.nat(), blank, word, fc.constantFrom('/', ' per '), unit, blank)
    fc.assert(
      fc.property(
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
      ),
    )
  })

  it.each([
    ['10R/S', { type: 'misspelt', meant: '10r/s' }],
    ['0.5r/s', { type: 'fraction', meant: '30r/m' }],
    ['1.5/s', { type: 'fraction', meant: '90r/m' }],
    ['0.05r/s', { type: 'fraction', meant: '3r/m' }],
    ['0.01r/s', { type: 'unclear' }],
    ['1.500r/s', { type: 'unclear' }],
    ['1.5r/m', { type: 'unclear' }],
    ['10', { type: 'unitless', count: '10' }],
    [' 10 r', { type: 'unitless', count: '10' }],
    ['10r/h', { type: 'period' }],
    ['10/day', { type: 'period' }],
    ['30r/10s', { type: 'period' }],
    ['fast', { type: 'unclear' }],
    ['', { type: 'unclear' }],
  ])('%j has this fault: %j', (text, fault) => expect(rateFault(text)).toEqual(fault))
})

it.each([
  [62.5, '62.5 s'],
  [0.60024, '600.24 ms'],
  [1, '1 s'],
  [119.5, '119.5 s'],
  [120, '2 minutes'],
  [5000, '83.3 minutes'],
  [9000, '2.5 hours'],
  [200_000, '2.3 days'],
])('%d seconds read %s', (seconds, text) => expect(describeSeconds(seconds)).toBe(text))
