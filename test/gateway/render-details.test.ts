/** What filters, conditions, ports and certificates of a Gateway become in a whole configuration. */
import { describe, expect, it } from 'vitest'
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { renderScene, type Scene } from '../nginx/rendered.ts'
import { gateway, perClient, policy, route } from './objects.ts'

const BACKENDS = [{ name: 'coffee', port: 80 }]
const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS' }

const textOf = (scene: Scene, options?: Partial<RenderOptions>): string =>
  renderScene(scene, options).files[0]?.text ?? ''

/** The lines of a configuration, without those that are empty. */
const linesOf = (...parameters: Parameters<typeof textOf>): readonly string[] =>
  textOf(...parameters)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A scene of one rule for `/coffee`. */
const ruleScene = (rule: JsonObject, listeners?: readonly JsonObject[]): Scene => ({
  gateway: gateway('shop', listeners),
  routes: [route('coffee', { rules: [{ matches: [{ path: { value: '/coffee' } }], ...rule }] })],
  policies: [],
})

describe('a redirect', () => {
  const redirectOf = (
    requestRedirect: JsonObject,
    listeners?: readonly JsonObject[],
    options?: Partial<RenderOptions>,
  ) =>
    linesOf(ruleScene({ filters: [{ type: 'RequestRedirect', requestRedirect }] }, listeners), options).find((line) =>
      line.startsWith('return 3'),
    )

  it.each([
    [{}, '302 "http://$host$request_uri"'],
    [{ statusCode: 301, hostname: 'tea.example' }, '301 "http://tea.example$request_uri"'],
    [{ statusCode: 300 }, '300 "http://$host$request_uri"'],
    [{ statusCode: 399 }, '399 "http://$host$request_uri"'],
    [{ statusCode: 299 }, '302 "http://$host$request_uri"'],
    [{ statusCode: 400 }, '302 "http://$host$request_uri"'],
    [{ statusCode: 301.5 }, '302 "http://$host$request_uri"'],
    [{ hostname: 'tea;example' }, '302 "http://$host$request_uri"'],
    [{ scheme: 'https' }, '302 "https://$host$request_uri"'],
    [{ scheme: 'http' }, '302 "http://$host$request_uri"'],
    [{ scheme: 'ftp' }, '302 "http://$host$request_uri"'],
    [{ scheme: 'https', port: 8443 }, '302 "https://$host:8443$request_uri"'],
    [{ port: 80 }, '302 "http://$host$request_uri"'],
    [{ port: 8080 }, '302 "http://$host:8080$request_uri"'],
    [{ path: { type: 'ReplaceFullPath', replaceFullPath: '/new' } }, '302 "http://$host/new$is_args$args"'],
    [{ path: { type: 'ReplaceFullPath', replaceFullPath: 'new' } }, '302 "http://$host$request_uri"'],
    [{ path: { type: 'ReplaceFullPath', replaceFullPath: '/$uri' } }, '302 "http://$host$request_uri"'],
    [{ path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } }, '302 "http://$host$request_uri"'],
  ])('%j is %s', (redirect, expected) => expect(redirectOf(redirect)).toBe(`return ${expected};`))

  it.each([
    [{}, 'https://$host'],
    [{ scheme: 'https' }, 'https://$host'],
    [{ scheme: 'http' }, 'http://$host'],
    [{ port: 444 }, 'https://$host:444'],
  ])('%j over TLS goes to %s', (redirect, origin) =>
    expect(redirectOf(redirect, [HTTPS])).toBe(`return 302 "${origin}$request_uri";`),
  )

  it('names the port that is listened on', () => {
    const ports = new Map([[80, 8080]])
    expect(redirectOf({}, undefined, { ports })).toBe('return 302 "http://$host:8080$request_uri";')
    expect(redirectOf({ scheme: 'https' }, undefined, { ports })).toBe('return 302 "https://$host$request_uri";')
  })

  it('is said to lose its path only where it does', () => {
    const notes = (path: JsonObject) =>
      textOf(ruleScene({ filters: [{ type: 'RequestRedirect', requestRedirect: { path } }] }))
    expect(notes({ replacePrefixMatch: '/' })).toContain('path of the redirect')
    expect(notes({ replaceFullPath: '/' })).not.toContain('path of the redirect')
  })
})

