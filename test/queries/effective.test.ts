/** What applies to a request, as data. */
import { describe, expect, it } from 'vitest'
import { effective, gateway, policy, route } from './manifests.ts'

const perClient = (rate: string, more: object = {}) => ({ key: '$binary_remote_addr', rate, zoneSize: '10m', ...more })

const EDGE = policy('edge', ['Gateway/edge'], { rejectCode: 429, logLevel: 'warn' }, [perClient('100r/s')])
const COFFEE = policy('coffee', ['HTTPRoute/coffee'], {}, [perClient('10r/s', { burst: 20, delay: 5 })])
const SHOP = [gateway('edge'), route('coffee', { hostnames: ['coffee.example'] }), EDGE, COFFEE]

/** `edge[0] coffee[0]` */
const brief = (limits: readonly { policy: { name: string }; index: number }[]): string =>
  limits.map(({ policy: { name }, index }) => `${name}[${index}]`).join(' ')

describe('behind a Gateway', () => {
  it('its limits come first, then those of the route', () => {
    const { requestPaths, complete, composition } = effective('HTTPRoute/coffee', SHOP)
    expect({ complete, composition, gateways: requestPaths.length }).toEqual({
      complete: true,
      composition: 'stack',
      gateways: 1,
    })
    expect(requestPaths[0]).toMatchObject({
      gateway: { namespace: 'shop', name: 'edge', found: true },
      attachment: 'attached',
      listeners: [{ name: 'http', port: 80, hostnames: ['coffee.example'] }],
      replaced: [],
      conflicts: [],
      memory: { zones: 2, bytes: 20 * 1024 ** 2 },
    })
    expect(brief(requestPaths[0]?.limits ?? [])).toBe('edge[0] coffee[0]')
  })

  it('a limit is described in full', () => {
    const [, limit] = effective('HTTPRoute/coffee', SHOP).requestPaths[0]?.limits ?? []
    expect(limit).toEqual({
      policy: { namespace: 'shop', name: 'coffee' },
      index: 0,
      level: 'route',
      zone: 'shop_rl_coffee_rule0',
      zoneBytes: 10 * 1024 ** 2,
      zoneMaxKeys: 81_375,
      key: '$binary_remote_addr',
      appliesTo: 'all',
      constantKey: false,
      rate: '10r/s',
      requestsPerSecond: 10,
      burst: 20,
      delay: 5,
      noDelay: false,
      queue: { undelayed: 5, delayed: 15, maxDelaySeconds: 1.5 },
      rejectCode: 429,
      rejectResponse: 'sent',
      grpcStatus: null,
      logLevel: 'warn',
      delayLogLevel: 'notice',
      dryRun: false,
      setBy: {
        rejectCode: { namespace: 'shop', name: 'edge' },
        logLevel: { namespace: 'shop', name: 'edge' },
        dryRun: null,
      },
      sharedWith: [],
    })
  })

  it('each key has its lowest rate, but not in a dry run', () => {
    const byServer = { key: '$server_name', rate: '50r/s', zoneSize: '1m' }
    const tight = policy('coffee', ['HTTPRoute/coffee'], {}, [perClient('20r/s'), perClient('60r/m'), byServer])
    const rates = (...policies: readonly object[]) =>
      effective('HTTPRoute/coffee', [
        gateway('edge'),
        route('coffee'),
        ...policies.map((one) => ({ ...one })),
      ]).requestPaths[0]?.lowestRates.map(
        ({ key, rate, requestsPerSecond, policy: { name }, index }) =>
          `${key} ${rate} ${requestsPerSecond} ${name}[${index}]`,
      )
    expect(rates(EDGE, tight)).toEqual(['$binary_remote_addr 60r/m 1 coffee[1]', '$server_name 50r/s 50 coffee[2]'])
    const dry = policy('coffee', ['HTTPRoute/coffee'], { dryRun: true }, [perClient('1r/s')])
    expect(rates(EDGE, dry)).toEqual(['$binary_remote_addr 100r/s 100 edge[0]'])
  })

  it('where directives are inherited, the limits of the route replace those of the Gateway', () => {
    const { requestPaths } = effective('HTTPRoute/coffee', SHOP, { settings: { composition: 'inherit' } })
    expect(brief(requestPaths[0]?.limits ?? [])).toBe('coffee[0]')
    expect(brief(requestPaths[0]?.replaced ?? [])).toBe('edge[0]')
  })

  it('a rejected policy names the preferred one, and its limits do not apply', () => {
    const late = policy({ name: 'late', creationTimestamp: '2025-02-01T00:00:00Z' }, ['HTTPRoute/coffee'], {
      dryRun: true,
    })
    const early = policy({ name: 'early', creationTimestamp: '2025-01-01T00:00:00Z' }, ['HTTPRoute/coffee'], {
      dryRun: false,
    })
    const { requestPaths } = effective('HTTPRoute/coffee', [...SHOP, late, early])
    expect(brief(requestPaths[0]?.limits ?? [])).toBe('edge[0] early[0] coffee[0]')
    expect(requestPaths[0]?.conflicts).toEqual([
      {
        rejected: { namespace: 'shop', name: 'late' },
        preferred: { namespace: 'shop', name: 'early' },
        fields: ['dryRun'],
        decidedBy: 'age',
        target: { kind: 'HTTPRoute', name: 'coffee' },
        certain: true,
      },
    ])
  })

  it('an invalid policy neither applies nor is preferred', () => {
    const wrong = policy('a-wrong', ['HTTPRoute/coffee'], { rejectCode: 200 }, [{ key: '$uri' }])
    const { requestPaths, invalidPolicies } = effective('HTTPRoute/coffee', [...SHOP, wrong])
    expect(brief(requestPaths[0]?.limits ?? [])).toBe('edge[0] coffee[0]')
    expect(invalidPolicies).toEqual([
      {
        namespace: 'shop',
        name: 'a-wrong',
        errors: 2,
        rejectedBy: 'api-server',
        message: expect.stringContaining('rate'),
      },
    ])
  })

  it('rejections are described as clients see them', () => {
    const rejection = (code: number, kind = 'HTTPRoute') =>
      effective(`${kind}/coffee`, [
        route('coffee', {}, kind),
        policy('coffee', [`${kind}/coffee`], { rejectCode: code }),
      ]).requestPaths[0]?.limits[0]
    expect(rejection(503)).toMatchObject({ rejectCode: 503, rejectResponse: 'sent', grpcStatus: null })
    expect(rejection(444)).toMatchObject({ rejectResponse: 'closes-connection' })
    expect(rejection(494)).toMatchObject({ rejectResponse: 'becomes-400' })
    expect(rejection(466)).toMatchObject({ rejectResponse: 'no-reason' })
    expect(rejection(429, 'GRPCRoute')).toMatchObject({ grpcStatus: 'UNAVAILABLE' })
    expect(rejection(494, 'GRPCRoute')).toMatchObject({ grpcStatus: 'INTERNAL' })
    expect(rejection(444, 'GRPCRoute')).toMatchObject({ grpcStatus: null })
  })

  it('keys that limit no, some or all requests differ', () => {
    const limit = (key: string) =>
      effective('HTTPRoute/coffee', [
        policy('coffee', ['HTTPRoute/coffee'], {}, [{ key, rate: '1r/s', zoneSize: '10m' }]),
      ]).requestPaths[0]?.limits[0]
    expect(limit('$http_x_api_key')).toMatchObject({ appliesTo: 'some', constantKey: false })
    expect(limit('everybody')).toMatchObject({ appliesTo: 'all', constantKey: true, zoneMaxKeys: 1 })
    expect(limit('""')).toMatchObject({ appliesTo: 'none' })
  })

  it('routes of one policy share a budget', () => {
    const both = policy('both', ['HTTPRoute/coffee', 'HTTPRoute/tea'])
    const { requestPaths } = effective('HTTPRoute/coffee', [gateway('edge'), route('coffee'), route('tea'), both])
    expect(requestPaths[0]?.limits[0]?.sharedWith).toEqual(['HTTPRoute/tea'])
    const gateways = policy('both', ['Gateway/edge', 'Gateway/other'])
    const { requestPaths: atGateway } = effective('Gateway/edge', [gateway('edge'), gateway('other'), gateways])
    expect(atGateway[0]?.limits[0]?.sharedWith).toEqual([])
  })
})

