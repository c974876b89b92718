/** The warnings of the webhook when Gateways and routes of policies change. */
import { describe, expect, it } from 'vitest'
import { worldOfObjects } from '../subjects.ts'
import { createWebhook, reviewOf } from './reviews.ts'

const ROUTE = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'coffee', namespace: 'shop' },
  spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'coffee', port: 80 }] }] },
}
const GATEWAY = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge', namespace: 'shop' },
  spec: { gatewayClassName: 'nginx', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
}

const policy = (name: string, kind: string, target: string, rest: object = {}) => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name, namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }],
    rateLimit: { ...rest, local: { rules: [{ key: '$uri', rate: '10r/s', zoneSize: '10m' }] } },
  },
})

const HTTP = { name: 'http', port: 80, protocol: 'HTTP' }
const SET_VERSIONS = {
  ListenerSet: 'gateway.networking.k8s.io/v1',
  XListenerSet: 'gateway.networking.x-k8s.io/v1alpha1',
} as const

const listenerSet = (kind: keyof typeof SET_VERSIONS) => ({
  apiVersion: SET_VERSIONS[kind],
  kind,
  metadata: { name: 'extra', namespace: 'shop' },
  spec: { parentRef: { name: 'edge' }, listeners: [{ ...HTTP, name: 'extra', port: 8080 }] },
})

/** The route, attached to the listener of a ListenerSet. */
const routeThrough = (kind: keyof typeof SET_VERSIONS) => ({
  ...ROUTE,
  spec: {
    ...ROUTE.spec,
    parentRefs: [{ group: SET_VERSIONS[kind].split('/')[0], kind, name: 'extra', sectionName: 'extra' }],
  },
})

const observe = (objects: readonly object[], request: Readonly<Record<string, unknown>>) =>
  createWebhook({ world: worldOfObjects(...objects) }).ask('/observe', reviewOf(request))

const deleted = (oldObject: object) => ({ operation: 'DELETE', object: null, oldObject })

