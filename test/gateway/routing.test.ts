import { describe, expect, it } from 'vitest'
import { readRoute } from '../../src/gateway/objects/gateways-and-routes.ts'
import { routeRows } from '../../src/gateway/routing/matches.ts'
import { createRouter, unknownPatterns } from '../../src/gateway/routing/router.ts'
import type { JsonObject } from '../../src/json/member.ts'

type Match = JsonObject
type RouteText = {
  readonly hostnames?: readonly string[]
  readonly matches?: readonly Match[]
  readonly rules?: readonly JsonObject[]
  readonly kind?: 'HTTPRoute' | 'GRPCRoute'
  readonly created?: string
}

/** Routes by name. */
function routes(texts: Readonly<Record<string, RouteText>>) {
  return Object.entries(texts).map(([name, { hostnames = [], matches, rules, kind = 'HTTPRoute', created }]) => ({
    route: readRoute(kind, {
      metadata: { name, namespace: 'shop', ...(created === undefined ? {} : { creationTimestamp: created }) },
      spec: { hostnames, rules: rules ?? [matches === undefined ? {} : { matches }] },
    }),
    hostnames: hostnames.length === 0 ? [''] : hostnames,
  }))
}

const path = (type: string, value: string): Match => ({ path: { type, value } })
const prefix = (value: string): Match => path('PathPrefix', value)

/** The name of the route, and the rule, that match `METHOD host/path?query`. */
function meet(
  texts: Readonly<Record<string, RouteText>>,
  request: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const all = routes(texts)
  const [method = '', url = ''] = request.split(' ')
  const slash = url.indexOf('/')
  const [at = '', query = ''] = url.slice(slash).split('?')
  const row = createRouter(routeRows(all))({
    host: slash === 0 ? undefined : url.slice(0, slash),
    path: at,
    method,
    header: (name) => headers[name],
    argument: (name) => new URLSearchParams(query).get(name) ?? undefined,
  })
  return row && `${all[row.route]?.route.identity.name} ${row.rule}`
}

describe('a hostname', () => {
  const texts = {
    any: {},
    wide: { hostnames: ['*.example'] },
    narrow: { hostnames: ['*.shop.example'] },
    exact: { hostnames: ['Menu.Shop.Example'] },
  }
  it.each([
    ['GET menu.shop.example/', 'exact 0'],
    ['GET tea.shop.example/', 'narrow 0'],
    ['GET a.b.shop.example/', 'narrow 0'],
    ['GET shop.example/', 'wide 0'],
    ['GET example/', 'any 0'],
    ['GET other.test/', 'any 0'],
  ])('%s matches %s', (request, route) => expect(meet(texts, request)).toBe(route))

  it('that matches excludes all others', () => {
    const two = { exact: { hostnames: ['a.example'], matches: [prefix('/a')] }, any: { matches: [prefix('/')] } }
    expect(meet(two, 'GET a.example/b')).toBeUndefined()
  })

  it('that is not known may be any', () => {
    const two = {
      a: { hostnames: ['a.example'], matches: [prefix('/a')] },
      b: { hostnames: ['b.example'], matches: [prefix('/b')] },
    }
    expect(meet(two, 'GET /b/c')).toBe('b 0')
  })
})

describe('a path', () => {
  const texts = {
    root: { matches: [prefix('/')] },
    coffee: { matches: [prefix('/coffee')] },
    beans: { matches: [prefix('/coffee/beans/')] },
    exact: { matches: [path('Exact', '/coffee/today')] },
    images: { matches: [path('RegularExpression', '/.+\\.png$')] },
    large: { matches: [path('RegularExpression', '/coffee/large/.+\\.png$')] },
  }
  it.each([
    ['GET h/', 'root 0'],
    ['GET h/tea', 'root 0'],
    ['GET h/coffee', 'coffee 0'],
    ['GET h/coffee/', 'coffee 0'],
    ['GET h/coffeehouse', 'root 0'],
    ['GET h/coffee/beansprout', 'coffee 0'],
    ['GET h/coffee/beans', 'beans 0'],
    ['GET h/coffee/beans/dark', 'beans 0'],
    ['GET h/coffee/today', 'exact 0'],
    ['GET h/coffee/today/', 'coffee 0'],
    ['GET h/coffee/a.png', 'images 0'],
    ['GET h/coffee/large/a.png', 'large 0'],
  ])('%s matches %s', (request, route) => expect(meet(texts, request)).toBe(route))

  it('of 100 kB is matched quickly', () => expect(meet(texts, `GET h/coffee${'/a'.repeat(50_000)}`)).toBe('coffee 0'))
})