describe('several Gateways', () => {
  const two = [
    gateway('edge'),
    gateway('inner'),
    gateway('narrow', { hostname: 'other.example' }),
    route('coffee', {
      hostnames: ['coffee.example'],
      parentRefs: ['edge', 'inner', 'narrow', 'gone'].map((name) => ({ name })),
    }),
    EDGE,
    COFFEE,
  ]

  it('are listed one by one, and those that reject the route separately', () => {
    const { requestPaths, rejectedBy, complete } = effective('HTTPRoute/coffee', two)
    expect(requestPaths.map(({ gateway: at, limits }) => `${at?.name}: ${brief(limits)}`)).toEqual([
      'edge: edge[0] coffee[0]',
      'inner: coffee[0]',
    ])
    expect(rejectedBy).toEqual([
      { namespace: 'shop', name: 'narrow', reason: 'hostname' },
      { namespace: 'shop', name: 'gone', reason: 'absent' },
    ])
    expect(complete).toBe(true)
  })

  it('that are unknown make the result incomplete', () => {
    const { requestPaths, complete, closedWorld } = effective('HTTPRoute/coffee', two, { closedWorld: false })
    expect(requestPaths.map(({ gateway: at }) => at?.found)).toEqual([true, true, false])
    expect({ complete, closedWorld }).toEqual({ complete: false, closedWorld: false })
  })

  it('may be none', () => {
    const { requestPaths } = effective('HTTPRoute/coffee', [route('coffee'), COFFEE])
    expect(requestPaths).toMatchObject([{ gateway: null, attachment: 'rejected', complete: true }])
    const unknown = effective('HTTPRoute/coffee', [COFFEE], { closedWorld: false })
    expect(unknown.target.found).toBe(false)
    expect(unknown.requestPaths).toMatchObject([{ gateway: null, attachment: 'unknown', complete: false }])
  })
})

