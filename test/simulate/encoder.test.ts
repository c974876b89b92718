import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEncoder } from '../../src/simulate/core/encoder.ts'
import { createExpressionsOf, type Plan } from '../../src/simulate/core/plan.ts'
import { createFieldReader } from '../../src/simulate/fast/quick-reader.ts'
import { detectLog } from '../../src/traffic/detect.ts'
import { runs } from '../runs.ts'
import { createKeyTexts, PLATFORM, planOf } from './plans.ts'

const SAMPLE = '10.0.0.1 - - [05/Jan/2026:12:00:59 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl"'

function optionsFor(plan: Plan, format: string, constants: readonly (readonly [string, string])[] = []) {
  const found = detectLog([SAMPLE], { format, fields: new Map() })
  if (!found.ok) throw new Error(found.problem)
  return { kind: found.kind, constants, plan, platform: PLATFORM, quick: true }
}

/** The batches of an encoder, with texts instead of numbers. */
function readBlocks(blocks: readonly string[], options: ReturnType<typeof optionsFor>) {
  const encode = createEncoder(options)
  const textsOf = createKeyTexts()
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

const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.2',
  '255.255.255.255',
  '0.0.0.0',
  '2001:db8::1',
  '::ffff:1.2.3.4',
  'unix:',
  '-',
  '999.1.1.1',
  '01.2.3.4',
  'a.b.c.d',
  '1.2.3',
]
const REQUESTS = [
  'GET / HTTP/1.1',
  'GET /a HTTP/1.1',
  'GET /a?key=1 HTTP/1.1',
  'GET /a?key=2&x HTTP/2.0',
  'POST /b/c HTTP/1.1',
  'GET /%61/../b HTTP/1.1',
  'GET /a b HTTP/1.1',
  'GET /.. HTTP/1.1',
  'GET http://shop.example/a HTTP/1.1',
  'GET /caf\xc3\xa9 HTTP/1.1',
  'GET /a\\x22 HTTP/1.1',
  '-',
  '',
  '\\x16\\x03\\x01',
  `GET /${'a'.repeat(3000)} HTTP/1.1`,
]
const TIMES = [
  '05/Jan/2026:12:00:59 +0000',
  '05/Jan/2026:12:01:00 +0100',
  '05/Jan/2026:12:01:00 -0930',
  '05/Foo/2026:12:00:59 +0000',
  '2026-01-05T12:00:59+00:00',
  '05/Jan/2026:25:00:59 +0000',
]

const oneOf = (...values: readonly string[]) => fc.constantFrom(...values)
const plain = fc
  .record({
    address: oneOf(...ADDRESSES),
    user: oneOf('-', '-', '-', 'bob', 'a b', '"'),
    time: oneOf(...TIMES),
    request: oneOf(...REQUESTS),
    status: oneOf('200', '404', '-', '20', '2000'),
    size: oneOf('0', '1234', '-', ''),
    referer: oneOf('-', 'http://shop.example/', 'a"b', ''),
    agent: oneOf('curl/8.5.0', '-', '\xe9', 'a\\x22b', ''),
    end: oneOf('', '', '', '\r', ' x', '"'),
  })
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

const KEYS = [
  '$binary_remote_addr',
  '$remote_addr',
  '$binary_remote_addr$uri',
  '$binary_remote_addr:$arg_key',
  '$request_uri',
  '$arg_key',
  'fixed',
  '$server_protocol$request_method',
  '$status',
]

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
    fc.assert(
      fc.property(blocks, fc.boolean(), (all, hasEnd) => {
        const texts = all.map((lines) => lines.map(change).join('\n') + (hasEnd && lines.length > 0 ? '\n' : ''))
        expect(readBlocks(texts, options)).toEqual(readBlocks(texts, { ...options, quick: false }))
      }),
      runs(400),
    )
  })

  it('with values that the user gives', () => {
    const plan = planOf(
      [{ key: '$binary_remote_addr' }, { key: '$remote_addr$http_x_tenant' }],
      [{ path: '/', limits: [0, 1] }],
    )
    const options = optionsFor(plan, 'combined', [
      ['remote_addr', '10.9.9.9'],
      ['http_x_tenant', 'acme'],
    ])
    const [read] = readBlocks([`${SAMPLE}\n`], options)
    expect(read?.requests).toMatchObject([{ keys: ['10.9.9.9', '10.9.9.9acme'] }])
    expect(readBlocks([SAMPLE], { ...options, quick: false })[0]?.requests).toEqual(read?.requests)
  })
})

describe('is not taken', () => {
  it.each(['$http_user_agent', '$remote_user', '$time_local'])('for the key %s', (key) => {
    const options = optionsFor(planOf([{ key }], [{ path: '/', limits: [0] }]), 'combined')
    expect(createFieldReader(options)).toBeUndefined()
  })
})

it('reports what cannot be read, by line', () => {
  const options = optionsFor(planOf([{ key: 'x' }], [{ path: '/', limits: [0] }]), 'combined')
  const text = [
    SAMPLE,
    'garbage',
    '',
    SAMPLE.replace('Jan', 'Foo'),
    SAMPLE.slice(0, 50),
    `x${'y'.repeat(1 << 20)}`,
  ].join('\n')
  const [read] = readBlocks([text], options)
  expect(read).toMatchObject({ lines: 6, bad: 4, requests: [{ keys: ['x'] }] })
  expect(read?.badLines.map(({ line: at, reason }) => `${at} ${reason}`)).toEqual([
    '2 format',
    '4 time',
    '5 format',
    '6 long',
  ])
})

it('keys that nginx skips have no number', () => {
  const options = optionsFor(
    planOf([{ key: '$arg_key' }, { key: '$request_uri' }], [{ path: '/', limits: [0, 1] }]),
    'combined',
  )
  const long = `/${'a'.repeat(65_535)}`
  const [read] = readBlocks([`${SAMPLE}\n${SAMPLE.replace('/a', long)}`], options)
  expect(read?.requests.map(({ keys }) => keys)).toEqual([
    [undefined, '/a'],
    [undefined, undefined],
  ])
})
