import { describe, expect, it } from 'vitest'
import type { RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import { attachmentOf, servingOf } from '../../src/gateway/routing/attachment.ts'
import { commonHostnames } from '../../src/gateway/routing/hostnames.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { selectorMatches } from '../../src/kubernetes/selector.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, route, world } from './objects.ts'

const { each } = casesOf(import.meta.url)

describe('hostnames in common', () => {
  each<[string | undefined, readonly string[], readonly string[]]>(
    'of listener %s and route %j: %j',
    (listener, hostnames, common) => expect(commonHostnames(listener, hostnames)).toEqual(common),
  )
})

describe('a selector', () => {
  const labels = { tenant: 'shop', tier: 'gold' }
  each<[JsonObject, boolean | undefined, boolean | undefined]>(
    '%j: %s with labels, %s without',
    (selector: JsonObject, withLabels, without) => {
      expect(selectorMatches(selector, 'shop', labels)).toBe(withLabels)
      expect(selectorMatches(selector, 'shop', undefined)).toBe(without)
    },
  )
})

describe('a Gateway', () => {
  const HTTP = { name: 'http', port: 80, protocol: 'HTTP' }
  const { namespaces } = world({ namespaces: [{ metadata: { name: 'cafe', labels: { tenant: 'cafe' } } }] })
  const from = (namespacesFrom: JsonObject) => ({ ...HTTP, allowedRoutes: { namespaces: namespacesFrom } })
  const elsewhere = { parentRefs: [{ name: 'shop', namespace: 'shop' }] }

  const ofCafe = route('coffee', elsewhere, 'HTTPRoute', 'cafe')
  const parent = (...parentRefs: readonly JsonObject[]) => route('coffee', { parentRefs })
  const byLabel = from({ from: 'Selector', selector: { matchLabels: { tenant: 'cafe' } } })
  const onlyGrpc = { ...HTTP, allowedRoutes: { kinds: [{ kind: 'GRPCRoute' }] } }

  it.each<[string, JsonObject, RouteView, string]>([
    ['takes a route that names it', HTTP, route('coffee'), 'attached'],
    ['rejects one that names another', HTTP, parent({ name: 'edge' }), 'not-named'],
    ['rejects one that names another namespace', HTTP, parent({ name: 'shop', namespace: 'b' }), 'not-named'],
    ['is no Service of that name', HTTP, parent({ name: 'shop', kind: 'Service', group: '' }), 'not-named'],
    ['is no Gateway of another API', HTTP, parent({ name: 'shop', group: 'x.io' }), 'not-named'],
    ['looks for the listener by name', HTTP, parent({ name: 'shop', sectionName: 'https' }), 'section'],
    ['looks for the listener by port', HTTP, parent({ name: 'shop', port: 443 }), 'port'],
    ['takes either of two references', HTTP, parent({ name: 'shop', port: 443 }, { name: 'shop' }), 'attached'],
    ['asks for a common hostname', { ...HTTP, hostname: 'a.io' }, route('a', { hostnames: ['b.io'] }), 'hostname'],
    ['rejects kinds that are not listed', onlyGrpc, route('coffee'), 'kind'],
    ['admits listed kinds', onlyGrpc, route('coffee', {}, 'GRPCRoute'), 'attached'],
    ['has no HTTP routes on a TLS listener', { ...HTTP, protocol: 'TLS' }, route('coffee'), 'kind'],
    ['may have any on a protocol of its own', { ...HTTP, protocol: 'x.io/quic' }, route('coffee'), 'unknown'],
    ['keeps to its namespace', HTTP, ofCafe, 'namespace'],
    ['opens to all', from({ from: 'All' }), ofCafe, 'attached'],
    ['closes to all', from({ from: 'None' }), route('coffee'), 'namespace'],
    ['allows routes in an unknown way', from({ from: 'Some' }), route('coffee'), 'unknown'],
    ['selects namespaces by label', byLabel, ofCafe, 'attached'],
    ['selects by unknown labels', byLabel, route('coffee', elsewhere, 'HTTPRoute', 'bakery'), 'unknown'],
    ['selects without a selector', from({ from: 'Selector' }), route('coffee'), 'unknown'],
  ])('%s', (_, listener, view, expected) => {
    const attachment = attachmentOf(view, gateway('shop', [listener]), namespaces)
    expect(attachment.state === 'rejected' ? attachment.reason : attachment.state).toBe(expected)
  })

  it('gives the reason of the listener that came closest', () => {
    const listeners = [
      { ...HTTP, name: 'a', port: 8080 },
      { ...HTTP, hostname: 'b.example' },
    ]
    const spec = { hostnames: ['a.example'], parentRefs: [{ name: 'shop', port: 80 }] }
    expect(attachmentOf(route('coffee', spec), gateway('shop', listeners), namespaces)).toMatchObject({
      state: 'rejected',
      reason: 'hostname',
      parent: { port: 80 },
    })
  })

  it('gives the listeners and the hostnames', () => {
    const listeners = [HTTP, { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.example' }]
    const spec = { hostnames: ['a.example', 'b.test'] }
    expect(attachmentOf(route('coffee', spec), gateway('shop', listeners), namespaces)).toMatchObject({
      state: 'attached',
      listeners: [
        { listener: { name: 'http' }, hostnames: ['a.example', 'b.test'] },
        { listener: { name: 'https' }, hostnames: ['a.example'] },
      ],
    })
  })

  it('without listeners of its own may get them from another object', () => {
    expect(attachmentOf(route('coffee'), gateway('shop', []), namespaces).state).toBe('unknown')
  })
})

describe('a route', () => {
  const parents = (...parentRefs: readonly JsonObject[]) => route('coffee', { parentRefs })
  const lookups = world({ gateways: [gateway('shop'), gateway('edge', [{ name: 'tls', port: 443, protocol: 'TLS' }])] })
  const open = world({}, { closed: false })

  it.each([
    ['is served by one of its Gateways', parents({ name: 'edge' }, { name: 'shop' }), 'served', 'unknown'],
    ['is rejected by the only one that exists', parents({ name: 'gone' }, { name: 'edge' }), 'rejected', 'unknown'],
    ['has no Gateway that exists', parents({ name: 'gone' }), 'absent', 'unknown'],
    ['names no Gateway', parents(), 'orphan', 'orphan'],
    ['names a Service', parents({ name: 'coffee', kind: 'Service', group: '' }), 'orphan', 'orphan'],
    [
      'names a set of listeners that does not exist',
      parents({ name: 'gone' }, { name: 'more', kind: 'ListenerSet' }),
      'absent',
      'unknown',
    ],
  ])('%s', (_, view, closedWorld, openWorld) => {
    expect(servingOf(view, lookups).state).toBe(closedWorld)
    expect(servingOf(view, open).state).toBe(openWorld)
  })
})
