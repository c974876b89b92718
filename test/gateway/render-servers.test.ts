/** What is around the locations: ports, listeners, backends, hops, and the files of policies. */
import { describe, expect, it } from 'vitest'
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { renderScene } from '../nginx/rendered.ts'
import { gateway, perClient, policy, route } from './objects.ts'
import { BACKENDS, HTTPS, linesOf, ruleScene, textOf } from './scenes.ts'

describe('a port', () => {
  const routes = {
    http: route('coffee', { rules: [{ backendRefs: BACKENDS }] }),
    grpc: route('tea', { rules: [{ backendRefs: BACKENDS }] }, 'GRPCRoute'),
  }
  const listens = (
    kinds: readonly (keyof typeof routes)[],
    { listeners, ...options }: Partial<RenderOptions> & { listeners?: readonly JsonObject[] } = {},
  ) =>
    linesOf({ gateway: gateway('shop', listeners), routes: kinds.map((kind) => routes[kind]), policies: [] }, options)
      .filter((line) => /^(?:listen|http2) /.test(line))
      .join(' ')

  const certificates = new Map([['https', { certificate: '/tls/a.crt', key: '/tls/a.key' }]])

  it.each([
    ['1.22.1', ['http'], 'listen 127.0.0.1:80 default_server;'],
    ['1.22.1', ['grpc'], 'listen 127.0.0.1:80 default_server http2;'],
    ['1.22.1', ['http', 'grpc'], 'listen 127.0.0.1:80 default_server;'],
  ] as const)('of nginx %s with routes %j without TLS', (nginxVersion, kinds, expected) =>
    expect(listens(kinds, { nginxVersion })).toBe(expected),
  )

  it.each([
    [['http'], 'listen 127.0.0.1:80 default_server;'],
    [['grpc'], 'http2 on; listen 127.0.0.1:80 default_server;'],
  ] as const)('of a newer nginx with routes %j speaks HTTP/2 where a route needs it', (kinds, expected) =>
    expect(listens(kinds, { nginxVersion: '1.31.0' })).toBe(expected),
  )

  it.each(['http', 'grpc'] as const)('of nginx 1.22.1 speaks HTTP/2 over TLS with a route of %s', (kind) =>
    expect(listens([kind], { nginxVersion: '1.22.1', listeners: [HTTPS], certificates })).toBe(
      'listen 127.0.0.1:443 default_server ssl http2;',
    ),
  )

  it('says which protocol it does not speak', () => {
    const about = (kinds: readonly (keyof typeof routes)[], nginxVersion: string) =>
      textOf({ routes: kinds.map((kind) => routes[kind]), policies: [] }, { nginxVersion }).replace(/\n\s*# /g, ' ')
    expect(about(['grpc'], '1.22.1')).toMatch(/no HTTP\/1\b/)
    expect(about(['http', 'grpc'], '1.22.1')).toMatch(/no HTTP\/2\b/)
    expect(about(['http'], '1.22.1')).not.toMatch(/no HTTP\/[12]\b/)
    expect(about(['http', 'grpc'], '1.31')).not.toMatch(/no HTTP\/[12]\b/)
  })

  it('is that of every address where none is given', () => {
    expect(listens(['http'], { address: '' })).toBe('listen 80 default_server;')
  })

  it('has a default server of its own where every server has a name', () => {
    const scene = {
      routes: [route('coffee', { hostnames: ['tea.example'], rules: [{ backendRefs: BACKENDS }] })],
      policies: [],
    }
    expect(linesOf(scene).filter((line) => /^(?:listen|server_name) /.test(line))).toEqual([
      'listen 127.0.0.1:80 default_server;',
      'server_name _;',
      'listen 127.0.0.1:80;',
      'server_name tea.example;',
    ])
  })
})

describe('a backend', () => {
  const serversOf = (...backendRefs: readonly JsonObject[]) =>
    [...new Set(linesOf(ruleScene({ backendRefs })))].filter((line) =>
      /^(?:upstream|server) [^{]|^try_files/.test(line),
    )

  it.each([
    [{ name: 'coffee', port: 65_535 }, ['upstream shop_coffee_65535 {', 'server 127.0.0.1:65535;']],
    [{ name: 'coffee', port: 65_536 }, ['try_files /sluice.no-backend =500;']],
    [{ name: 'coffee', port: 0 }, ['try_files /sluice.no-backend =500;']],
    [{ name: 'coffee', port: 1, namespace: 'cafe' }, ['upstream cafe_coffee_1 {', 'server 127.0.0.1:1;']],
    [{ name: 'coffee', port: 80, weight: 0 }, ['try_files /sluice.no-backend =500;']],
    [{ name: 'coffee', port: 80, kind: 'Bucket' }, ['try_files /sluice.no-backend =500;']],
    [{ name: 'coffee', port: 80, group: 'example.com' }, ['try_files /sluice.no-backend =500;']],
  ])('%j is %j', (ref, lines) => expect(serversOf(ref)).toEqual(lines))

  it('shares requests by weight', () => {
    expect(
      serversOf({ name: 'a', port: 80 }, { name: 'b', port: 81, weight: 3 }, { name: 'c', port: 82, weight: 0 }),
    ).toEqual([
      'upstream HTTPRoute_shop_coffee_rule_0 {',
      'server 127.0.0.1:80 weight=1;',
      'server 127.0.0.1:81 weight=3;',
    ])
  })

  it('that is missing differs from one of weight 0', () => {
    expect(textOf(ruleScene({ backendRefs: [] }))).toContain('it has no backend')
    expect(textOf(ruleScene({ backendRefs: [{ name: 'coffee', port: 80, weight: 0 }] }))).not.toContain(
      'it has no backend',
    )
  })
})

describe('the listeners of a Gateway', () => {
  const two = [
    { name: 'a', port: 80, protocol: 'HTTP' },
    { name: 'b', port: 8080, protocol: 'HTTP' },
  ]
  const rules = [{ matches: [{ path: { type: 'Exact', value: '/coffee' } }], backendRefs: BACKENDS }]

  it('serve only the routes that are attached to them', () => {
    const coffee = route('coffee', { parentRefs: [{ name: 'shop', sectionName: 'a' }], rules })
    const lines = linesOf({ gateway: gateway('shop', two), routes: [coffee], policies: [] })
    expect(lines.filter((line) => /^(?:listen|location) /.test(line))).toEqual([
      'listen 127.0.0.1:80 default_server;',
      'location = /coffee {',
      'location / {',
      'listen 127.0.0.1:8080 default_server;',
    ])
  })

  it('are assumed where it has none', () => {
    const listens = (parent: JsonObject) =>
      linesOf({
        gateway: gateway('shop', []),
        routes: [route('coffee', { parentRefs: [{ name: 'shop', ...parent }], rules })],
        policies: [],
      }).filter((line) => line.startsWith('listen '))
    expect(listens({ port: 8080 })).toEqual(['listen 127.0.0.1:8080 default_server;'])
    expect(listens({})).toEqual(['listen 127.0.0.1:80 default_server;'])
    expect(listens({ name: 'other' })).toEqual(['listen 127.0.0.1:80 default_server;'])
  })
})

describe('a policy that the API server rejects', () => {
  it('keeps no other policy from being rendered', () => {
    const onGateway = (name: string, rejectCode: number, limit: JsonObject) =>
      policy(name, { on: ['Gateway shop'], limits: [limit], settings: { rejectCode } })
    const lines = linesOf({
      routes: [],
      policies: [
        onGateway('a', 429, perClient('1r/s', { delay: 1, noDelay: true })),
        onGateway('b', 430, perClient('1r/s')),
      ],
    })
    expect(lines.filter((line) => line.startsWith('limit_req_status'))).toEqual(['limit_req_status 430;'])
  })
})

describe('fragments with files', () => {
  it('include the inner server where the limits of a route stand apart', () => {
    const policies = [
      policy('edge', { on: ['Gateway shop'], limits: [perClient('1r/s')] }),
      policy('own', { limits: [perClient('1r/s')], settings: { rejectCode: 429 } }),
    ]
    const { files } = renderScene(
      { routes: [route('coffee', { rules: [{ backendRefs: BACKENDS }] })], policies },
      { complete: false, files: true },
    )
    const http = files.find(({ name }) => name === 'http.conf')?.text ?? ''
    expect(http).toContain('include hop_HTTPRoute_shop_coffee.conf;')
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['location_HTTPRoute_shop_coffee.conf', 'hop_HTTPRoute_shop_coffee.conf']),
    )
    expect(http).toMatch(/^# ---- http context ----$/m)
  })

  it.each([
    [[], 'server_name _;'],
    [['tea.example', 'juice.example'], 'server_name tea.example juice.example;'],
  ])('name the hosts %j of an inner server', (hostnames, directive) => {
    const policies = [
      policy('edge', { on: ['Gateway shop'], limits: [perClient('1r/s')] }),
      policy('own', { limits: [perClient('1r/s')], settings: { rejectCode: 429 } }),
    ]
    const { files } = renderScene(
      { routes: [route('coffee', { hostnames, rules: [{ backendRefs: BACKENDS }] })], policies },
      { complete: false },
    )
    expect(files.map(({ text }) => text).join('')).toContain(directive)
  })
})

describe('a hop', () => {
  const hop = (rejectCode: number, kind: 'HTTPRoute' | 'GRPCRoute' = 'HTTPRoute', hostnames: readonly string[] = []) =>
    linesOf({
      routes: [route('coffee', { hostnames: [...hostnames], rules: [{ backendRefs: BACKENDS }] }, kind)],
      policies: [
        policy('edge', { on: ['Gateway shop'], limits: [perClient('1r/s')] }),
        policy('own', { on: [`${kind} coffee`], limits: [perClient('1r/s')], settings: { rejectCode } }),
      ],
    })

  it('closes the connection only where the inner server does', () => {
    expect(hop(444)).toContain('error_page 502 = @sluice_closed;')
    expect(hop(429)).not.toContain('error_page 502 = @sluice_closed;')
  })
  it('says which hosts it is behind', () => {
    const text = (hostnames: readonly string[]) => hop(429, 'HTTPRoute', hostnames).join(' ').replaceAll(' # ', ' ')
    expect(text([])).toContain('behind every host on port 80')
    expect(text(['a.example'])).toContain('behind a.example on port 80')
    expect(text(['a.example'])).not.toContain('behind every host')
  })
  it('speaks the protocol of the route', () => {
    const passes = (kind: 'HTTPRoute' | 'GRPCRoute') =>
      hop(429, kind).flatMap((line) => /^(?:proxy|grpc)_pass (?:http|grpc):\/\/(?:unix|shop)/.exec(line) ?? [])
    expect(passes('HTTPRoute')).toEqual(['proxy_pass http://unix', 'proxy_pass http://shop'])
    expect(passes('GRPCRoute')).toEqual(['grpc_pass grpc://unix', 'grpc_pass grpc://shop'])
    expect(hop(429, 'GRPCRoute')).toContain('grpc_set_header X-Sluice-Client-Address $remote_addr;')
  })
})
