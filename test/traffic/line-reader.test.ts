import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { type Escaping, fromBytes, toBytes } from '../../src/traffic/escaping.ts'
import { createLineReader } from '../../src/traffic/line-reader.ts'
import { type FormatPart, parseLogFormat } from '../../src/traffic/log-format.ts'
import {
  argument,
  cookie,
  hostOf,
  normalizePath,
  parseRequestLine,
  splitTarget,
} from '../../src/traffic/request-line.ts'
import { createTimeReader, isFine, parseDuration, parseTime } from '../../src/traffic/time.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { each } = casesOf(import.meta.url)

function reader(format: string, wanted: readonly string[]) {
  const outcome = parseLogFormat(format)
  if (!outcome.ok) throw new Error(outcome.problem)
  return createLineReader(outcome.format, wanted)
}

describe('reads', () =>
  each<[{ what: string; format: string; line: string; values: JsonObject }]>(
    '$what',
    ({ format, line, values }) => {
      const names = Object.keys(values)
      expect(reader(format, names)(line)).toEqual(Object.values(values))
    },
    'reads',
  ))

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
  holds(value, fc.constantFrom('default' as const, 'json' as const), (text, escaping) => {
    fc.pre(text !== '-')
    const read = reader(`escape=${escaping} <"$request">`, ['request'])
    expect(read(`<"${ESCAPES[escaping](text)}">`)).toEqual([text])
  })
})

it('changes between text and bytes without loss', () =>
  holds(fc.string({ unit: 'grapheme' }), (text) => void expect(fromBytes(toBytes(text))).toBe(text)))

describe('a request line', () => {
  each<[string, JsonObject]>('%s', (line, parts) => expect(parseRequestLine(line)).toEqual(parts), 'a request line')

  each<[string]>('%j gets a 400', (line) => expect(parseRequestLine(line)).toBeUndefined())

  it('of 100 kB is read', () =>
    expect(parseRequestLine(`GET /${'a'.repeat(100_000)} HTTP/1.1`)?.target).toHaveLength(100_001))
})

each<[string, JsonObject]>('the target %s', (target, parts) => expect(splitTarget(target)).toEqual(parts))

each<[string, string]>('the path %s is %s', (path, uri) => expect(normalizePath(path)).toBe(uri))

it.each(['/..', '/a/../..', '/%zz', '/%2', '/%00'])('the path %s gets a 400', (path) =>
  expect(normalizePath(path)).toBeUndefined(),
)

it('an argument is the first of its name, as written', () => {
  expect(argument('a=1&B=%20&b=2&c', 'b')).toBe('%20')
  expect(argument('a=1&c', 'c')).toBe('')
})

it('a cookie is the first of its name', () => expect(cookie('a=1; Session=xyz; session=2', 'session')).toBe('xyz'))

each<[string, string]>('the host of %s is %s', (header, host) => expect(hostOf(header)).toBe(host))

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

const print = (parts: readonly FormatPart[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : `<${part.name}>`)).join('')

function read(text: string) {
  const outcome = parseLogFormat(text)
  return outcome.ok ? `${outcome.format.escaping}: ${print(outcome.format.parts)}` : outcome.problem
}

describe('reads a format', () =>
  each<[string, string, string]>('%s', (_, text, expected) => expect(read(text)).toBe(expected), 'reads a format'))

describe('reports what is wrong with', () =>
  each<[string, string, string]>(
    '%s',
    (_, text, problem) => expect(read(text)).toBe(problem),
    'reports what is wrong with',
  ))
