/** Routes that are attached through a ListenerSet. */
import { describe, expect, it } from 'vitest'
import { type ListenerSetKind, readGateway, readListenerSet } from '../../src/gateway/objects/gateways-and-routes.ts'
import { parentGateways, servingOf } from '../../src/gateway/routing/attachment.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'
import { route, type WorldObjects, world } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

const HTTP = { name: 'http', port: 80, protocol: 'HTTP' }
const EXTRA = { name: 'extra', port: 8080, protocol: 'HTTP' }
const GROUPS = { ListenerSet: 'gateway.networking.k8s.io', XListenerSet: 'gateway.networking.x-k8s.io' }

const allowing = (namespaces?: JsonObject, listeners: readonly JsonObject[] = [HTTP]) =>
  readGateway({
    metadata: { name: 'edge', namespace: 'infra' },
    spec: { gatewayClassName: 'nginx', listeners, ...(namespaces ? { allowedListeners: { namespaces } } : {}) },
  })

const set = (
  listeners: readonly JsonObject[] = [EXTRA],
  kind: ListenerSetKind = 'ListenerSet',
  more: JsonObject = {},
) =>
  readListenerSet(kind, {
    metadata: { name: 'set', namespace: 'shop', ...more },
    spec: { parentRef: { name: 'edge', namespace: 'infra' }, listeners },
  })

const toSet = (more: JsonObject = {}, kind: ListenerSetKind = 'ListenerSet'): JsonObject => ({
  ...{ group: GROUPS[kind], kind, name: 'set' },
  ...more,
})
const through = (more: JsonObject = {}, kind: ListenerSetKind = 'ListenerSet', namespace = 'shop') =>
  route('coffee', { parentRefs: [toSet(more, kind)] }, 'HTTPRoute', namespace)

/** The Gateways of a route and their listeners that accept it: `infra/edge extra:8080`. */
const attachedIn = (view: ReturnType<typeof through>, objects: WorldObjects): readonly string[] =>
  parentGateways(view, world(objects)).map(({ namespace, name, attachment }) => {
    const listeners = attachment.state === 'attached' ? attachment.listeners : []
    const names = listeners.map(({ listener }) => `${listener.name}:${listener.port}`)
    const outcome = attachment.state === 'rejected' ? attachment.reason : attachment.state
    return `${namespace}/${name} ${names.join(' ') || outcome}`
  })

describe('a Gateway takes listeners from a ListenerSet', () => {
  each<[string, JsonObject | undefined, WorldObjects['namespaces'], readonly string[]]>(
    '%s',
    (_, allowed, namespaces = [], expected) => {
      const objects = { gateways: [allowing(allowed)], listenerSets: [set()], namespaces }
      expect(attachedIn(through(), objects)).toEqual(expected)
      const [text = ''] = expected
      const state = text.includes('extra') ? 'served' : text.includes('unknown') ? 'unknown' : 'rejected'
      expect(servingOf(through(), world(objects)).state).toBe(state)
      expect(servingOf(through(), world(objects, { closed: false })).state).toBe(state)
    },
    'a Gateway takes listeners from a ListenerSet',
  )

  it('of the experimental kind, which is another one', () => {
    const objects = { gateways: [allowing({ from: 'All' })], listenerSets: [set([EXTRA], 'XListenerSet')] }
    expect(attachedIn(through({}, 'XListenerSet'), objects)).toEqual(['infra/edge extra:8080'])
    expect(attachedIn(through(), objects)).toEqual([])
  })

  it('unless one of its own, or of an older set, may be in its place', () => {
    const gateways = [allowing({ from: 'All' }, [HTTP])]
    const inPlace = { ...HTTP, name: 'extra' }
    expect(attachedIn(through(), { gateways, listenerSets: [set([inPlace])] })).toEqual(['infra/edge unknown'])
    const own = set([EXTRA], 'ListenerSet', { creationTimestamp: '2025-01-02T00:00:00Z' })
    const older = set([EXTRA], 'ListenerSet', { name: 'older', creationTimestamp: '2025-01-01T00:00:00Z' })
    expect(attachedIn(through(), { gateways, listenerSets: [own, older] })).toEqual(['infra/edge unknown'])
    const undated = set([EXTRA], 'ListenerSet', { name: 'older' })
    expect(attachedIn(through(), { gateways, listenerSets: [set(), undated] })).toEqual(['infra/edge unknown'])
    expect(attachedIn(through({ name: 'older' }), { gateways, listenerSets: [set(), undated] })).toEqual([
      'infra/edge unknown',
    ])
    const name = { name: 'older' }
    expect(attachedIn(through(name), { gateways, listenerSets: [own, older] })).toEqual(['infra/edge extra:8080'])
  })
})

