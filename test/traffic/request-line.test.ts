import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import {
  argument,
  cookie,
  hostOf,
  normalizePath,
  parseRequestLine,
  splitTarget,
} from '../../src/traffic/request-line.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

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
