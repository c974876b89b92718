/** What rendered limits do to requests, HTTP and gRPC. Source: specification of RateLimitPolicy, "Resources and their fields", "Events" and "Errors". */
import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/gateway/member.ts'
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'
import {
  type Backend,
  createGrpcClient,
  GRPC_METHOD,
  type GrpcClient,
  get,
  type Seen,
  startGrpcBackend,
  startHttpBackend,
} from './backends.ts'
import { freePort, type NginxProgram } from './real-nginx.ts'
import { type RunningGateway, renderScene, runRendered, type Scene } from './rendered.ts'
import { describeNginx } from './with-nginx.ts'

const [SERVICE = '', METHOD = ''] = GRPC_METHOD.slice(1).split('/')

/** An HTTPRoute at a path of its own name, behind the listener for HTTP. */
const web = (name: string, more: JsonObject = {}) =>
  route(name, {
    parentRefs: [{ name: 'shop', sectionName: 'http' }],
    rules: [{ matches: [{ path: { value: `/${name}` } }], backendRefs: [{ name: 'web', port: 80 }], ...more }],
  })

/** A GRPCRoute for calls with its name in a header, behind the listener for gRPC. */
const rpc = (name: string) =>
  route(
    name,
    {
      parentRefs: [{ name: 'shop', sectionName: 'grpc' }],
      rules: [
        {
          matches: [{ method: { service: SERVICE, method: METHOD }, headers: [{ name: 'variant', value: name }] }],
          backendRefs: [{ name: 'orders', port: 9000 }],
        },
      ],
    },
    'GRPCRoute',
  )

/** A policy on the HTTPRoute and the GRPCRoute of its name. */
const on = (name: string, limit: JsonObject, settings: JsonObject = {}) =>
  policy(name, { on: [`HTTPRoute ${name}`, `GRPCRoute ${name}`], limits: [{ zoneSize: '32k', ...limit }], settings })

const edge = (limit: JsonObject, settings: JsonObject = {}) =>
  policy('edge', { on: ['Gateway shop'], limits: [{ zoneSize: '32k', ...limit }], settings })

const SHOP = gateway('shop', [
  { name: 'http', port: 80, protocol: 'HTTP' },
  { name: 'grpc', port: 81, protocol: 'HTTP' },
])

type Running = {
  readonly nginx: RunningGateway
  readonly backends: { readonly web: Backend; readonly orders: Backend }
  readonly port: number
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Seen>
  call(name: string, headers?: Readonly<Record<string, string>>): Promise<Seen & { readonly grpc: number }>
  /** The records about limits since a length of the log: `[level] limiting requests …`. */
  records(since?: number): readonly string[]
}

/** Runs a scene as long as the tests around. */
function running(program: NginxProgram, scene: Scene, options: Partial<RenderOptions> = {}): () => Running {
  let made: { readonly value: Running; readonly client: GrpcClient } | undefined
  beforeAll(async () => {
    const backends = { web: await startHttpBackend(), orders: await startGrpcBackend() }
    const [http, grpc] = [await freePort(), await freePort()]
    const folder = mkdtempSync(join(tmpdir(), 'sluice-behaviour-'))
    const rendered = renderScene(
      { gateway: SHOP, ...scene },
      {
        nginxVersion: program.version,
        ports: new Map([
          [80, http],
          [81, grpc],
        ]),
        addresses: new Map([
          ['web', backends.web.address],
          ['orders', backends.orders.address],
        ]),
        socketDir: folder,
        ...options,
      },
    )
    const nginx = await runRendered(program, rendered, { folder, port: http })
    const client = createGrpcClient(grpc)
    const value: Running = {
      nginx,
      backends,
      port: http,
      get: (path, headers) => get(http, path, headers),
      call: (name, headers) => client.call({ variant: name, ...headers }),
      records: (since = 0) =>
        [
          ...nginx
            .log()
            .slice(since)
            .matchAll(/(\[\w+\])[^\n]*?((?:limiting|delaying) request[^\n]*)/g),
        ].map(([, level, text]) => `${level} ${text?.replace(/excess: \d+\.\d+/, 'excess: N')}`),
    }
    made = { value, client }
  })
  afterAll(async () => {
    made?.client.close()
    await made?.value.nginx.stop()
    await made?.value.backends.web.stop()
    await made?.value.backends.orders.stop()
  })
  return () => {
    if (!made) throw new Error('nginx does not run')
    return made.value
  }
}

