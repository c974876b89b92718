/** What rendered limits do to requests, HTTP and gRPC. Source: specification of RateLimitPolicy, "Resources and their fields", "Events" and "Errors". */
import { describe, expect, test } from 'vitest'
import { policy } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import { type Seen, send } from './backends.ts'
import { edge, on, rpc, running, web } from './running-gateway.ts'
import { describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

/** Milliseconds from a moment to each response, in their order. */
const waits = (seen: readonly Seen[], since: number): readonly number[] =>
  seen.map(({ at }) => at - since).sort((a, b) => a - b)

/** nginx's clock moves in ticks: a response may come this many milliseconds early. A busy machine only makes it late. */
const EARLY = 50
const LATE = 1500

const many = <Value>(count: number, make: () => Promise<Value>): Promise<readonly Value[]> =>
  Promise.all(Array.from({ length: count }, make))

describeNginx('limits of Gateway and route', (program) => {
  describe('stacked', () => {
    const now = running(program, {
      routes: ['slow', 'both', 'hop'].flatMap((name) => [web(name), rpc(name)]),
      policies: [
        edge({ key: '$http_x_client', rate: '10r/s', burst: 20 }),
        on('slow', { key: '$http_x_slow', rate: '1r/s', burst: 5 }),
        on('both', { key: '$http_x_client', rate: '1r/s', burst: 5 }),
        on('hop', { key: '$binary_remote_addr', rate: '1r/m' }, { rejectCode: 429 }),
      ],
    })

    test('1r/s with a burst spaces responses by a second, also where the Gateway allows ten by the same key', async () => {
      const { get: ask, call, records } = now()
      const start = performance.now()
      const sequences = await Promise.all([
        many(3, () => ask('/slow', { 'x-slow': 'a' })),
        many(3, () => call('slow', { 'x-slow': 'b' })),
        many(3, () => ask('/both', { 'x-client': 'c' })),
        many(3, () => call('both', { 'x-client': 'd' })),
      ])
      for (const seen of sequences) {
        expect(seen.map(({ code }) => code)).toEqual([200, 200, 200])
        for (const [index, wait] of waits(seen, start).entries()) {
          expect(wait).toBeGreaterThan(1000 * index - EARLY)
          expect(wait).toBeLessThan(1000 * index + LATE)
        }
      }
      const delayed = records().filter((record) => record.includes('"shop_rl_slow_rule0"'))
      expect(delayed).toHaveLength(4)
      for (const record of delayed)
        expect(record).toMatch(
          /^\[warn\] delaying request, excess: N, by zone "shop_rl_slow_rule0", client: 127\.0\.0\.1, server: [^,]+, request: "[^"]+", host: "[^"]+"$/,
        )
    })

    test('behind a hop the client is limited by its real address, whatever headers it sends', async () => {
      const { get: ask, nginx, records, backends } = now()
      const since = nginx.log().length
      const claims = ['203.0.113.1', '203.0.113.2', '203.0.113.3']
      const seen = []
      for (const address of claims) seen.push(await ask('/hop/x?y=%20', { 'x-sluice-client-address': address }))
      expect(seen.map(({ code }) => code)).toEqual([200, 429, 429])
      expect(records(since).every((record) => record.includes('client: 127.0.0.1,'))).toBe(true)
      const [heard] = backends.web.heard.filter(({ path }) => path.startsWith('/hop'))
      expect(heard).toMatchObject({ path: '/hop/x?y=%20', headers: { host: `127.0.0.1:${now().port}` } })
      expect(heard?.headers).not.toHaveProperty('x-sluice-client-address')
      expect(backends.web.heard.filter(({ path }) => path.startsWith('/hop'))).toHaveLength(1)
    })

    test('behind a hop a client gets its response although its body is not read', async () =>
      expect(await send(now().port, '/hop', { method: 'POST', body: Buffer.alloc(900_000) })).toBe(429))

    test('the access log has the outcome of the limits of the location', async () => {
      for (let asked = 0; asked < 30; asked += 1) void now().get('/both', { 'x-client': 'log' })
      const rejected = () =>
        now()
          .nginx.requests()
          .find((line) => line.includes('/both') && line.includes(' 503 '))
      await expect
        .poll(rejected)
        .toMatch(
          /^127\.0\.0\.1 - - \[[^\]]+\] "GET \/both HTTP\/1\.1" 503 \d+ "-" "-" "127\.0\.0\.1" http \d+ \d+\.\d{3} \d\.\d{3} REJECTED$/,
        )
    })
  })

  describe('inherited', () => {
    const now = running(
      program,
      {
        routes: ['own', 'none', 'spill'].flatMap((name) => [web(name), rpc(name)]),
        policies: [
          edge({ key: '$http_x_client', rate: '1r/m' }, { rejectCode: 429 }),
          on('own', { key: '$http_x_client', rate: '1000r/s', burst: 100, noDelay: true }),
          policy('spill', { on: ['HTTPRoute spill', 'GRPCRoute spill'], settings: { dryRun: true } }),
        ],
      },
      { composition: 'inherit' },
    )

    test.each(cases<{ name: string; means: string; codes: number[] }[]>('inherited'))(
      '$means',
      async ({ name, codes }) => {
        const { get: ask, call } = now()
        const seen = { http: [] as number[], grpc: [] as number[] }
        for (const _ of codes) seen.http.push((await ask(`/${name}`, { 'x-client': `${name}-h` })).code)
        for (const _ of codes) seen.grpc.push((await call(name, { 'x-client': `${name}-g` })).code)
        expect(seen).toEqual({ http: codes, grpc: codes })
      },
    )
  })

  describe('that close connections', () => {
    const now = running(program, {
      routes: [
        web('hop'),
        web('maybe', { matches: [{ path: { value: '/maybe' }, method: 'GET' }] }),
        web('lost', { backendRefs: [{ name: 'nobody', port: 9 }] }),
      ],
      policies: [
        edge({ key: '$http_x_outer', rate: '1r/m' }),
        ...['hop', 'maybe', 'lost'].map((name) =>
          on(name, { key: '$http_x_client', rate: '1r/m' }, { rejectCode: 444 }),
        ),
      ],
    })

    test('do so behind a hop as well, and a lost backend stays a 502', async () => {
      const { get: ask } = now()
      for (const name of ['hop', 'maybe']) {
        const seen = [await ask(`/${name}`, { 'x-client': name }), await ask(`/${name}`, { 'x-client': name })]
        expect(seen.map(({ code }) => code)).toEqual([200, 0])
      }
      expect(await ask('/lost', { 'x-client': 'lost' })).toMatchObject({ code: 502 })
    })
  })
})