describe('a Gateway', () => {
  it('has its own limits and the routes behind it', () => {
    const { requestPaths, routes } = effective('Gateway/edge', [...SHOP, route('tea')])
    expect(brief(requestPaths[0]?.limits ?? [])).toBe('edge[0]')
    expect(routes).toEqual([
      {
        kind: 'HTTPRoute',
        namespace: 'shop',
        name: 'coffee',
        attachment: 'attached',
        ownLimits: 1,
        replacesGatewayLimits: false,
      },
      {
        kind: 'HTTPRoute',
        namespace: 'shop',
        name: 'tea',
        attachment: 'attached',
        ownLimits: 0,
        replacesGatewayLimits: false,
      },
    ])
    const inherited = effective('Gateway/edge', SHOP, { settings: { composition: 'inherit' } })
    expect(inherited.routes).toMatchObject([{ replacesGatewayLimits: true }])
  })
})

it('a route of redirects is marked', () => {
  const rules = [{ filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https' } }] }]
  expect(effective('HTTPRoute/coffee', [gateway('edge'), route('coffee', { rules })]).target.onlyRedirects).toBe(true)
})

describe('a route that is attached through a ListenerSet', () => {
  const set = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ListenerSet',
    metadata: { name: 'set', namespace: 'shop' },
    spec: { parentRef: { name: 'edge' }, listeners: [{ name: 'extra', port: 8080, protocol: 'HTTP' }] },
  }
  const parentRefs = [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: 'set' }]
  const open = (from: string) => {
    const { spec, ...edge } = gateway('edge')
    return { ...edge, spec: { ...Object(spec), allowedListeners: { namespaces: { from } } } }
  }
  const objects = (from: string) => [open(from), set, route('coffee', { parentRefs }), EDGE, COFFEE]

  it('meets the limits of the Gateway', () => {
    const { requestPaths, complete } = effective('HTTPRoute/coffee', objects('Same'))
    expect(requestPaths).toMatchObject([
      { gateway: { name: 'edge' }, attachment: 'attached', listeners: [{ name: 'extra', port: 8080 }] },
    ])
    const listenerSet = { kind: 'ListenerSet', namespace: 'shop', name: 'set' }
    expect(requestPaths[0]?.listeners).toMatchObject([{ listenerSet }])
    expect(effective('Gateway/edge', objects('Same')).requestPaths[0]?.listeners.map((one) => one.listenerSet)).toEqual(
      [null, listenerSet],
    )
    expect([brief(requestPaths[0]?.limits ?? []), complete]).toEqual(['edge[0] coffee[0]', true])
    expect(effective('Gateway/edge', objects('Same')).routes).toMatchObject([
      { name: 'coffee', attachment: 'attached', ownLimits: 1 },
    ])
  })

  it('does not where the Gateway does not allow the set', () => {
    const { requestPaths, rejectedBy, complete } = effective('HTTPRoute/coffee', objects('None'))
    expect([brief(requestPaths[0]?.limits ?? []), complete]).toEqual(['coffee[0]', true])
    expect(requestPaths).toMatchObject([{ gateway: null, attachment: 'rejected' }])
    expect(rejectedBy).toEqual([{ namespace: 'shop', name: 'edge', reason: 'listener-set' }])
    expect(effective('Gateway/edge', objects('None')).routes).toEqual([])
  })
})