/** Milliseconds between answers, one after the other. */
const gaps = (seen: readonly Seen[]): readonly number[] => {
  const times = seen.map(({ at }) => at).sort((a, b) => a - b)
  return times.slice(1).map((time, index) => time - (times[index] ?? 0))
}

const many = <Value>(count: number, make: () => Promise<Value>): Promise<readonly Value[]> =>
  Promise.all(Array.from({ length: count }, make))

describeNginx('limits of Gateway and route', (program) => {
  describe('stacked', () => {
    const now = running(program, {
      routes: ['slow', 'both', 'strict', 'dry', 'hop'].flatMap((name) => [web(name), rpc(name)]),
      policies: [
        edge({ key: '$http_x_client', rate: '10r/s', burst: 20 }),
        on('slow', { key: '$http_x_slow', rate: '1r/s', burst: 5 }),
        on('both', { key: '$http_x_client', rate: '1r/s', burst: 5 }),
        on('strict', { key: '$http_x_strict', rate: '1r/m' }, { rejectCode: 503 }),
        on('dry', { key: '$http_x_dry', rate: '1r/m' }, { dryRun: true }),
        on('hop', { key: '$binary_remote_addr', rate: '1r/m' }, { rejectCode: 429 }),
      ],
    })

    test('1r/s with a burst spaces answers by a second, also where the Gateway allows ten by the same key', async () => {
      const { get: ask, call, records } = now()
      const sequences = await Promise.all([
        many(3, () => ask('/slow', { 'x-slow': 'a' })),
        many(3, () => call('slow', { 'x-slow': 'b' })),
        many(3, () => ask('/both', { 'x-client': 'c' })),
        many(3, () => call('both', { 'x-client': 'd' })),
      ])
      for (const seen of sequences) {
        expect(seen.map(({ code }) => code)).toEqual([200, 200, 200])
        for (const gap of gaps(seen)) expect(Math.abs(gap - 1000)).toBeLessThan(250)
      }
      const delayed = records().filter((record) => record.includes('"shop_rl_slow_rule0"'))
      expect(delayed).toHaveLength(4)
      for (const record of delayed)
        expect(record).toMatch(
          /^\[warn\] delaying request, excess: N, by zone "shop_rl_slow_rule0", client: 127\.0\.0\.1, server: [^,]+, request: "[^"]+", host: "[^"]+"$/,
        )
    })

    test('without a burst the second is refused, with the status and record that the policy asks for', async () => {
      const { get: ask, call, nginx, records } = now()
      const since = nginx.log().length
      expect([await ask('/strict', { 'x-strict': 'a' }), await ask('/strict', { 'x-strict': 'a' })]).toMatchObject([
        { code: 200 },
        { code: 503 },
      ])
      expect([await call('strict', { 'x-strict': 'b' }), await call('strict', { 'x-strict': 'b' })]).toMatchObject([
        { code: 200, grpc: 0 },
        { code: 503, grpc: 14 },
      ])
      expect(records(since)).toHaveLength(2)
      for (const record of records(since))
        expect(record).toMatch(
          /^\[error\] limiting requests, excess: N by zone "shop_rl_strict_rule0", client: 127\.0\.0\.1, server: [^,]+, request: "[^"]+", host: "[^"]+"$/,
        )
    })

    test('a dry run refuses nothing and still counts', async () => {
      const { get: ask, call, nginx, records } = now()
      const since = nginx.log().length
      const seen = [
        ...(await many(3, () => ask('/dry', { 'x-dry': 'a' }))),
        ...(await many(3, () => call('dry', { 'x-dry': 'b' }))),
      ]
      expect(seen.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200, 200])
      expect(records(since).filter((record) => /^\[error\] limiting requests, dry run, /.test(record))).toHaveLength(4)
    })

    test('behind a hop it is the client that is limited, whatever it says of itself', async () => {
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

    test('behind a hop a body that nobody reads keeps no client from its answer', async () => {
      expect(await post(now().port, '/hop', 900_000)).toBe(429)
    })

    test('the access log says what the limits of the location said', () => {
      const lines = now().nginx.requests()
      expect(lines.find((line) => line.includes('/strict') && line.includes(' 503 '))).toMatch(
        /^127\.0\.0\.1 - - \[[^\]]+\] "GET \/strict HTTP\/1\.1" 503 \d+ "-" "-" "127\.0\.0\.1" \d+\.\d{3} \d\.\d{3} REJECTED$/,
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

    test.each([
      { name: 'own', means: 'limits of a route replace those of its Gateway', codes: [200, 200, 200] },
      { name: 'none', means: 'a route without any has those of its Gateway', codes: [200, 429, 429] },
      { name: 'spill', means: 'a dry run of a route lifts those of its Gateway', codes: [200, 200, 200] },
    ])('$means', async ({ name, codes }) => {
      const { get: ask, call } = now()
      const seen = { http: [] as number[], grpc: [] as number[] }
      for (const _ of codes) seen.http.push((await ask(`/${name}`, { 'x-client': `${name}-h` })).code)
      for (const _ of codes) seen.grpc.push((await call(name, { 'x-client': `${name}-g` })).code)
      expect(seen).toEqual({ http: codes, grpc: codes })
    })
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

  describe('at the right match', () => {
    const matched = (matches: readonly JsonObject[], name: string) =>
      route(name, {
        parentRefs: [{ name: 'shop', sectionName: 'http' }],
        rules: [{ matches, backendRefs: [{ name: 'web', port: 80 }] }],
      })
    const NAMES = ['any', 'prefix', 'exact', 'post', 'header', 'both', 'query', 'pattern']
    const now = running(program, {
      routes: [
        matched([{ path: { value: '/' } }], 'any'),
        matched([{ path: { value: '/a' } }], 'prefix'),
        matched([{ path: { type: 'Exact', value: '/a/b' } }], 'exact'),
        matched([{ path: { value: '/a' }, method: 'POST' }], 'post'),
        matched([{ path: { value: '/a' }, headers: [{ name: 'Kind', value: 'x"y' }] }], 'header'),
        matched(
          [
            {
              path: { value: '/a' },
              headers: [
                { name: 'kind', value: 'x"y' },
                { name: 'version', type: 'RegularExpression', value: '^v[0-9]$' },
              ],
            },
          ],
          'both',
        ),
        matched([{ path: { value: '/q/r' }, queryParams: [{ name: 'a-b', value: '1+1' }] }], 'query'),
        matched([{ path: { type: 'RegularExpression', value: '/p/[0-9]{2}' } }], 'pattern'),
      ],
      /** A status of its own tells which route's limit refused. */
      policies: NAMES.map((name, index) =>
        policy(name, {
          on: [`HTTPRoute ${name}`],
          limits: [perClient('1r/m', { zoneSize: '32k', key: '$http_x_client' })],
          settings: { rejectCode: 460 + index },
        }),
      ),
    })

    type Case = {
      readonly route: string
      readonly path: string
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
    }
    const CASES: readonly Case[] = [
      { route: 'any', path: '/' },
      { route: 'any', path: '/ab' },
      { route: 'any', path: '/q/r' },
      { route: 'any', path: '/q/r?a-b=1%2B1' },
      { route: 'any', path: '/q/r?A-B=1+1' },
      { route: 'any', path: '/x/p/12' },
      { route: 'prefix', path: '/a' },
      { route: 'prefix', path: '/a/' },
      { route: 'prefix', path: '/a/b/' },
      { route: 'prefix', path: '/a/c?x' },
      { route: 'exact', path: '/a/b' },
      { route: 'exact', path: '/a//%62' },
      { route: 'post', path: '/a/b/c', method: 'POST', headers: { kind: 'x"y' } },
      { route: 'header', path: '/a', headers: { kind: 'x"y' } },
      { route: 'prefix', path: '/a', headers: { kind: 'X"Y' } },
      { route: 'both', path: '/a/d', headers: { kind: 'x"y', version: 'v2' } },
      { route: 'header', path: '/a/d', headers: { kind: 'x"y', version: 'v22' } },
      { route: 'query', path: '/q/r?c=d&a-b=1+1' },
      { route: 'query', path: '/q/r/s?a-b=1+1&e' },
      { route: 'pattern', path: '/p/123' },
    ]
    test.each(CASES)('$route answers $path $headers', async ({ route: name, path, method = 'GET', headers = {} }) => {
      const { port } = now()
      const client = `${path} ${method} ${JSON.stringify(headers)}`
      const all = { ...headers, 'x-client': Buffer.from(client).toString('hex') }
      const [first, second] = [await send(port, path, method, all), await send(port, path, method, all)]
      expect([first, NAMES[second - 460] ?? second]).toEqual([200, name])
    })
  })
})

const send = (port: number, path: string, method: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', () => resolve(0))
      .end()
  })

/** The status of a POST of so many bytes. */
const post = (port: number, path: string, size: number): Promise<number> =>
  new Promise((resolve) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    outgoing.once('error', () => resolve(0)).end(Buffer.alloc(size))
  })
