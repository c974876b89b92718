import { describe, expect, it } from 'vitest'
import type { RouteKind } from '../../src/gateway/objects/policy.ts'
import { attachmentOf, servingOf } from '../../src/gateway/routing/attachment.ts'
import { commonHostnames } from '../../src/gateway/routing/hostnames.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { selectorMatches } from '../../src/kubernetes/selector.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, route, world } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

describe('hostnames in common', () =>
  each<[string | undefined, readonly string[], readonly string[]]>(
    'of listener %s and route %j: %j',
    (listener, hostnames, common) => expect(commonHostnames(listener, hostnames)).toEqual(common),
  ))

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

  type Route = { readonly kind?: RouteKind; readonly namespace?: string; readonly spec?: JsonObject }

  each<[string, JsonObject, Route, string]>(
    '%s',
    (_, listener, { kind = 'HTTPRoute', namespace = 'shop', spec = {} }, expected) => {
      const view = route('coffee', spec, kind, namespace)
      const attachment = attachmentOf(view, gateway('shop', [{ ...HTTP, ...listener }]), namespaces)
      expect(attachment.state === 'rejected' ? attachment.reason : attachment.state).toBe(expected)
    },
    'a Gateway',
  )

  it('gives the reason of the listener that came closest', () => {
    const listeners = [
      { ...HTTP, name: 'a', port: 8080 },
      { ...HTTP, hostname: 'b.example' },
    ]
    const spec = { hostnames: ['a.example'], parentRefs: [{ name: 'shop', port: 80 }] }
    expect(attachmentOf(route('coffee', spec), gateway('shop', listeners), namespaces)).toMatchObject(
      cases<object>('gives the reason of the listener that came closest'),
    )
  })

  it('gives the listeners and the hostnames', () => {
    const listeners = [HTTP, { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.example' }]
    const spec = { hostnames: ['a.example', 'b.test'] }
    expect(attachmentOf(route('coffee', spec), gateway('shop', listeners), namespaces)).toMatchObject(
      cases<object>('gives the listeners and the hostnames'),
    )
  })

  it('without listeners of its own may get them from another object', () =>
    expect(attachmentOf(route('coffee'), gateway('shop', []), namespaces).state).toBe('unknown'))
})

describe('a route', () => {
  const lookups = world({ gateways: [gateway('shop'), gateway('edge', [{ name: 'tls', port: 443, protocol: 'TLS' }])] })
  const open = world({}, { closed: false })

  each<[string, readonly JsonObject[], string, string]>(
    '%s',
    (_, parentRefs, closedWorld, openWorld) => {
      const view = route('coffee', { parentRefs })
      expect(servingOf(view, lookups).state).toBe(closedWorld)
      expect(servingOf(view, open).state).toBe(openWorld)
    },
    'a route',
  )
})
