/** Which Gateways a policy affects, which policies a change affects, and what lookups say after a change. */
import { describe, expect, it } from 'vitest'
import { gatewaysOf } from '../../src/gateway/routing/targets.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import type { ObjectView } from '../../src/world/objects.ts'
import { kindObjects, noObjects, objectsByKind } from '../../src/world/objects.ts'
import { createWorld } from '../../src/world/world.ts'
import { gateway, policy, route, world } from './objects.ts'

const namesOf = (views: readonly ObjectView[]) => views.map(({ identity }) => `${identity.namespace}/${identity.name}`)

it('a policy affects the Gateways that accept its routes, not those that reject them', () => {
  const parentRefs = [{ name: 'shop' }, { name: 'edge', sectionName: 'gone' }]
  const lookups = world({ gateways: [gateway('shop'), gateway('edge')], routes: [route('coffee', { parentRefs })] })
  expect(namesOf(gatewaysOf(policy('own'), lookups))).toEqual(['shop/shop'])
})

it('a change of a Gateway affects the policies on it and on its routes, but none of another namespace', () => {
  const behind = { parentRefs: [{ name: 'shop', namespace: 'shop' }] }
  const lookups = world({
    gateways: [gateway('shop')],
    routes: [route('coffee'), route('coffee', behind, 'HTTPRoute', 'cafe')],
    policies: [policy('edge', { on: ['Gateway shop'] }), policy('own'), policy('theirs', { namespace: 'cafe' })],
  })
  const change = { kind: 'Gateway', before: undefined, after: gateway('shop') }
  expect(namesOf(GATEWAY_SYSTEM.affectedBy?.(change, lookups) ?? [])).toEqual(['shop/edge', 'shop/own'])
})

describe('the routes of a Gateway after a change', () => {
  const shop = gateway('shop')
  const edge = gateway('edge')
  const before = route('coffee')
  const routes = kindObjects<ObjectView>([before, route('tea')], { closed: true })
  const original = createWorld(
    [GATEWAY_SYSTEM],
    objectsByKind((kind) => (kind === 'HTTPRoute' ? routes : noObjects(true))),
  )
  const after = (view: ReturnType<typeof route> | undefined) =>
    original.with({ kind: 'HTTPRoute', before, after: view }).lookups.routes

  it.each([
    [
      'a route that names another Gateway now',
      route('coffee', { parentRefs: [{ name: 'edge' }] }),
      ['tea'],
      ['coffee'],
    ],
    ['a route that is gone', undefined, ['tea'], []],
    ['a route that stays', route('coffee', { hostnames: ['a.example'] }), ['coffee', 'tea'], []],
  ])('are right for %s', (_, view, onShop, onEdge) => {
    const lookup = after(view)
    const on = (of: typeof shop) => lookup.attachedTo(of).items.map(({ identity }) => identity.name)
    expect([on(shop).sort(), on(edge)]).toEqual([onShop, onEdge])
    expect(lookup.attachedTo(shop).items).toBe(lookup.attachedTo(shop).items)
  })
})
