import { describe, expect, it } from 'vitest'
import { readGateway, readRoute } from '../../src/gateway/objects/gateways-and-routes.ts'
import { readGatewayClass, readProxy } from '../../src/gateway/objects/proxy.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, policy, route, world } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

const unplaced = readGateway({ metadata: { name: 'inner' } })
const nameless = readGateway({ metadata: { generateName: 'edge-', namespace: 'shop' } })

describe('a lookup by identity', () => {
  const gateways = [
    gateway('shop'),
    gateway('twice'),
    gateway('twice'),
    unplaced,
    nameless,
    gateway('edge', [], 'infra'),
  ]

  each<[string | undefined, string, string, string]>(
    'in namespace %s of Gateway %s: %s in a closed world, %s in an open one',
    (namespace, name, closed, open) => {
      expect(world({ gateways }).gateways.get(namespace, name).state).toBe(closed)
      expect(world({ gateways }, { closed: false }).gateways.get(namespace, name).state).toBe(open)
    },
  )

  it('distinguishes kinds', () => {
    const { routes } = world({ routes: [route('coffee'), route('tea', {}, 'GRPCRoute')] })
    expect(routes.get('HTTPRoute', 'shop', 'coffee').state).toBe('found')
    expect(routes.get('GRPCRoute', 'shop', 'coffee').state).toBe('absent')
    expect(routes.get('GRPCRoute', 'shop', 'tea').state).toBe('found')
  })

  it('knows where an object of a name exists, and which names there are', () => {
    const lookups = world({ gateways: [...gateways, gateway('shop', [], 'cafe')] }).gateways
    expect(lookups.namespacesOf('shop')).toEqual(['shop', 'cafe'])
    expect(lookups.namespacesOf('twice')).toEqual(['shop'])
    expect(lookups.namespacesOf('inner')).toEqual([])
    expect(lookups.namesIn('shop')).toEqual(['shop', 'twice'])
    expect(lookups.namesIn(undefined)).toEqual([])
  })

  it('survives names of any kind', () => {
    const odd =
      cases<readonly { metadata?: string | { name: number | string; namespace: string | readonly never[] } }[]>('odd')
    const lookups = world({ gateways: odd.map((object) => readGateway(object)) }).gateways
    expect(lookups.get('shop', 'shop').state).toBe('absent')
    expect(lookups.namesIn('shop')).toEqual([])
  })
})

describe('the routes of a Gateway', () => {
  const shop = gateway('shop')
  const names = (routes: readonly ReturnType<typeof route>[], of = shop) =>
    world({ routes })
      .routes.attachedTo(of)
      .items.map(({ identity }) => identity.name)

  it('are those that name it, from any namespace, each once, HTTPRoutes before GRPCRoutes', () => {
    const routes = [
      route('coffee', { parentRefs: [{ name: 'shop' }, { name: 'shop', port: 80 }] }),
      route('tea', {}, 'GRPCRoute'),
      route('far', { parentRefs: [{ name: 'shop', namespace: 'shop' }] }, 'HTTPRoute', 'cafe'),
      route('other', { parentRefs: [{ name: 'shop', kind: 'Service' }] }),
      route('foreign', {}, 'HTTPRoute', 'cafe'),
    ]
    expect(names(routes)).toEqual(['coffee', 'far', 'tea'])
  })

  it('are none where a namespace is unknown', () => {
    expect(
      names([readRoute('HTTPRoute', { metadata: { name: 'a' }, spec: { parentRefs: [{ name: 'inner' }] } })], unplaced),
    ).toEqual([])
    expect(world({}).routes.attachedTo(unplaced).complete).toBe(false)
  })

  it('are all of them in a closed world where each has an identity of its own', () => {
    const complete = (routes: readonly ReturnType<typeof route>[], closed = true) =>
      world({ routes }, { closed }).routes.attachedTo(shop).complete
    expect(complete([route('a'), route('b')])).toBe(true)
    expect(complete([route('a'), route('b')], false)).toBe(false)
    expect(complete([route('a'), route('a')])).toBe(false)
  })
})

