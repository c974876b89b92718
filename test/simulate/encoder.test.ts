import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEncoder } from '../../src/simulate/core/encoder.ts'
import { createExpressionsOf, type Plan } from '../../src/simulate/core/plan.ts'
import { createFieldReader } from '../../src/simulate/fast/quick-reader.ts'
import { detectLog } from '../../src/traffic/detect.ts'
import { latin1Text } from '../../src/traffic/escaping.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { createKeyTexts, PLATFORM, planOf } from './plans.ts'

const { cases, each } = casesOf(import.meta.url)

const SAMPLE = '10.0.0.1 - - [05/Jan/2026:12:00:59 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl"'

function optionsFor(plan: Plan, format: string, constants: readonly (readonly [string, string])[] = []) {
  const found = detectLog([SAMPLE], { format, fields: new Map() })
  if (!found.ok) throw new Error(found.problem)
  return { kind: found.kind, constants, plan, platform: PLATFORM, quick: true }
}

/** For limits by these keys on all requests of a log in the format `combined`. */
const optionsOf = (keys: readonly string[], constants?: Parameters<typeof optionsFor>[2]) =>
  optionsFor(
    planOf(
      keys.map((key) => ({ key })),
      [{ path: '/', limits: keys.map((_, index) => index) }],
    ),
    'combined',
    constants,
  )

/** The batches of an encoder, with texts instead of numbers. */
function readBlocks(blocks: readonly string[], options: ReturnType<typeof optionsFor>) {
  const encode = createEncoder(options)
  const textsOf = createKeyTexts(options.plan)
  const expressionsOf = createExpressionsOf(options.plan)
  return blocks.map((block) => {
    const batch = encode(Buffer.from(block, 'latin1'))
    const text = textsOf(batch)
    let at = 0
    const requests = [...batch.codes].map((code, index) => ({
      time: batch.times[index],
      code,
      keys: expressionsOf(code).map((expression) => {
        at += 1
        return text(expression, batch.keys[at - 1] ?? -1)
      }),
    }))
    const { lines, bad, badLines, latest } = batch
    return { requests, lines, bad, badLines, latest }
  })
}

const FIELDS = cases<Readonly<Record<string, string[]>>>('FIELDS')
FIELDS.request?.push(`GET /${'a'.repeat(3000)} HTTP/1.1`)
const oneOf = (...values: readonly string[]) => fc.constantFrom(...values)
const plain = fc
  .record(Object.fromEntries(Object.entries(FIELDS).map(([name, values]) => [name, oneOf(...values)])))
  .map(
    ({ address, user, time, request, status, size, referer, agent, end }) =>
      `${address} - ${user} [${time}] "${request}" ${status} ${size} "${referer}" "${agent}"${end}`,
  )
const line = fc.oneof(
  { weight: 8, arbitrary: plain },
  { weight: 2, arbitrary: fc.tuple(plain, fc.nat(200)).map(([text, length]) => text.slice(0, length)) },
  { weight: 1, arbitrary: oneOf('', '\r', '{"a":1}', 'hello', '" - - [', '\x16\x03\x01') },
)
const blocks = fc.array(fc.array(line, { maxLength: 12 }), { maxLength: 4 })

const KEYS = cases<string[]>('KEYS')

