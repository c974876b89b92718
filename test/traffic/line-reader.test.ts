import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { type Escaping, fromBytes, toBytes } from '../../src/traffic/escaping.ts'
import { createLineReader } from '../../src/traffic/line-reader.ts'
import { parseLogFormat } from '../../src/traffic/log-format.ts'
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