describe('among equal paths', () => {
  const at = (more: Match): Match => ({ ...prefix('/a'), ...more })
  const header = (name: string, value: string, type = 'Exact') => ({ headers: [{ name, value, type }] })
  const texts = {
    plain: { matches: [at({})] },
    post: { matches: [at({ method: 'POST' })] },
    tenant: { matches: [at(header('X-Tenant', 'acme'))] },
    pattern: {
      matches: [
        at({
          headers: [
            { name: 'x-tenant', value: '^a', type: 'RegularExpression' },
            { name: 'x-beta', value: '1' },
          ],
        }),
      ],
    },
    query: { matches: [at({ queryParams: [{ name: 'v', value: '2' }] })] },
  }
  it.each([
    ['GET h/a', {}, 'plain 0'],
    ['POST h/a', {}, 'post 0'],
    ['POST h/a?v=2', { 'x-tenant': 'acme' }, 'post 0'],
    ['GET h/a?v=2', {}, 'query 0'],
    ['GET h/a?v=2', { 'x-tenant': 'acme' }, 'tenant 0'],
    ['GET h/a', { 'x-tenant': 'acme', 'x-beta': '1' }, 'pattern 0'],
    ['GET h/a', { 'x-tenant': 'other' }, 'plain 0'],
  ])('%s with %j matches %s', (request, headers, route) => expect(meet(texts, request, headers)).toBe(route))

  it('the older route comes first, then the name, then the first rule', () => {
    const rules = [{ matches: [prefix('/a')] }, { matches: [prefix('/a')] }]
    expect(
      meet({ b: { rules, created: '2026-01-01T00:00:00Z' }, a: { rules, created: '2026-02-01T00:00:00Z' } }, 'GET h/a'),
    ).toBe('b 0')
    expect(meet({ b: { rules }, a: { rules } }, 'GET h/a')).toBe('a 0')
    expect(meet({ b: { rules, created: '2026-01-01T00:00:00Z' }, a: { rules } }, 'GET h/a')).toBe('b 0')
  })

  it('patterns are tried in turn for each route that has them', () => {
    const same = (method: string) => ({ matches: [{ ...path('RegularExpression', '/t.a'), method }] })
    const texts = { first: same('GET'), second: same('PUT'), broken: { matches: [path('RegularExpression', '(')] } }
    expect(meet(texts, 'GET h/tea')).toBe('first 0')
    expect(meet(texts, 'PUT h/tea')).toBe('second 0')
    expect(meet(texts, 'PUT h/TEA')).toBeUndefined()
    expect(meet({ any: { matches: [path('RegularExpression', '(?i)/t.a')] } }, 'GET h/TEA')).toBe('any 0')
  })

  it('shorter prefixes are tried where the request does not meet a longer one', () => {
    const two = { long: { matches: [{ ...prefix('/a/b'), method: 'POST' }] }, short: { matches: [prefix('/a')] } }
    expect(meet(two, 'GET h/a/b/c')).toBe('short 0')
  })
})

describe('a GRPCRoute', () => {
  const method = (service?: string, name?: string, type?: string): Match => ({
    method: { ...(service ? { service } : {}), ...(name ? { method: name } : {}), ...(type ? { type } : {}) },
  })
  const texts = {
    place: { kind: 'GRPCRoute', matches: [method('beans.Orders', 'Place')] },
    orders: { kind: 'GRPCRoute', matches: [method('beans.Orders')] },
    health: { kind: 'GRPCRoute', matches: [method(undefined, 'Check')] },
  } as const
  it.each([
    ['POST h/beans.Orders/Place', 'place 0'],
    ['POST h/beans.Orders/List', 'orders 0'],
    ['POST h/grpc.health.v1.Health/Check', 'health 0'],
    ['POST h/grpc.health.v1.Health/Watch', undefined],
  ])('%s matches %s', (request, route) => expect(meet(texts, request)).toBe(route))
})

it('a rule without matches matches everything, and redirects are marked', () => {
  const rules = [{ filters: [{ type: 'RequestRedirect' }] }]
  const rows = routeRows(routes({ moved: { rules } }))
  expect(rows).toMatchObject([{ path: { type: 'PathPrefix', value: '/' }, redirects: true }])
})

it('lists the regular expressions that nginx rejects or that are not matched here', () => {
  const patterns = ['/(a+)+b', '/(?<!a)b', '/a(?>b)', '/a(?R)?b', '/a(b']
  const rows = routeRows(routes({ odd: { matches: patterns.map((value) => path('RegularExpression', value)) } }))
  expect(unknownPatterns(rows)).toEqual(['/(?<!a)b', '/a(?>b)', '/a(?R)?b', '/a(b'])
})
