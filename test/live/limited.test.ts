/** What nginx says of delayed and rejected requests. */
import { expect, test } from 'vitest'
import { readLimited } from '../../src/live/limited.ts'

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
