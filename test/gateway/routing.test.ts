import { describe, expect, it } from 'vitest'
import { readRoute } from '../../src/gateway/objects/gateways-and-routes.ts'
import { routeRows } from '../../src/gateway/routing/matches.ts'
import { createRouter, unknownPatterns } from '../../src/gateway/routing/router.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

type Match = JsonObject
type RouteText = {
  readonly hostnames?: readonly string[]
  readonly matches?: readonly Match[]
  readonly rules?: readonly JsonObject[]
  readonly kind?: 'HTTPRoute' | 'GRPCRoute'
  readonly created?: string
}

/** Routes by name. */
const routes = (texts: Readonly<Record<string, RouteText>>) =>
  Object.entries(texts).map(([name, { hostnames = [], matches, rules, kind = 'HTTPRoute', created }]) => ({
    route: readRoute(kind, {
      metadata: { name, namespace: 'shop', ...(created === undefined ? {} : { creationTimestamp: created }) },
      spec: { hostnames, rules: rules ?? [matches === undefined ? {} : { matches }] },
    }),
    hostnames: hostnames.length === 0 ? [''] : hostnames,
  }))

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
  const texts = cases<Readonly<Record<string, JsonObject>>>('texts')
  each<[string, string]>('%s matches %s', (request, route) => expect(meet(texts, request)).toBe(route))

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
  const texts = cases<Readonly<Record<string, JsonObject>>>('a path: texts')
  each<[string, string]>(
    '%s matches %s',
    (request, route) => expect(meet(texts, request)).toBe(route),
    'a path: %s matches %s',
  )

  it('of 100 kB is matched quickly', () => expect(meet(texts, `GET h/coffee${'/a'.repeat(50_000)}`)).toBe('coffee 0'))
})

describe('among equal paths', () => {
  const texts = cases<Readonly<Record<string, JsonObject>>>('among equal paths: texts')
  each<[string, Record<string, string>, string]>('%s with %j matches %s', (request, headers, route) =>
    expect(meet(texts, request, headers)).toBe(route),
  )

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
  each<[string, string | undefined]>(
    '%s matches %s',
    (request, route) => expect(meet(texts, request)).toBe(route),
    'a GRPCRoute: %s matches %s',
  )
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
