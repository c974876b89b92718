/** Routes that are attached through a ListenerSet. */
import { describe, expect, it } from 'vitest'
import { type ListenerSetKind, readGateway, readListenerSet } from '../../src/gateway/objects/gateways-and-routes.ts'
import { parentGateways, servingOf } from '../../src/gateway/routing/attachment.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { route, type WorldObjects, world } from './objects.ts'

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

const through = (more: JsonObject = {}, kind: ListenerSetKind = 'ListenerSet', namespace = 'shop') =>
  route('coffee', { parentRefs: [{ group: GROUPS[kind], kind, name: 'set', ...more }] }, 'HTTPRoute', namespace)

/** The Gateways of a route and their listeners that accept it: `infra/edge extra:8080`. */
function attachedIn(view: ReturnType<typeof through>, objects: WorldObjects): readonly string[] {
  return parentGateways(view, world(objects)).map(({ namespace, name, attachment }) => {
    const listeners = attachment.state === 'attached' ? attachment.listeners : []
    const names = listeners.map(({ listener }) => `${listener.name}:${listener.port}`)
    const outcome = attachment.state === 'rejected' ? attachment.reason : attachment.state
    return `${namespace}/${name} ${names.join(' ') || outcome}`
  })
}

describe('a Gateway takes listeners from a ListenerSet', () => {
  const byLabel = { from: 'Selector', selector: { matchLabels: { team: 'a' } } }
  const labelled = (team: string) => [{ metadata: { name: 'shop', labels: { team } } }]

  it.each<[string, JsonObject | undefined, WorldObjects['namespaces'], readonly string[]]>([
    ['of no namespace by default', undefined, [], ['infra/edge listener-set']],
    ['of none', { from: 'None' }, [], ['infra/edge listener-set']],
    ['of its own namespace only', { from: 'Same' }, [], ['infra/edge listener-set']],
    ['of all', { from: 'All' }, [], ['infra/edge extra:8080']],
    ['of namespaces with a label', byLabel, labelled('a'), ['infra/edge extra:8080']],
    ['not of those without it', byLabel, labelled('b'), ['infra/edge listener-set']],
    ['perhaps of those with unknown labels', byLabel, [], ['infra/edge unknown']],
    ['perhaps, in an unknown way', { from: 'Some' }, [], ['infra/edge unknown']],
  ])('%s', (_, allowed, namespaces = [], expected) => {
    const objects = { gateways: [allowing(allowed)], listenerSets: [set()], namespaces }
    expect(attachedIn(through(), objects)).toEqual(expected)
    const [text = ''] = expected
    const state = text.includes('extra') ? 'served' : text.includes('unknown') ? 'unknown' : 'rejected'
    expect(servingOf(through(), world(objects)).state).toBe(state)
    expect(servingOf(through(), world(objects, { closed: false })).state).toBe(state)
  })

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

describe('a route that names a ListenerSet', () => {
  const objects = { gateways: [allowing({ from: 'All' })], listenerSets: [set()] }

  it.each<[string, ReturnType<typeof through>, readonly string[]]>([
    ['finds its listeners by name', through({ sectionName: 'extra' }), ['infra/edge extra:8080']],
    ['does not find those of the Gateway', through({ sectionName: 'http' }), ['infra/edge section']],
    ['finds them by port', through({ port: 80 }), ['infra/edge port']],
    ['is in the namespace of the set', through({ namespace: 'shop' }, 'ListenerSet', 'cafe'), ['infra/edge namespace']],
    ['names one that is not known', through({ name: 'other' }), []],
    ['names one of another API', through({ group: 'x.io' }), []],
  ])('%s', (_, view, expected) => expect(attachedIn(view, objects)).toEqual(expected))

  it('is not on the listeners of the set where it names the Gateway', () => {
    const direct = route('coffee', { parentRefs: [{ name: 'edge', sectionName: 'extra' }] }, 'HTTPRoute', 'infra')
    expect(attachedIn(direct, objects)).toEqual(['infra/edge section'])
  })

  it('is among the routes of the Gateway, once', () => {
    const [own, direct] = [through(), route('tea', { parentRefs: [{ name: 'edge' }] }, 'HTTPRoute', 'infra')]
    const { spec } = through({ sectionName: 'extra' }).object
    const both = route('milk', {
      parentRefs: [{ name: 'edge', namespace: 'infra' }, ...((spec as { parentRefs: JsonObject[] }).parentRefs ?? [])],
    })
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
    expect(servingOf(through(), world({ listenerSets: [set()] }))).toMatchObject({
      state: 'absent',
      gateway: { namespace: 'infra', name: 'edge' },
    })
    expect(servingOf(through(), world({ ...objects, listenerSets: [set(), set()] })).state).toBe('unknown')
  })

  it('is not served where one set does not exist and the Gateway does not allow the other', () => {
    const { spec } = through({ name: 'other' }).object
    const both = route('coffee', {
      parentRefs: [
        ...((spec as { parentRefs: JsonObject[] }).parentRefs ?? []),
        { group: GROUPS.ListenerSet, kind: 'ListenerSet', name: 'set' },
      ],
    })
    const refusing = { gateways: [allowing()], listenerSets: [set()] }
    expect(servingOf(both, world(refusing))).toMatchObject({ reason: 'listener-set' })
    expect(servingOf(both, world(refusing, { closed: false })).state).toBe('unknown')
  })
})
