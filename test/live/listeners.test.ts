/** Where listeners answer, and commands that send them a request. */
import { expect, test } from 'vitest'
import { readLimited } from '../../src/live/limited.ts'
import { commandFor, offerOf } from '../../src/live/listeners.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, policy, route, worldOf } from './manifests.ts'

const { cases } = casesOf(import.meta.url)

function offer(text: string) {
  const world = worldOf(text)
  const [only] = world.gateways
  if (!only) throw new Error('no Gateway')
  return offerOf(only, world, (port) => port + 18_000)
}

test('each listener has a URL', () => {
  const listeners =
    '[{ name: b, port: 443, protocol: HTTPS, hostname: b.example }, { name: a, port: 80, protocol: HTTP }, { name: c, port: 443, protocol: HTTPS, hostname: c.example }, { name: d, port: 5, protocol: TCP }]'
  expect(offer(gateway('edge', listeners)).listeners).toEqual(cases('each listener has a URL'))
})

test('no policy is in force where the class of the Gateway names another controller', () => {
  const theirs = cases<string>('theirs')
  const why = 'no RateLimitPolicy is in force: it belongs to another controller (example.com/c)'
  expect([offer(theirs + gateway()).notes, offer(gateway()).notes]).toEqual([[why], []])
})

test('a request for each route by its path alone, those with policies first', () => {
  const conditional = route('milk', { match: 'path: { value: /milk }, headers: [{ name: x, value: y }]' })
  const { samples } = offer(
    gateway() + route('coffee') + conditional + route('tea') + policy('tea', 'key: $uri, rate: 1r/s'),
  )
  expect(samples.map(commandFor)).toEqual(["curl 'http://127.0.0.1:18080/tea'", "curl 'http://127.0.0.1:18080/coffee'"])
})

test('hostnames, TLS and gRPC', () => {
  const listeners = '[{ name: https, port: 443, protocol: HTTPS, hostname: "*.shop.example" }]'
  const grpc = route('orders', { kind: 'GRPCRoute', match: 'method: { service: a.B, method: C }' })
  expect(offer(gateway('edge', listeners) + route('coffee') + grpc).samples.map(commandFor)).toEqual(
    cases('hostnames, TLS and gRPC'),
  )
})

test('a path cannot end the quotes of the command', () => {
  const { samples } = offer(gateway() + route('coffee', { match: 'path: { value: "/a\'; id; \'" }' }))
  expect(samples.map(commandFor)).toEqual(["curl 'http://127.0.0.1:18080/a%27; id; %27'"])
})

/** What nginx says of delayed and rejected requests. */

const END = 'client: 127.0.0.1, server: _, request: "GET / HTTP/1.1", host: "127.0.0.1:18080"'

test.each([
  [`limiting requests, excess: 0.980 by zone "shop_rl_coffee_rule0", ${END}`, 'rejected', 0.98],
  [`delaying request, excess: 1.500, by zone "shop_rl_coffee_rule0", ${END}`, 'delayed', 1.5],
  [`limiting requests, dry run, excess: 12.000 by zone "shop_rl_coffee_rule0", ${END}`, 'rejected_dry_run', 12],
  [`delaying request, dry run, excess: 0.001, by zone "shop_rl_coffee_rule0", ${END}`, 'delayed_dry_run', 0.001],
])('%s', (message, outcome, excess) =>
  expect(readLimited(message)).toEqual({
    outcome,
    excess,
    zone: 'shop_rl_coffee_rule0',
    client: '127.0.0.1',
    request: 'GET / HTTP/1.1',
  }),
)

test('a request line with quotes and commas is read whole', () => {
  const request = 'GET /", server: x, request: "y HTTP/1.1'
  const message = `limiting requests, excess: 0.980 by zone "z", client: ::1, server: _, request: "${request}", upstream: "http://a", host: "b"`
  expect(readLimited(message)).toMatchObject({ request, client: '::1' })
})

test('a record that nginx has cut has no request', () =>
  expect(readLimited('limiting requests, excess: 0.980 by zone "z", client: ::1, server: _')?.request).toBe(''))

test.each(['signal process started', 'limiting connections by zone "z", client: ::1, server: _', ''])(
  'is about something else: %s',
  (message) => expect(readLimited(message)).toBeUndefined(),
)