describe('the quick way has the same result as reading in full', () => {
  it.each([
    ['combined', (text: string) => text],
    ['common', (text: string) => text.replace(/ "[^"]*" "[^"]*"(.*)$/s, '$1')],
    ['main', (text: string) => text.replace(/(\r?)$/, ' "-"$1')],
  ])('of %s', (format, change) => {
    const plan = planOf(
      KEYS.map((key) => ({ key })),
      [
        { path: '/', limits: [0, 1] },
        { path: '/a', limits: KEYS.map((_, index) => index) },
        { path: '/b', limits: [4, 6] },
      ],
    )
    const options = optionsFor(plan, format)
    expect(createFieldReader(options)).toBeDefined()
    holdsFor(400)(blocks, fc.boolean(), (all, hasEnd) => {
      const texts = all.map((lines) => lines.map(change).join('\n') + (hasEnd && lines.length > 0 ? '\n' : ''))
      expect(readBlocks(texts, options)).toEqual(readBlocks(texts, { ...options, quick: false }))
    })
  })

  it('of lines that only look plain', () => {
    const options = optionsOf(['$binary_remote_addr', '$uri'])
    for (const [part, odd] of cases<[string, string][]>('ODD PARTS OF A PLAIN LINE')) {
      const texts = [`${SAMPLE.replace(part, odd)}\n${SAMPLE}`]
      expect({ odd, read: readBlocks(texts, options) }).toEqual({
        odd,
        read: readBlocks(texts, { ...options, quick: false }),
      })
    }
  })

  it('and makes no text of a plain line whose request is known', () => {
    const options = optionsOf(['$binary_remote_addr', '$uri'])
    let texts = 0
    const encode = createEncoder(options, (block) => (start, end) => {
      texts += 1
      return latin1Text(block, start, end)
    })
    const lines = cases<string[]>('PLAIN ADDRESSES').map((address) => SAMPLE.replace('10.0.0.1', address))
    for (const block of [lines.join('\n'), `${lines.join('\r\n')}\n`, lines.join('\n').replaceAll('00:59', '01:00')]) {
      expect(encode(Buffer.from(block)).codes.length).toBe(lines.length)
      // One for the location, and one for the key.
      expect(texts).toBe(2)
    }
  })

  it('with values that the user gives', () => {
    const options = optionsOf(
      ['$binary_remote_addr', '$remote_addr$http_x_tenant'],
      [
        ['remote_addr', '10.9.9.9'],
        ['http_x_tenant', 'acme'],
      ],
    )
    const [read] = readBlocks([`${SAMPLE}\n`], options)
    expect(read?.requests).toMatchObject([{ keys: ['10.9.9.9', '10.9.9.9acme'] }])
    expect(readBlocks([SAMPLE], { ...options, quick: false })[0]?.requests).toEqual(read?.requests)
  })
})

const inFull = (options: ReturnType<typeof optionsFor>): void => {
  expect(createFieldReader(options)).toBeUndefined()
  expect(readBlocks([SAMPLE], options)).toEqual(readBlocks([SAMPLE], { ...options, quick: false }))
}

describe('the quick way is not taken', () => {
  each<[string]>('for the key %s', (key) => inFull(optionsOf(['$uri', key])))

  it('where the match of a route needs a header', () => {
    const plan = planOf([{ key: '$uri' }], [{ path: '/', limits: [0], header: 'User-Agent' }])
    inFull(optionsFor(plan, 'combined'))
  })
})

it('reports what cannot be read, by line', () => {
  const lines = cases<[line: string, reason: string | null][]>('LINES')
  const [read] = readBlocks([lines.map(([line]) => line).join('\n')], optionsOf(['x']))
  expect(read).toMatchObject({ lines: 6, bad: 4, requests: [{ keys: ['x'] }] })
  const bad = lines.map(([, reason], index) => ({ line: index + 1, reason })).filter(({ reason }) => reason !== null)
  expect(read?.badLines).toMatchObject(bad)
})

it('keys that nginx skips have no number', () => {
  const options = optionsOf(['$arg_key', '$request_uri'])
  const [longest, tooLong] = [65_535, 65_536].map((length) => `/${'a'.repeat(length - 1)}`)
  const lines = ['/a', longest, tooLong].map((path = '') => SAMPLE.replace('/a', path))
  const [read] = readBlocks([lines.join('\n')], options)
  expect(read?.requests.map(({ keys }) => keys)).toEqual(['/a', longest, undefined].map((key) => [undefined, key]))
})
