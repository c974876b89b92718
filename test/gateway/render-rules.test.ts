/** What the rules of routes become: redirects, matches and filters as locations. */
import { describe, expect, it } from 'vitest'
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { gateway, route } from './objects.ts'
import { BACKENDS, HTTPS, linesOf, ruleScene, textOf } from './scenes.ts'

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