describe('the observing webhook', () => {
  it('names policies that lose their last target', async () => {
    const { allowed, warnings } = await observe([ROUTE, GATEWAY, policy('slow', 'HTTPRoute', 'coffee')], deleted(ROUTE))
    expect(allowed).toBe(true)
    expect(warnings).toContain('RateLimitPolicy "slow" loses its last target: it limits nothing any more')
    expect(warnings?.join()).toContain('[gateway/target-not-found]')
  })

  it('looks at 200 policies and no more, and reports each of these', async () => {
    const warningsAbout = async (count: number) => {
      const policies = Array.from({ length: count }, (_, index) => policy(`slow-${index}`, 'HTTPRoute', 'coffee'))
      const { warnings = [] } = await observe([ROUTE, GATEWAY, ...policies], deleted(ROUTE))
      const more = /^and (\d+) more findings/.exec(warnings.at(-1) ?? '')?.[1]
      return warnings.length - 1 + Number(more)
    }
    // Each of them loses its last target, and names a route that does not exist.
    expect(await warningsAbout(199)).toBe(398)
    expect(await warningsAbout(200)).toBe(400)
    expect(await warningsAbout(201)).toBe(400)
  })

  it('does not warn about policies that have other targets, or for which nothing changes', async () => {
    const both = policy('slow', 'HTTPRoute', 'coffee')
    const update = {
      operation: 'UPDATE',
      object: { ...ROUTE, metadata: { ...ROUTE.metadata, labels: { a: 'b' } } },
      oldObject: ROUTE,
    }
    expect(await observe([ROUTE, GATEWAY, both], update)).toEqual({ uid: '0b5f', allowed: true })
    expect(await observe([ROUTE, GATEWAY], deleted(ROUTE))).toEqual({ uid: '0b5f', allowed: true })
  })

  it('warns that a new route causes a conflict', async () => {
    const [older, younger] = [
      policy('a', 'HTTPRoute', 'coffee', { dryRun: true }),
      policy('b', 'HTTPRoute', 'coffee', { dryRun: false }),
    ]
    const { warnings } = await observe([GATEWAY, older, younger], { object: ROUTE })
    expect(warnings?.join('\n')).toMatch(/^RateLimitPolicy "b": .*\[gateway\/conflict\]$/m)
  })

  it('warns about the routes that a Gateway no longer accepts', async () => {
    const closed = {
      ...GATEWAY.spec,
      listeners: [{ ...GATEWAY.spec.listeners[0], allowedRoutes: { namespaces: { from: 'None' } } }],
    }
    const update = { operation: 'UPDATE', object: { ...GATEWAY, spec: closed }, oldObject: GATEWAY }
    const { warnings } = await observe([ROUTE, GATEWAY, policy('slow', 'HTTPRoute', 'coffee')], {
      ...update,
      name: 'edge',
    })
    expect(warnings?.join('\n')).toMatch(/^RateLimitPolicy "slow": .*\[gateway\/target-not-attached\]$/m)
  })

  it('warns about the routes that lose the listeners of a ListenerSet', async () => {
    const spec = { ...GATEWAY.spec, allowedListeners: { namespaces: { from: 'Same' } } }
    const [open, set] = [{ ...GATEWAY, spec }, listenerSet('ListenerSet')]
    const slow = policy('slow', 'HTTPRoute', 'coffee')
    const lost = /^RateLimitPolicy "slow": .*\[gateway\/target-not-attached\]$/m
    const warningsOf = async (objects: readonly object[], request: Readonly<Record<string, unknown>>) =>
      (await observe([slow, ...objects], request)).warnings?.join('\n') ?? ''
    const through = routeThrough('ListenerSet')
    expect(await warningsOf([through, open, set], deleted(set))).toMatch(lost)
    const moved = { ...set, spec: { ...set.spec, parentRef: { name: 'other' } } }
    const update = { operation: 'UPDATE', name: 'extra' }
    expect(await warningsOf([through, open, set], { ...update, object: moved, oldObject: set })).toMatch(lost)
    const renamed = { ...set, spec: { ...set.spec, listeners: [{ ...HTTP, name: 'other' }] } }
    expect(await warningsOf([through, open, set], { ...update, object: renamed, oldObject: set })).toMatch(lost)
    expect(await warningsOf([through, open, set], { ...update, object: set, oldObject: set })).toBe('')
    expect(await warningsOf([through, GATEWAY], { object: set })).toMatch(lost)
    expect(await warningsOf([through, open], { object: set })).toBe('')
    expect(await warningsOf([ROUTE, open, set], deleted(set))).toBe('')
    const refused = { operation: 'UPDATE', name: 'edge', object: GATEWAY, oldObject: open }
    expect(await warningsOf([through, open, set], refused)).toMatch(lost)
    const [experimental, namingIt] = [listenerSet('XListenerSet'), routeThrough('XListenerSet')]
    expect(await warningsOf([namingIt, open, experimental], deleted(experimental))).toMatch(lost)
  })

  it('does not report policies that another namespace has on the Gateway of a ListenerSet', async () => {
    const spec = { ...GATEWAY.spec, allowedListeners: { namespaces: { from: 'All' } } }
    const foreign = {
      ...listenerSet('ListenerSet'),
      metadata: { name: 'extra', namespace: 'other' },
      spec: { parentRef: { name: 'edge', namespace: 'shop' }, listeners: [{ ...HTTP, port: 8080 }] },
    }
    const objects = [ROUTE, { ...GATEWAY, spec }, foreign, policy('slow', 'Gateway', 'edge')]
    expect(await observe(objects, { ...deleted(foreign), namespace: 'other' })).toEqual({ uid: '0b5f', allowed: true })
  })

  it('does not report what a policy suppresses, unless it is an error', async () => {
    const ignoring = (one: ReturnType<typeof policy>, rules: string) => ({
      ...one,
      metadata: { ...one.metadata, annotations: { 'sluice.policy/ignore': rules } },
    })
    const alone = policy('slow', 'HTTPRoute', 'coffee')
    const { warnings } = await observe([ROUTE, GATEWAY, ignoring(alone, 'gateway/target-not-found')], deleted(ROUTE))
    expect(warnings).toEqual(['RateLimitPolicy "slow" loses its last target: it limits nothing any more'])
    const conflicting = [
      policy('a', 'HTTPRoute', 'coffee', { dryRun: true }),
      ignoring(policy('b', 'HTTPRoute', 'coffee', { dryRun: false }), 'gateway/conflict'),
    ]
    const answer = await observe([GATEWAY, ...conflicting], { object: ROUTE })
    expect(answer.warnings?.join()).toContain('[gateway/conflict]')
  })

  it('does not report policies in other namespaces', async () => {
    const foreign = { ...ROUTE, metadata: { name: 'coffee', namespace: 'other' } }
    expect(
      await observe([ROUTE, GATEWAY, policy('slow', 'HTTPRoute', 'coffee')], {
        ...deleted(foreign),
        namespace: 'other',
      }),
    ).toEqual({
      uid: '0b5f',
      allowed: true,
    })
  })

  it.each([
    ['a status', { operation: 'UPDATE', subResource: 'status', object: ROUTE, oldObject: ROUTE }],
    ['another kind', { object: { apiVersion: 'v1', kind: 'Secret' } }],
    ['nothing at all', { operation: 'CONNECT' }],
  ])('lets %s pass', async (_, request) => {
    expect(await observe([ROUTE], request)).toEqual({ uid: '0b5f', allowed: true })
  })
})

describe('a policy that is written', () => {
  it('is judged among the others as it will be, not as it was', async () => {
    const [mine, other] = [policy('b', 'HTTPRoute', 'coffee'), policy('a', 'HTTPRoute', 'coffee', { rejectCode: 429 })]
    const { ask } = createWebhook({ world: worldOfObjects(ROUTE, GATEWAY, mine, other) })
    const object = policy('b', 'HTTPRoute', 'coffee', { rejectCode: 503 })
    const review = reviewOf({ operation: 'UPDATE', name: 'b', object, oldObject: mine })
    const { allowed, warnings } = await ask('/validate', review)
    expect({ allowed, warnings: warnings?.join('\n') }).toEqual({
      allowed: true,
      warnings: expect.stringContaining('[gateway/conflict]'),
    })
    const moved = policy('b', 'HTTPRoute', 'tea', { rejectCode: 503 })
    const after = await ask('/validate', reviewOf({ operation: 'UPDATE', name: 'b', object: moved, oldObject: object }))
    expect(after.warnings?.join('\n')).not.toContain('[gateway/conflict]')
  })
})