describe('filters that are not rendered', () => {
  const filtered = (...types: readonly string[]) =>
    textOf(ruleScene({ filters: [...types.map((type) => ({ type })), {}], backendRefs: BACKENDS }))

  it('are named once', () => {
    expect(filtered('URLRewrite', 'CORS', 'URLRewrite')).toContain('URLRewrite, CORS, without a type')
    expect(textOf(ruleScene({ backendRefs: BACKENDS }))).not.toContain('Not rendered')
  })

  it('are those beside a redirect', () => {
    const text = filtered('URLRewrite', 'RequestRedirect')
    expect(text).toContain('URLRewrite, without a type')
    expect(text).toContain('return 302')
  })
})

describe('the protocol behind a location', () => {
  it.each([
    ['HTTPRoute', 'proxy_pass http://shop_coffee_80;'],
    ['GRPCRoute', 'grpc_pass grpc://shop_coffee_80;'],
  ] as const)('of a %s is that of %s', (kind, directive) =>
    expect(
      linesOf({ routes: [route('coffee', { rules: [{ backendRefs: BACKENDS }] }, kind)], policies: [] }),
    ).toContain(directive),
  )
})

describe('conditions of a match', () => {
  const matching = (...matches: readonly JsonObject[]) =>
    ruleScene({ matches: matches.map((match) => ({ path: { value: '/coffee' }, ...match })), backendRefs: BACKENDS })
  const mapsOf = (...matches: readonly JsonObject[]) =>
    [...textOf(matching(...matches)).matchAll(/map (\S+ \$sluice\S+) \{([^}]*)\}/g)].map(
      ([, head, body = '']) => `${head} ${body.trim().replace(/\s+/g, ' ')}`,
    )

  it.each([
    [[{ method: 'GET' }], ['$request_method $sluice_is_0 default 0; GET 1;']],
    [
      [{ headers: [{ name: 'X-Team', value: 'a.b|c' }] }],
      ['$http_x_team $sluice_is_0 default 0; "~^a\\\\.b\\\\|c$" 1;'],
    ],
    [
      [{ headers: [{ name: 'X-Team', value: 'a.*', type: 'RegularExpression' }] }],
      ['$http_x_team $sluice_is_0 default 0; "" 0; ~a.* 1;'],
    ],
    [
      [{ queryParams: [{ name: 'p+', value: '1' }] }],
      [
        '$args $sluice_query_0 default ""; "~(?:^|&)p\\\\+=([^&]*)" $1;',
        '$sluice_query_0 $sluice_is_1 default 0; "~^1$" 1;',
      ],
    ],
    [
      [{ method: 'GET', headers: [{ name: 'a', value: 'b' }] }, { method: 'GET' }],
      [
        '$request_method $sluice_is_0 default 0; GET 1;',
        '$http_a $sluice_is_1 default 0; "~^b$" 1;',
        '"$sluice_is_0$sluice_is_1" $sluice_all_2 default 0; 11 1;',
      ],
    ],
  ])('%j are these maps: %j', (matches, maps) => expect(mapsOf(...matches)).toEqual(maps))

  it.each([
    [{ headers: [{ name: 'x_y', value: 'a' }] }, 'the header x_y'],
    [{ queryParams: [{ name: '', value: 'a' }] }, 'query parameter without a name'],
    [{ method: 'get' }, 'the method get'],
  ])('%j have no map, and the rule says so', (match, reason) => {
    expect(mapsOf(match)).toEqual([])
    expect(textOf(matching(match)).replace(/\n\s*# /g, ' ')).toContain(reason)
  })

  it('lead to one location of a rule, however many matches lead there', () => {
    const lines = linesOf(matching({ method: 'GET' }, { method: 'PUT' }))
    expect(lines.filter((line) => line === 'location @HTTPRoute_shop_coffee_rule0 {')).toHaveLength(1)
    expect(lines.filter((line) => line === 'error_page 418 = @HTTPRoute_shop_coffee_rule0;')).toHaveLength(4)
  })

  it('stand before a match without any, the more of them the earlier', () => {
    const rules = [
      { matches: [{ path: { value: '/' } }], backendRefs: BACKENDS },
      { matches: [{ path: { value: '/' }, method: 'GET' }], backendRefs: BACKENDS },
      {
        matches: [{ path: { value: '/' }, method: 'GET', headers: [{ name: 'a', value: 'b' }] }],
        backendRefs: BACKENDS,
      },
    ]
    const lines = linesOf({ routes: [route('coffee', { rules })], policies: [] })
    expect(lines.filter((line) => line.startsWith('error_page'))).toEqual([
      'error_page 418 = @HTTPRoute_shop_coffee_rule2;',
      'error_page 418 = @HTTPRoute_shop_coffee_rule1;',
    ])
    expect(lines).toContain('proxy_pass http://shop_coffee_80;')
  })
})

describe('a pattern for gRPC methods', () => {
  it.each([
    [{ service: 'a' }, '~ "^(?:/a/[^/]+)$"'],
    [{ method: 'b' }, '~ "^(?:/[^/]+/b)$"'],
    [{ service: 'a', method: 'b|c' }, '~ "^(?:/a/b|c)$"'],
  ])('%j is a location for the whole path', (method, location) => {
    const rules = [{ matches: [{ method: { type: 'RegularExpression', ...method } }], backendRefs: BACKENDS }]
    expect(linesOf({ routes: [route('coffee', { rules }, 'GRPCRoute')], policies: [] })).toContain(
      `location ${location} {`,
    )
  })
})

describe('a location', () => {
  const menu = (match: JsonObject, name: string) => ({
    matches: [{ path: { value: '/menu' }, ...match }],
    backendRefs: [{ name, port: 80 }],
  })
  const linesFor = (...rules: readonly JsonObject[]) =>
    linesOf({ gateway: gateway('shop'), routes: [route('coffee', { rules: [...rules] })], policies: [] })
  const passes = (...rules: readonly JsonObject[]) =>
    linesFor(...rules).filter((line) => /_pass .*shop_\w+_80/.test(line))
  const answers404 = (...rules: readonly JsonObject[]) =>
    linesFor(...rules).filter((line) => line === 'return 404;').length
  const POST = { method: 'POST' }

  it('has no match after one without conditions', () => {
    expect(new Set(passes(menu({}, 'first'), menu({}, 'second')))).toEqual(
      new Set(['proxy_pass http://shop_first_80;']),
    )
  })
  it('answers 404 where every match has conditions, and only there', () => {
    expect(answers404(menu(POST, 'first'))).toBeGreaterThan(answers404(menu({}, 'first')))
  })
  it('has a match without conditions after those with them', () => {
    const both = ['proxy_pass http://shop_first_80;', 'proxy_pass http://shop_second_80;']
    expect(new Set(passes(menu(POST, 'first'), menu({}, 'second')))).toEqual(new Set(both))
  })
})

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

describe('the locations of a path', () => {
  const headsOf = (...matches: readonly JsonObject[]) =>
    linesOf(ruleScene({ matches: matches.map((path) => ({ path })), backendRefs: BACKENDS })).filter((line) =>
      line.startsWith('location '),
    )

  it.each([
    [[{ value: '/coffee' }], ['location = /coffee {', 'location /coffee/ {', 'location / {']],
    [[{ type: 'Exact', value: '/coffee' }], ['location = /coffee {', 'location / {']],
    [[{ value: '/' }], ['location / {']],
    [[{ type: 'RegularExpression', value: '/c.*' }], ['location ~ "^/c.*" {', 'location / {']],
    [[{ type: 'Exact', value: 'coffee' }], ['location / {']],
  ])('%j are %j', (paths, heads) => expect(headsOf(...paths)).toEqual(heads))
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