describe('the listeners of a Gateway and of its sets', () => {
  const [EARLY, LATE] = ['2025-01-01T00:00:00Z', '2025-01-02T00:00:00Z']
  /** A set of namespace `shop` with one listener, created at a time or at one that is not known. */
  const setAt = (name: string, creationTimestamp: string | undefined, listener: JsonObject = EXTRA) =>
    set([{ ...listener, name }], 'ListenerSet', { name, ...(creationTimestamp ? { creationTimestamp } : {}) })
  /** The listeners of the Gateway, in order; with `?` where it is not known whether it takes them. */
  const merged = (...listenerSets: readonly ReturnType<typeof set>[]): readonly string[] => {
    const found = world({ gateways: [allowing({ from: 'All' })], listenerSets }).gateways.get('infra', 'edge')
    const listeners = found.state === 'found' ? found.value.listeners : []
    return listeners.map(({ name, isUncertain }) => `${name}${isUncertain ? '?' : ''}`)
  }

  it('are in order of age, then of names, whatever their order', () => {
    const other = (port: number) => ({ ...EXTRA, port })
    const sets = [setAt('c', LATE, other(1)), setAt('b', EARLY, other(2)), setAt('a', LATE, other(3))]
    expect(merged(...sets)).toEqual(['http', 'b', 'a', 'c'])
    expect(merged(...sets.reverse())).toEqual(['http', 'b', 'a', 'c'])
  })

  each<[why: string, a: string | undefined, b: string | undefined, expected: readonly string[]]>(
    'conflict: %s',
    (_, a, b, expected) => expect(merged(setAt('a', a), setAt('b', b))).toEqual(expected),
  )

  each<[why: string, listener: JsonObject, expected: string]>(
    'conflict with an older set or not: %s',
    (_, listener, expected) =>
      expect(merged(setAt('a', EARLY), setAt('b', LATE, { ...EXTRA, ...listener }))).toEqual(['http', 'a', expected]),
  )

  each<[why: string, parent: JsonObject | undefined]>('are those of the Gateway alone where a set %s', (_, parent) => {
    const object = { metadata: { name: 'set', namespace: 'shop' }, spec: { listeners: [EXTRA] } }
    const spec = parent ? { ...object.spec, parentRef: parent } : object.spec
    expect(merged(readListenerSet('ListenerSet', { ...object, spec }))).toEqual(['http'])
  })

  it('do not include those of a set whose namespace is not known', () => {
    const nameless = readListenerSet('ListenerSet', {
      metadata: { name: 'set' },
      spec: { parentRef: { name: 'edge', namespace: 'infra' }, listeners: [EXTRA] },
    })
    expect(merged(nameless)).toEqual(['http'])
  })
})

describe('a route that names a ListenerSet', () => {
  const objects = { gateways: [allowing({ from: 'All' })], listenerSets: [set()] }

  each<[string, JsonObject, string, readonly string[]]>(
    '%s',
    (_, more, namespace, found) => expect(attachedIn(through(more, 'ListenerSet', namespace), objects)).toEqual(found),
    'a route that names a ListenerSet',
  )

  it('finds no XListenerSet without its group: the default is another one', () => {
    const gateways = [allowing({ from: 'All' })]
    const view = through({ group: undefined }, 'XListenerSet')
    expect(attachedIn(view, { gateways, listenerSets: [set([EXTRA], 'XListenerSet')] })).toEqual([])
  })

  it('is not on the listeners of the set where it names the Gateway', () => {
    const direct = route('coffee', { parentRefs: [{ name: 'edge', sectionName: 'extra' }] }, 'HTTPRoute', 'infra')
    expect(attachedIn(direct, objects)).toEqual(['infra/edge section'])
  })

  it('is among the routes of the Gateway, once', () => {
    const [own, direct] = [through(), route('tea', { parentRefs: [{ name: 'edge' }] }, 'HTTPRoute', 'infra')]
    const both = route('milk', { parentRefs: [{ name: 'edge', namespace: 'infra' }, toSet({ sectionName: 'extra' })] })
    const { gateways, routes } = world({ ...objects, routes: [own, direct, both] })
    const found = gateways.get('infra', 'edge')
    const items = found.state === 'found' ? routes.attachedTo(found.value).items : []
    expect(items.map(({ identity }) => identity.name).sort()).toEqual(['coffee', 'milk', 'tea'])
    expect(found.state === 'found' && routes.attachedTo(found.value).items).toBe(items)
  })

  it('may be served by a Gateway as long as a set is not known', () => {
    const open = (some: WorldObjects) => world(some, { closed: false })
    expect(servingOf(through({ name: 'other' }), open(objects)).state).toBe('unknown')
    expect(servingOf(through({ name: 'other' }), open({ ...objects, listenerSets: [] })).state).toBe('unknown')
    expect(servingOf(through({ sectionName: 'http' }), world(objects))).toMatchObject({ reason: 'section' })
  })

  it('is not served where the set, or its Gateway, certainly does not exist', () => {
    const other = through({ name: 'other' })
    expect(servingOf(other, world(objects))).toMatchObject({ state: 'no-set', set: { name: 'other' } })
    expect(servingOf(other, world({})).state).toBe('no-set')
    expect(servingOf(through(), world({ listenerSets: [set()] }))).toMatchObject(
      cases<object>('is not served where the set, or its Gateway, certainly does not exist'),
    )
    expect(servingOf(through(), world({ ...objects, listenerSets: [set(), set()] })).state).toBe('unknown')
  })

  it('is not served where one set does not exist and the Gateway does not allow the other', () => {
    const both = route('coffee', { parentRefs: [toSet({ name: 'other' }), toSet()] })
    const refusing = { gateways: [allowing()], listenerSets: [set()] }
    expect(servingOf(both, world(refusing))).toMatchObject({ reason: 'listener-set' })
    expect(servingOf(both, world(refusing, { closed: false })).state).toBe('unknown')
  })
})
