/** The conditions of Gateways and routes, and of objects in other groups or without a namespace. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { queryStatus } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { gateway, policy, query, route, source, worldsOf } from './manifests.ts'
import { born, brief, NOW, type Options, SHOP, statuses } from './statuses.ts'

describe('RateLimitPolicyAffected', () => {
  const affected = (kind: string, name: string, objects: readonly JsonObject[], options?: Options) => {
    const { objects: all } = statuses(objects, options)
    const found = all.find(({ kind: own, metadata }) => own === kind && JSON.stringify(metadata).includes(`"${name}"`))
    return found?.status
  }

  it('is among the conditions of a Gateway', () => {
    const policies = [policy('a', ['Gateway/edge']), policy('b', ['Gateway/edge'])]
    expect(affected('Gateway', 'edge', [...SHOP, ...policies])).toEqual({
      conditions: [
        {
          type: 'RateLimitPolicyAffected',
          status: 'True',
          reason: 'PolicyAffected',
          message: 'RateLimitPolicies shop/a, shop/b are applied to the resource',
          lastTransitionTime: NOW,
        },
      ],
    })
  })

  it('is among the conditions of each parent of a route', () => {
    const parents = [
      { name: 'edge', sectionName: 'http' },
      { name: 'far', namespace: 'infra', port: 443 },
    ]
    const coffee = { ...route('coffee', { parentRefs: [...parents, { kind: 'Service', group: '', name: 'mesh' }] }) }
    const far = { ...gateway('far'), metadata: { name: 'far', namespace: 'infra' } }
    const status = affected('HTTPRoute', 'coffee', [
      gateway('edge'),
      far,
      coffee,
      policy(born('p', '2025-03-03T03:03:03Z'), ['HTTPRoute/coffee']),
    ])
    const conditions = [
      {
        type: 'RateLimitPolicyAffected',
        status: 'True',
        reason: 'PolicyAffected',
        message: 'RateLimitPolicy shop/p is applied to the resource',
        lastTransitionTime: '2025-03-03T03:03:03Z',
      },
    ]
    const ref = { group: 'gateway.networking.k8s.io', kind: 'Gateway' }
    const controllerName = 'gateway.nginx.org/nginx-gateway-controller'
    expect(status).toEqual({
      parents: [
        { parentRef: { ...ref, namespace: 'shop', name: 'edge', sectionName: 'http' }, controllerName, conditions },
        { parentRef: { ...ref, namespace: 'infra', name: 'far', port: 443 }, controllerName, conditions },
      ],
    })
  })

  it('keeps the time that the same controller wrote to a route', () => {
    const time = '2025-09-09T09:09:09Z'
    const conditions = [{ type: 'RateLimitPolicyAffected', status: 'True', lastTransitionTime: time }]
    const timesWith = (controllerName: string) => {
      const parents = [{ parentRef: { name: 'edge' }, controllerName, conditions }]
      const coffee = { ...route('coffee'), status: { parents } }
      const status = affected('HTTPRoute', 'coffee', [gateway('edge'), coffee, policy('p', ['HTTPRoute/coffee'])])
      return JSON.stringify(status).match(/(?<="lastTransitionTime":")[^"]*/g)
    }
    expect(timesWith('gateway.nginx.org/nginx-gateway-controller')).toEqual([time])
    expect(timesWith('example.com/another')).toContain(NOW)
  })

  it('is only for targets that are named, by policies that are accepted', () => {
    const objects = [
      ...SHOP,
      policy('edge', ['Gateway/edge']),
      policy('wrong', ['HTTPRoute/coffee'], { rejectCode: 200 }),
    ]
    const { targets } = statuses(objects)
    expect(targets.map(({ kind, name, policies }) => `${kind}/${name}: ${policies.join()}`)).toEqual([
      'Gateway/edge: shop/edge',
      'HTTPRoute/coffee: ',
    ])
  })

  it('goes where it no longer holds, and leaves what others wrote', () => {
    const stale = { type: 'RateLimitPolicyAffected', status: 'True' }
    const other = { type: 'Programmed', status: 'True' }
    const edge = { ...gateway('edge'), status: { addresses: [{ value: '10.0.0.1' }], conditions: [stale, other] } }
    const theirs = { parentRef: { name: 'edge' }, controllerName: 'example.com/other', conditions: [stale] }
    const ours = { ...theirs, controllerName: 'gateway.nginx.org/nginx-gateway-controller', conditions: [stale, other] }
    const coffee = { ...route('coffee'), status: { parents: [theirs, ours] } }
    const wrong = policy('wrong', ['Gateway/edge'], { rejectCode: 200 })
    const objects = [edge, coffee, wrong, policy('too', ['HTTPRoute/coffee'], { rejectCode: 200 })]
    expect(affected('Gateway', 'edge', objects)).toEqual({ addresses: [{ value: '10.0.0.1' }], conditions: [other] })
    expect(affected('HTTPRoute', 'coffee', objects)).toEqual({ parents: [theirs, { ...ours, conditions: [other] }] })
  })
})