describe('the policies of a target', () => {
  const on = (policies: readonly ReturnType<typeof policy>[]) => {
    const { items, complete } = world({ policies }).policies.targeting('HTTPRoute', 'shop', 'coffee')
    return { names: items.map(({ identity }) => identity.name), complete }
  }

  it('are those of its namespace that name it, in their order, each once', () => {
    const policies = [
      policy('b', { on: ['HTTPRoute coffee', 'HTTPRoute tea', 'HTTPRoute coffee'] }),
      policy('a'),
      policy('c', { on: ['GRPCRoute coffee'] }),
      policy('d', { namespace: 'cafe' }),
      policy('e', { on: ['HTTPRoute coffee cafe'] }),
    ]
    expect(on(policies)).toEqual({ names: ['b', 'a'], complete: true })
  })

  it('leave out what is defined twice, or in an unknown namespace', () => {
    expect(on([policy('a'), policy('a'), policy('b')])).toEqual({ names: ['b'], complete: false })
    expect(on([policy('a', { namespace: undefined }), policy('b')])).toEqual({ names: ['b'], complete: false })
  })

  it('are not known where the namespace of the target is not', () => {
    const { policies } = world({ policies: [policy('a', { namespace: undefined }), policy('b')] })
    expect(policies.targeting('HTTPRoute', undefined, 'coffee')).toEqual({ items: [], complete: false })
    expect(world({}).policies.targeting('HTTPRoute', undefined, 'coffee').complete).toBe(false)
  })

  it('are the same list each time, and another in another world', () => {
    const policies = [policy('a'), policy('b')]
    const [one, other] = [world({ policies }), world({ policies })]
    const ask = ({ policies: lookups }: typeof one) => lookups.targeting('HTTPRoute', 'shop', 'coffee').items
    expect(ask(one)).toBe(ask(one))
    expect(ask(one)).not.toBe(ask(other))
  })

  it('are known to be old where they were there before the change', () => {
    const { policies } = world({}, { before: [policy('a')] })
    expect(policies.existedBefore(policy('a'))).toBe(true)
    expect(policies.existedBefore(policy('b'))).toBe(false)
    expect(policies.existedBefore(policy('a', { namespace: 'cafe' }))).toBe(false)
    expect(world({}).policies.existedBefore(policy('a'))).toBe(false)
  })
})

describe('the labels of a namespace', () =>
  each<[string, readonly JsonObject[], boolean, JsonObject]>(
    '%s',
    (name, namespaces, closed, expected) =>
      expect(world({ namespaces }, { closed }).namespaces.labels(name)).toEqual(expected),
    'the labels of a namespace',
  ))

describe('the moment at which a namespace was made', () =>
  each<[string, JsonObject, JsonObject]>(
    '%s',
    (_, metadata, expected) =>
      expect(world({ namespaces: [{ metadata }] }, { closed: true }).namespaces.createdAt('shop')).toEqual(expected),
    'the moment at which a namespace was made',
  ))

describe('the settings of the proxies of a Gateway', () => {
  const ref = (name: string, more = {}) => ({ group: 'gateway.nginx.org', kind: 'NginxProxy', name, ...more })
  const proxy = (name: string, spec: object, namespace = 'shop') =>
    readProxy({ metadata: { name, namespace }, spec: { ...spec } })
  const cluster = { kubernetes: { service: { externalTrafficPolicy: 'Cluster' } } }
  const rewriting = { rewriteClientIP: { mode: 'ProxyProtocol' } }
  const shop = (parametersRef?: JsonObject) =>
    readGateway({
      metadata: { name: 'shop', namespace: 'shop' },
      spec: { gatewayClassName: 'nginx', infrastructure: parametersRef ? { parametersRef } : {} },
    })
  const nginx = (parametersRef?: JsonObject) =>
    readGatewayClass({ metadata: { name: 'nginx' }, spec: parametersRef ? { parametersRef } : {} })
  const ofClass = ref('all', { namespace: 'infra' })

  each<[string, JsonObject | undefined, readonly (JsonObject | null)[], string]>(
    'the proxy of a Gateway and of its class: %s',
    (_, own, classes, state) => {
      const view = shop(own)
      const gatewayClasses = classes.map((reference) => nginx(reference ?? undefined))
      const proxies = [proxy('own', cluster), proxy('all', rewriting, 'infra')]
      expect(world({ gateways: [view], gatewayClasses, proxies }).gateways.proxyOf(view).state).toBe(state)
    },
  )

  it('are unknown where the referenced object is unknown', () => {
    const view = shop(ref('own'))
    expect(world({ gatewayClasses: [nginx()] }, { closed: false }).gateways.proxyOf(view).state).toBe('unknown')
  })

  it('are merged: the Gateway is preferred, and the class sets the rest', () => {
    const proxies = [proxy('own', cluster), proxy('all', { ...rewriting, kubernetes: { service: {} } }, 'infra')]
    const { gateways } = world({ gatewayClasses: [nginx(ofClass)], proxies })
    expect(gateways.proxyOf(shop(ref('own')))).toMatchObject(
      cases<object>('are merged: the Gateway is preferred, and the class sets the rest'),
    )
    expect(gateways.proxyOf(shop())).toMatchObject({ value: { service: { externalTrafficPolicy: 'Local' } } })
  })
})
