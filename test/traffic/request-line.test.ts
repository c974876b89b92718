import { describe, expect, it } from 'vitest'
import {
  argument,
  cookie,
  hostOf,
  normalizePath,
  parseRequestLine,
  splitTarget,
} from '../../src/traffic/request-line.ts'

describe('a request line', () => {
  it.each([
    ['GET / HTTP/1.1', { method: 'GET', target: '/', protocol: 'HTTP/1.1' }],
    ['POST /a?b=c HTTP/2.0', { method: 'POST', target: '/a?b=c', protocol: 'HTTP/2.0' }],
    ['GET http://shop.example/a HTTP/1.1', { method: 'GET', target: 'http://shop.example/a', protocol: 'HTTP/1.1' }],
    ['OPTIONS * HTTP/1.1', { method: 'OPTIONS', target: '*', protocol: 'HTTP/1.1' }],
    ['GET /', { method: 'GET', target: '/', protocol: 'HTTP/0.9' }],
  ])('%s', (line, parts) => expect(parseRequestLine(line)).toEqual(parts))

  it.each([
    '-',
    '',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'GET',
    'get / HTTP/1.1',
    'GET /a b HTTP/1.1',
    'GET /a\x01 HTTP/1.1',
    'GET a HTTP/1.1',
    'GET * HTTP/1.1',
    'GET / FTP/1.1',
    'PRI * HTTP/2.0',
  ])('%j gets a 400', (line) => expect(parseRequestLine(line)).toBeUndefined())

  it('of 100 kB is read', () =>
    expect(parseRequestLine(`GET /${'a'.repeat(100_000)} HTTP/1.1`)?.target).toHaveLength(100_001))
})

it.each([
  ['/a', { authority: undefined, path: '/a', args: undefined }],
  ['/a?', { authority: undefined, path: '/a', args: '' }],
  ['/a?b?c', { authority: undefined, path: '/a', args: 'b?c' }],
  ['/a#b?c', { authority: undefined, path: '/a', args: undefined }],
  ['http://shop.example:80', { authority: 'shop.example:80', path: '/', args: undefined }],
  ['http://shop.example/a?b', { authority: 'shop.example', path: '/a', args: 'b' }],
])('the target %s', (target, parts) => expect(splitTarget(target)).toEqual(parts))

it.each([
  ['/a/b', '/a/b'],
  ['//a///b', '/a/b'],
  ['/a/./b', '/a/b'],
  ['/a/../b', '/b'],
  ['/a/..', '/'],
  ['/a/.', '/a/'],
  ['/a//', '/a/'],
  ['/a%2Fb%2f', '/a/b/'],
  ['/%61%2e%2e', '/a..'],
  ['/a/%2e%2e/b', '/b'],
  ['/caf%C3%A9', '/caf\xc3\xa9'],
  ['/%2520', '/%20'],
  ['/.well-known', '/.well-known'],
])('the path %s is %s', (path, uri) => expect(normalizePath(path)).toBe(uri))

it.each(['/..', '/a/../..', '/%zz', '/%2', '/%00'])('the path %s gets a 400', (path) =>
  expect(normalizePath(path)).toBeUndefined(),
)

it('an argument is the first of its name, as written', () => {
  expect(argument('a=1&B=%20&b=2&c', 'b')).toBe('%20')
  expect(argument('a=1&c', 'c')).toBe('')
})

it('a cookie is the first of its name', () => expect(cookie('a=1; Session=xyz; session=2', 'session')).toBe('xyz'))

it.each([
  ['Shop.Example', 'shop.example'],
  ['shop.example:8080', 'shop.example'],
  ['shop.example.', 'shop.example'],
  ['[::1]:80', '[::1]'],
])('the host of %s is %s', (header, host) => expect(hostOf(header)).toBe(host))
