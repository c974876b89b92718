import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Escaping, fromBytes, toBytes } from '../../src/traffic/escaping.ts'
import { createLineReader } from '../../src/traffic/line-reader.ts'
import { parseLogFormat } from '../../src/traffic/log-format.ts'

function reader(format: string, wanted: readonly string[]) {
  const outcome = parseLogFormat(format)
  if (!outcome.ok) throw new Error(outcome.problem)
  return createLineReader(outcome.format, wanted)
}

describe('reads', () => {
  it.each([
    {
      what: 'combined',
      format:
        '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
      line: '2001:db8::1 - - [05/Jan/2026:12:00:59 +0000] "GET /a?b=c HTTP/2.0" 200 12 "-" "curl \\x22x\\x22"',
      values: {
        remote_addr: '2001:db8::1',
        remote_user: '',
        request: 'GET /a?b=c HTTP/2.0',
        http_user_agent: 'curl "x"',
      },
    },
    {
      what: 'values side by side',
      format: '$scheme://$host$request_uri $uri$is_args$args|$status',
      line: 'https://shop.example/a?b /a?b|200',
      values: { host: 'shop.example', request_uri: '/a?b', uri: '/a', is_args: '?', args: 'b', status: '200' },
    },
    {
      what: 'no arguments',
      format: '$uri$is_args$args|$status',
      line: '/a|200',
      values: { uri: '/a', is_args: '', args: '', status: '200' },
    },
    {
      what: 'JSON by its format',
      format: 'escape=json {"ip":"$remote_addr","ua":"$http_user_agent"}',
      line: '{"ip":"10.0.0.1","ua":"a\\"b\\\\c\\u0001\\n"}',
      values: { remote_addr: '10.0.0.1', http_user_agent: 'a"b\\c\u0001\n' },
    },
    {
      what: 'a variable that stands twice',
      format: '$status $remote_addr $status',
      line: '200 ::1 404',
      values: { status: '200' },
    },
    {
      what: 'bytes that are no text',
      format: '$remote_addr "$request"',
      line: '::1 "\\x16\\x03\\x01"',
      values: { request: '\x16\x03\x01' },
    },
  ])('$what', ({ format, line, values }) => {
    const names = Object.keys(values)
    expect(reader(format, names)(line)).toEqual(Object.values(values))
  })
})

describe('refuses', () => {
  const read = reader('$remote_addr [$time_local] "$request" $status "$http_user_agent"', ['remote_addr'])
  const good = '::1 [now] "GET / HTTP/1.1" 200 "curl"'
  it('nothing that is whole', () => expect(read(good)).toEqual(['::1']))
  it('every line that is cut off', () => {
    const cut = Array.from({ length: good.length - 1 }, (_, length) => good.slice(0, length))
    expect(cut.filter((line) => read(line) !== undefined)).toEqual([])
  })
  it('a quote that nginx would have escaped', () =>
    expect(read('::1 [now] "GET /" HTTP/1.1" 200 "cu"rl"')).toBeUndefined())
  it('another text at the end', () => expect(read(`${good} x`)).toBeUndefined())
})

/** What nginx does to a value before it writes it. */
const ESCAPES: Readonly<Record<Escaping, (value: string) => string>> = {
  default: (value) =>
    value === ''
      ? '-'
      : value.replace(
          /["\\\x7f-\xff]|[^\x20-\xff]/g,
          (one) => `\\x${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
        ),
  json: (value) => JSON.stringify(value).slice(1, -1),
  none: (value) => value,
}

it('gives back what nginx escaped', () => {
  const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
  const value = fc.array(byte, { maxLength: 40 }).map((all) => all.join(''))
  fc.assert(
    fc.property(value, fc.constantFrom('default' as const, 'json' as const), (text, escaping) => {
      fc.pre(text !== '-')
      const read = reader(`escape=${escaping} <"$request">`, ['request'])
      expect(read(`<"${ESCAPES[escaping](text)}">`)).toEqual([text])
    }),
  )
})

it('changes between text and bytes without loss', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(fromBytes(toBytes(text))).toBe(text)
    }),
  )
})