/** A GatewayClass of a controller. */
const gatewayClass = (name: string, controllerName: string): JsonObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name },
  spec: { controllerName },
})

describe('of a Gateway whose class names another controller', () => {
  const classes = [
    gatewayClass('nginx', 'gateway.nginx.org/nginx-gateway-controller'),
    gatewayClass('theirs', 'example.com/other'),
  ]
  const their = { ...gateway('their'), spec: { gatewayClassName: 'theirs', listeners: [] } }
  const both = route('both', { parentRefs: [{ name: 'edge' }, { name: 'their' }] })
  const far = route('far', { parentRefs: [{ name: 'their' }] })
  const objects = [...classes, ...SHOP, their, both, far]

  it('no policy has an entry, and nothing is marked', () => {
    const policies = [policy('a', ['Gateway/their']), policy('b', ['HTTPRoute/far'])]
    const result = statuses([...objects, ...policies])
    expect(result.policies).toMatchObject([
      { name: 'a', ancestors: [], isForeign: true, note: 'its targets belong to another controller' },
      { name: 'b', ancestors: [], isForeign: true },
    ])
    expect(result.targets.map(({ name, condition }) => [name, condition])).toEqual([
      ['their', undefined],
      ['far', undefined],
    ])
  })

  it('they are those of that controller where it is named', () => {
    const policies = [policy('a', ['Gateway/their']), policy('b', ['HTTPRoute/both'])]
    const { objects: written } = statuses([...objects, ...policies], { controllerName: 'example.com/other' })
    const text = JSON.stringify(written.map(({ status }) => status))
    expect(text.match(/"controllerName":"[^"]*"/g)).toEqual(Array(3).fill('"controllerName":"example.com/other"'))
    expect(text).toContain('"name":"their"}')
    expect(text).not.toContain('"name":"edge"')
  })

  it('a route carries the condition for its other parents alone', () => {
    const { objects: written } = statuses([...objects, policy('b', ['HTTPRoute/both'])])
    expect(written.at(-1)?.status).toMatchObject({ parents: [{ parentRef: { name: 'edge' } }] })
  })
})

describe('with affectedRoutes: attached', () => {
  const settings = { affectedRoutes: 'attached' } as const
  const tea = route('tea', { parentRefs: [{ name: 'edge' }, { name: 'inner' }, { name: 'edge', sectionName: 'none' }] })
  const objects = [gateway('edge'), gateway('inner'), route('coffee'), tea]
  const policies = [policy('all', ['Gateway/edge']), policy('a', ['HTTPRoute/tea'])]
  const messages = (written: readonly JsonObject[], name: string) =>
    JSON.stringify(written.find(({ metadata }) => JSON.stringify(metadata).includes(`"${name}"`))).match(
      /(?<="message":")[^"]*/g,
    )

  it('routes on a targeted Gateway carry it, for each parent by which they are attached to it', () => {
    const { objects: written, targets } = statuses([...objects, ...policies], { settings })
    expect(messages(written, 'coffee')).toEqual(['RateLimitPolicy shop/all is applied to the resource'])
    expect(messages(written, 'tea')).toEqual([
      'RateLimitPolicies shop/a, shop/all are applied to the resource',
      'RateLimitPolicy shop/a is applied to the resource',
      'RateLimitPolicy shop/a is applied to the resource',
    ])
    expect(targets.map(({ name }) => name)).toEqual(['edge', 'coffee', 'tea'])
  })

  it('a route that the Gateway does not take carries none', () => {
    const closed = gateway('edge', { allowedRoutes: { namespaces: { from: 'None' } } })
    const { targets } = statuses([closed, route('coffee'), ...policies.slice(0, 1)], { settings })
    expect(targets.map(({ name }) => name)).toEqual(['edge'])
  })
})

it('writes objects with the namespace in which they will live', () => {
  const bare = { ...policy('tea', ['HTTPRoute/tea']), metadata: { name: 'tea' } }
  const [world] = worldsOf([source([bare], { namespace: { override: 'shop' } })])
  if (!world) throw new Error('there is no world')
  const { objects } = queryStatus(world, { settings: DEFAULT_SETTINGS, controllerName: undefined, now: NOW })
  expect(objects[0]?.metadata).toEqual({ name: 'tea', namespace: 'shop' })
})

describe('in a distribution with other API groups', () => {
  const apiGroups = { vendor: 'acme', platform: 'metal' }
  const renamed = (objects: readonly JsonObject[]): JsonObject[] =>
    JSON.parse(
      JSON.stringify(objects)
        .replaceAll('gateway.nginx.org', 'gateway.acme.org')
        .replaceAll('gateway.networking.k8s.io', 'gateway.networking.metal.io'),
    )
  const code = { rejectCode: 429 }
  const two = [...SHOP, policy('a', ['HTTPRoute/tea'], code), policy('b', ['HTTPRoute/tea'], code)]

  it('policies of its groups take part, and only those', () => {
    expect(brief(renamed(two), { settings: { apiGroups } })).toEqual([
      'a HTTPRoute/tea True Accepted',
      'b HTTPRoute/tea False Conflicted',
    ])
    const wrongTarget = JSON.parse(
      JSON.stringify(renamed(two)).replace(
        'gateway.networking.metal.io","kind":"HTTPRoute","name":"tea"',
        'gateway.networking.k8s.io","kind":"HTTPRoute","name":"tea"',
      ),
    )
    expect(brief(wrongTarget, { settings: { apiGroups } })[0]).toBe('a HTTPRoute/tea False Invalid')
  })
})

describe('objects that name no namespace', () => {
  const metadata = { namespace: null }
  const unnamed = (object: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...Object(object.metadata), ...metadata },
  })
  const objects = [
    ...SHOP,
    policy('a', ['HTTPRoute/coffee'], { rejectCode: 429 }),
    policy('b', ['HTTPRoute/coffee', 'HTTPRoute/tea'], { rejectCode: 503 }),
    policy('c', ['HTTPRoute/mate']),
    policy('d', ['Gateway/edge']),
  ]

  it('have the status that they would have in one namespace', () => {
    expect(brief(objects.map(unnamed))).toEqual(brief(objects))
    expect(brief(objects)).toContain('b HTTPRoute/tea False Conflicted')
    expect(brief(objects)).toContain('c HTTPRoute/mate False TargetNotFound')
  })

  it('are shown without one', () => {
    const shown = JSON.stringify(statuses(objects.map(unnamed)), (key, value) =>
      key === 'objects' ? undefined : value,
    )
    const named = JSON.stringify(statuses(objects), (key, value) => (key === 'objects' ? undefined : value))
    const erased = named
      .replaceAll('shop/', '')
      .replaceAll(',"namespace":"shop"', '')
      .replaceAll('"namespace":"shop"', '"namespace":""')
    expect(shown).toBe(erased)
    expect(JSON.stringify(statuses(objects.map(unnamed)))).not.toContain('\\u0000')
  })

  it('have the limits that they would have in one namespace', () => {
    const queryOf = (all: readonly JsonObject[], text: string) => JSON.stringify(query(text, all))
    for (const text of ['HTTPRoute/coffee', 'HTTPRoute/tea', 'Gateway/edge'])
      expect(queryOf(objects.map(unnamed), text)).toBe(
        queryOf(objects, text).replaceAll('"namespace":"shop"', '"namespace":""').replaceAll('shop_rl_', '?_rl_'),
      )
  })
})

it('adds an entry for a parent beside one of its own that names none', () => {
  const nameless = {
    controllerName: 'gateway.nginx.org/nginx-gateway-controller',
    conditions: [{ type: 'Accepted', status: 'True' }],
  }
  const tea = { ...route('tea'), status: { parents: [nameless] } }
  const { objects } = statuses([gateway('edge'), tea, policy('tea', ['HTTPRoute/tea'])])
  expect(objects.find(({ kind }) => kind === 'HTTPRoute')).toMatchObject({
    status: {
      parents: [{ controllerName: nameless.controllerName }, { parentRef: { kind: 'Gateway', name: 'edge' } }],
    },
  })
})
