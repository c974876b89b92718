import { describe, expect, it } from 'vitest'
import { fileNameSize, fileNamesOf, policyFiles } from '../../src/gateway/render/files.ts'
import { gatewaysIn } from '../../src/gateway/render/listeners.ts'
import { type RenderOptions, renderGateway } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { LONGEST_FILE_NAME } from '../../src/nginx/rejections.ts'
import { RENDER_OPTIONS, renderScene, type Scene } from '../nginx/rendered.ts'
import { gateway, perClient, policy, route, world } from './objects.ts'

const fragments = (scene: Scene, options: Partial<RenderOptions> = {}): string =>
  renderScene(scene, { complete: false, ...options })
    .files.map(({ text }) => text)
    .join('\n')

/** Directives alone, in order. */
const directives = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (/^\s*(#|$)/.test(line) ? [] : [line.trim()]))

/** The directives below the heading of a route's locations. */
const locationOf = (name: string, text: string): readonly string[] =>
  directives(
    text
      .split('# ---- ')
      .find((part) => part.startsWith(`locations of HTTPRoute shop/${name} `))
      ?.replace(/^.*\n/, '') ?? '',
  )

const httpOf = (text: string): readonly string[] => directives(text.slice(0, text.indexOf('# ---- locations of')))

const at = (path: string): JsonObject => ({
  rules: [{ matches: [{ path: { value: path } }], backendRefs: [{ name: 'coffee', port: 80 }] }],
})
const edge = (settings: JsonObject = {}, name = 'edge', created?: string) =>
  policy(name, { on: ['Gateway shop'], limits: [perClient('10r/s')], settings, created })
const own = (settings: JsonObject = {}, limits = [perClient('1r/s')]) => policy('own', { limits, settings })
const OUTER = 'limit_req zone=shop_rl_edge_rule0;'
const INNER = 'limit_req zone=shop_rl_own_rule0;'
const scene = (...policies: Scene['policies']): Scene => ({ routes: [route('coffee', at('/coffee'))], policies })

describe('the directives of a policy', () => {
  const limits = [
    { key: '$binary_remote_addr', rate: '10r/s' },
    { key: '"$host:$uri"', rate: '007r/m', zoneSize: '0010m', burst: 5, delay: 2 },
    { key: '$uri', rate: '1r/s', zoneSize: '32k', burst: 5, noDelay: true },
    { key: '$uri', rate: '1r/s', burst: 0, delay: 0 },
  ]

  it('are written as the author wrote them, in one file for zones and one for limits', () => {
    const files = policyFiles(
      policy('coffee', { limits, settings: { dryRun: true, logLevel: 'warn', rejectCode: 429 } }),
      'indexed',
    )
    expect(files).toEqual([
      {
        name: 'RateLimitPolicy_Routes_shop_coffee_zones.conf',
        text: `# RateLimitPolicy shop/coffee: zones, at http
limit_req_zone $binary_remote_addr zone=shop_rl_coffee_rule0:10m rate=10r/s;
limit_req_zone "$host:$uri" zone=shop_rl_coffee_rule1:0010m rate=007r/m;
limit_req_zone $uri zone=shop_rl_coffee_rule2:32k rate=1r/s;
limit_req_zone $uri zone=shop_rl_coffee_rule3:10m rate=1r/s;
`,
      },
      {
        name: 'RateLimitPolicy_Routes_shop_coffee_limits.conf',
        text: `# RateLimitPolicy shop/coffee: limits, in the locations of its routes
limit_req zone=shop_rl_coffee_rule0;
limit_req zone=shop_rl_coffee_rule1 burst=5 delay=2;
limit_req zone=shop_rl_coffee_rule2 burst=5 nodelay;
limit_req zone=shop_rl_coffee_rule3;
limit_req_dry_run on;
limit_req_log_level warn;
limit_req_status 429;
`,
      },
    ])
  })

  it('have file names as long as those of NGINX Gateway Fabric, which limit the length of the name of a policy', () => {
    const [onGateway, onRoute] = [policy('', { on: ['Gateway shop'], namespace: '' }), policy('', { namespace: '' })]
    const room = (one: typeof onRoute) => LONGEST_FILE_NAME - fileNamesOf(one).limits.length
    expect([room(onGateway), room(onRoute)]).toEqual([fileNameSize(onGateway).most, fileNameSize(onRoute).most])
  })
})

describe('comments', () => {
  it('say where the directives are, for a location without any of its own', () => {
    expect(fragments(scene(edge()))).toContain('# No directives of its own: those at http apply.\n')
    expect(fragments(scene(own()))).not.toContain('No directives of its own')
  })
})

describe('a location', () => {
  it('repeats the limits of its Gateway before its own', () => {
    const text = fragments(scene(edge({ rejectCode: 429 }), own()))
    expect(httpOf(text)).toEqual([
      'limit_req_zone $binary_remote_addr zone=shop_rl_edge_rule0:10m rate=10r/s;',
      'limit_req_zone $binary_remote_addr zone=shop_rl_own_rule0:10m rate=1r/s;',
      OUTER,
      'limit_req_status 429;',
    ])
    expect(locationOf('coffee', text)).toEqual([OUTER, INNER])
  })

  it.each([
    { policies: [edge()], composition: 'stack', location: [] },
    { policies: [own({ rejectCode: 429 })], composition: 'stack', location: [INNER, 'limit_req_status 429;'] },
    {
      policies: [edge({ rejectCode: 429 }), own({ rejectCode: 429 })],
      composition: 'stack',
      location: [OUTER, INNER, 'limit_req_status 429;'],
    },
    { policies: [edge({ dryRun: true }), own()], composition: 'stack', location: [OUTER, INNER] },
    {
      policies: [edge(), own({ dryRun: false, logLevel: 'error', rejectCode: 503 })],
      composition: 'stack',
      location: [OUTER, INNER, 'limit_req_log_level error;', 'limit_req_status 503;'],
    },
    { policies: [edge(), policy('own', { settings: { dryRun: true } })], composition: 'stack', location: [] },
    {
      policies: [edge({ rejectCode: 429 }), own({ rejectCode: 430 })],
      composition: 'inherit',
      location: [INNER, 'limit_req_status 430;'],
    },
    { policies: [edge({ dryRun: true }), own({ dryRun: false })], composition: 'inherit', location: [INNER] },
    {
      policies: [edge(), policy('own', { settings: { dryRun: true } })],
      composition: 'inherit',
      location: ['limit_req_dry_run on;'],
    },
  ] as const)('case %#: $composition', ({ policies, composition, location }) => {
    expect(locationOf('coffee', fragments(scene(...policies), { composition }))).toEqual(location)
  })

  it.each([
    {
      outer: {},
      inner: { rejectCode: 429 },
      written: ['limit_req_status 429;', 'limit_req_dry_run off;', 'limit_req_log_level error;'],
    },
    {
      outer: { dryRun: true },
      inner: { dryRun: false },
      written: ['limit_req_dry_run off;', 'limit_req_log_level error;', 'limit_req_status 503;'],
    },
    {
      outer: { rejectCode: 429, logLevel: 'warn' },
      inner: { dryRun: true },
      written: ['limit_req_dry_run on;', 'limit_req_log_level warn;', 'limit_req_status 429;'],
    },
  ])('uses a hop where settings differ: $inner', ({ outer, inner, written }) => {
    const text = fragments(scene(edge(outer), own(inner)), { socketDir: '/run/x' })
    expect(locationOf('coffee', text)[0]).toMatch(/^proxy_pass http:\/\/unix:\/run\/x\/sluice-[0-9a-f]{16}\.sock;$/)
    const server = httpOf(text)
    const inside = server.slice(server.indexOf('location / {') + 1)
    expect(inside.slice(0, 4)).toEqual([INNER, ...written])
    expect(inside).toContain('proxy_set_header X-Sluice-Client-Address "";')
    expect(text).not.toContain(OUTER.repeat(2))
  })

  it('names the variables that change behind a hop', () => {
    const limits = [{ key: '$scheme:$Server_Port$1$http_x$ssl_client_s_dn', rate: '1r/s' }]
    const text = fragments(scene(edge(), own({ dryRun: true }, limits)))
    expect(text.replace(/\n# /g, ' ')).toContain(
      'In the inner server $scheme, $Server_Port, $1, $ssl_client_s_dn do not have the value',
    )
  })
})

describe('notes describe what is left out', () => {
  const notes = (...policies: Scene['policies']) =>
    fragments(scene(...policies))
      .split('# ---- ')[0]
      ?.replaceAll('\n# ', ' ')

  it('rejected policies, with the preferred policy and the field', () => {
    const text = notes(
      edge({ rejectCode: 429 }, 'a', '2026-01-02T00:00:00Z'),
      edge({ rejectCode: 429 }, 'b', '2026-01-01T00:00:00Z'),
    )
    expect(text).toContain(
      'RateLimitPolicy shop/a is left out on Gateway shop: it conflicts with RateLimitPolicy shop/b on Gateway shop (both set rejectCode; the preferred policy is older).',
    )
  })

  it('chains', () => {
    const chain = (name: string, on: readonly string[], settings: JsonObject, created: string) =>
      policy(name, { on, settings, created, limits: [perClient('1r/s')] })
    const names = (...policies: Scene['policies']) =>
      fragments({ routes: [route('coffee', at('/coffee')), route('tea', at('/tea'))], policies })
        .split('# ---- ')[0]
        ?.replaceAll('\n# ', ' ')
    const text = names(
      chain('a', ['HTTPRoute tea'], { dryRun: true }, '2026-01-01T00:00:00Z'),
      chain('b', ['HTTPRoute tea', 'HTTPRoute coffee'], { dryRun: true, rejectCode: 429 }, '2026-01-02T00:00:00Z'),
      chain('c', ['HTTPRoute coffee'], { rejectCode: 429 }, '2026-01-03T00:00:00Z'),
    )
    expect(text).toContain(
      'RateLimitPolicy shop/c is left out on HTTPRoute coffee: whether it is accepted depends on the order of targets. It conflicts with RateLimitPolicy shop/b on HTTPRoute coffee',
    )
  })

  it('what the API server rejects, which does not conflict with others either', () => {
    const broken = edge({ rejectCode: 429, logLevel: 'loud' }, 'a')
    const text = fragments(scene(broken, edge({ rejectCode: 430 }, 'b')))
    expect(text).toContain('# RateLimitPolicy shop/a is left out: the API server rejects it')
    expect(text).toContain('limit_req_status 430;')
    for (const [reason, rejected] of [
      ['targets both a Gateway and routes', policy('x', { on: ['Gateway shop', 'HTTPRoute coffee'] })],
      ['names a target twice', policy('x', { on: ['HTTPRoute coffee', 'HTTPRoute coffee'] })],
      ['has delay and noDelay', own({}, [perClient('1r/s', { delay: 0, noDelay: true })])],
      ['does not meet the schema (pattern)', own({}, [perClient('1 r/s')])],
      ['is not a valid object name', policy('No_Name')],
    ] as const)
      expect(notes(rejected)).toContain(reason)
  })

  it('routes that are not attached, and what is assumed', () => {
    const view = gateway('shop', [
      {
        name: 'https',
        port: 443,
        protocol: 'HTTPS',
        allowedRoutes: { namespaces: { from: 'Selector', selector: { matchLabels: { a: 'b' } } } },
      },
    ])
    const routes = [
      route('coffee', { ...at('/'), parentRefs: [{ name: 'shop', sectionName: 'http' }] }),
      route('tea', at('/')),
    ]
    const text = fragments({ gateway: view, routes, policies: [] })
    expect(text).toContain('# HTTPRoute shop/coffee is not attached and left out')
    expect(text).toContain('# HTTPRoute shop/tea is assumed to be attached')
    expect(text).toContain('# ---- locations of HTTPRoute shop/tea ----\n# https://*:443 PathPrefix /')
  })
})

describe('a Gateway that is not known', () => {
  const routes = [route('coffee', { ...at('/coffee'), parentRefs: [{ name: 'shop', sectionName: 'web', port: 8080 }] })]
  const policies = [edge(), own()]

  it('is found by the objects that name it, and gets the listeners that they name', () => {
    const named = gatewaysIn({
      gateways: [],
      routes,
      policies: [...policies, policy('x', { on: ['Gateway far'], namespace: 'east' })],
    })
    expect(named).toEqual([
      { namespace: 'east', name: 'far', view: undefined },
      { namespace: 'shop', name: 'shop', view: undefined },
    ])
    const lookups = world({ routes, policies })
    const rendered = renderGateway({ namespace: 'shop', name: 'shop', view: undefined }, lookups, {
      ...RENDER_OPTIONS,
      complete: false,
    })
    const text = rendered.files[0]?.text ?? ''
    expect(text).toContain('# The Gateway is not among the given manifests. Assumed: a listener for HTTP on port 8080')
    expect(text).toContain('# http://*:8080 PathPrefix /coffee')
    expect(locationOf('coffee', text)).toEqual([OUTER, INNER])
  })
})
