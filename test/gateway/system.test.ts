/** What the system knows of objects: whose policies they are, what concerns them, and what is noted in them. */
import { describe, expect, it } from 'vitest'
import { ZONES_ANNOTATION } from '../../src/gateway/keys/zone-notes.ts'
import { readListenerSet } from '../../src/gateway/objects/gateways-and-routes.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import type { Change, ObjectView } from '../../src/world/objects.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, perClient, policy, route, type WorldObjects, world } from './objects.ts'

const { each } = casesOf(import.meta.url)

const NAMES = apiNames()
const KINDS = GATEWAY_SYSTEM.kinds(NAMES)
const POLICY = KINDS.find(({ kind }) => kind === 'RateLimitPolicy')

describe('a RateLimitPolicy', () => {
  each<[object: JsonObject, as: string | undefined]>('%j is judged as %s', (object, as) =>
    expect(POLICY?.judgedAs?.({ kind: 'RateLimitPolicy', ...object })).toBe(as),
  )

  each<[object: JsonObject, isMisspelt: boolean]>('%j has a misspelt kind: %s', (object, isMisspelt) =>
    expect(POLICY?.isMisspelt?.(object)).toBe(isMisspelt),
  )
})

it('a changed policy gets the annotation about its zones, or loses it', () => {
  const at = (zoneSize: string) => policy('own', { limits: [perClient('1r/s', { zoneSize })] })
  const notes = (previous: ObjectView, written: ObjectView, next: ObjectView) =>
    POLICY?.notes?.({ previous, written, next })
  expect(notes(at('1m'), at('2m'), at('2m'))).toEqual({
    [ZONES_ANNOTATION]: '[{"zone":0,"used":[{"size":"1m","key":"$binary_remote_addr"}]}]',
  })
  expect(notes(at('1m'), at('1m'), at('1m'))).toEqual({ [ZONES_ANNOTATION]: undefined })
  const other = gateway('shop')
  expect(notes(other, at('1m'), at('1m'))).toEqual({})
  expect(notes(at('1m'), other, at('1m'))).toEqual({})
  expect(notes(at('1m'), at('1m'), other)).toEqual({})
})

describe('a change affects the policies', () => {
  const set = (namespace = 'shop', parent: JsonObject = { name: 'shop', namespace: 'shop' }, kind = 'ListenerSet') =>
    readListenerSet(kind === 'ListenerSet' ? kind : 'XListenerSet', {
      metadata: { name: 'set', namespace },
      spec: { parentRef: parent, listeners: [{ name: 'extra', port: 81, protocol: 'HTTP' }] },
    })
  const OBJECTS: WorldObjects = {
    gateways: [gateway('shop'), gateway('edge'), gateway('far', undefined, 'far')],
    routes: [
      route('coffee'),
      route('tea'),
      route('milk', { parentRefs: [{ name: 'edge' }] }),
      route('orders', {}, 'GRPCRoute'),
      route('through', { parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: 'set' }] }),
      route('abroad', { parentRefs: [{ name: 'far', namespace: 'far' }] }),
    ],
    policies: [
      policy('on-shop', { on: ['Gateway shop'] }),
      policy('on-edge', { on: ['Gateway edge'] }),
      policy('on-far', { on: ['Gateway far'], namespace: 'far' }),
      policy('on-coffee'),
      policy('on-tea', { on: ['HTTPRoute tea'] }),
      policy('on-milk', { on: ['HTTPRoute milk'] }),
      policy('on-orders', { on: ['GRPCRoute orders'] }),
      policy('on-through', { on: ['HTTPRoute through'] }),
      policy('on-abroad', { on: ['HTTPRoute abroad'] }),
    ],
  }
  const SHOP = ['on-coffee', 'on-orders', 'on-shop', 'on-tea']
  const change = (after: ObjectView, before?: ObjectView): Change => ({ kind: after.identity.kind, before, after })

  it.each<[what: string, change: Change, expected: readonly string[]]>([
    ['of a Gateway and its routes', change(gateway('edge')), ['on-edge', 'on-milk']],
    ['of a Gateway that was not there', change(gateway('new')), []],
    ['of a route, its Gateway and its other routes', change(route('coffee')), SHOP],
    ['of a GRPCRoute', change(route('orders', {}, 'GRPCRoute')), SHOP],
    [
      'of the Gateways before and after',
      change(route('milk'), route('milk', { parentRefs: [{ name: 'edge' }] })),
      ['on-edge', 'on-milk', ...SHOP].sort(),
    ],
    [
      'of a route behind a Gateway of another namespace',
      change(route('abroad', OBJECTS.routes?.[5]?.object.spec as JsonObject)),
      ['on-abroad'],
    ],
    ['of a Gateway with another set, and of the routes of the set', change(set()), [...SHOP, 'on-through'].sort()],
    ['of a Gateway with another experimental set', change(set('shop', undefined, 'XListenerSet')), SHOP],
    ['of no Gateway for a set of one that is not known', change(set('shop', { name: 'gone' })), []],
    ['of none for a set in another kind', change(set('shop', { name: 'shop', kind: 'Service', group: '' })), []],
    ['of its own namespace for a set of another one', change(set('cafe')), []],
    ['of none for an object that does not matter', change(policy('own')), []],
  ])('%s', (_, what, expected) => {
    const affected = GATEWAY_SYSTEM.affectedBy?.(what, world(OBJECTS)) ?? []
    expect([...new Set(affected.map(({ identity }) => identity.name))].sort()).toEqual(expected)
  })
})

describe('a policy has lost everything that it applies to', () => {
  const isOrphaned = (view: ObjectView, objects: WorldObjects, closed = true) =>
    GATEWAY_SYSTEM.isOrphaned?.(view, world(objects, { closed }))
  const both = policy('own', { on: ['HTTPRoute coffee', 'HTTPRoute tea'] })

  it('where no target exists, and others are certainly not there', () => {
    expect(isOrphaned(both, {})).toBe(true)
    expect(isOrphaned(both, {}, false)).toBe(false)
    expect(isOrphaned(both, { routes: [route('tea')] })).toBe(false)
    expect(isOrphaned(both, { routes: [route('tea', {}, 'GRPCRoute')] })).toBe(true)
    expect(isOrphaned(both, { routes: [route('tea', {}, 'HTTPRoute', 'cafe')] })).toBe(true)
  })

  it('but not where it names none, or is no policy', () => {
    expect(isOrphaned(policy('own', { on: [] }), {})).toBe(false)
    expect(isOrphaned(gateway('shop'), {})).toBe(false)
  })
})
