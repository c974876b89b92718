/** What a request meets, as data. */
import { describe, expect, it } from 'vitest'
import { answered, gateway, policy, route } from './manifests.ts'

const perClient = (rate: string, more: object = {}) => ({ key: '$binary_remote_addr', rate, zoneSize: '10m', ...more })

const EDGE = policy('edge', ['Gateway/edge'], { rejectCode: 429, logLevel: 'warn' }, [perClient('100r/s')])
const COFFEE = policy('coffee', ['HTTPRoute/coffee'], {}, [perClient('10r/s', { burst: 20, delay: 5 })])
const SHOP = [gateway('edge'), route('coffee', { hostnames: ['coffee.example'] }), EDGE, COFFEE]

/** `edge[0] coffee[0]` */
const brief = (limits: readonly { policy: { name: string }; rule: number }[]): string =>
  limits.map(({ policy: { name }, rule }) => `${name}[${rule}]`).join(' ')

describe('behind a Gateway', () => {
  it('its limits come first, then those of the route', () => {
    const { behind, complete, composition } = answered('HTTPRoute/coffee', SHOP)
    expect({ complete, composition, gateways: behind.length }).toEqual({
      complete: true,
      composition: 'stack',
      gateways: 1,
    })
    expect(behind[0]).toMatchObject({
      gateway: { namespace: 'shop', name: 'edge', inSight: true },
      attachment: 'attached',
      listeners: [{ name: 'http', port: 80, hostnames: ['coffee.example'] }],
      lifted: [],
      lost: [],
      memory: { zones: 2, bytes: 20 * 1024 ** 2 },
    })
    expect(brief(behind[0]?.limits ?? [])).toBe('edge[0] coffee[0]')
  })

  it('a limit tells everything about itself', () => {
    const [, limit] = answered('HTTPRoute/coffee', SHOP).behind[0]?.limits ?? []
    expect(limit).toEqual({
      policy: { namespace: 'shop', name: 'coffee' },
      rule: 0,
      level: 'route',
      key: '$binary_remote_addr',
      counts: 'all',
      shared: false,
      rate: '10r/s',
      requestsPerSecond: 10,
      burst: 20,
      delay: 5,
      noDelay: false,
      queue: { atOnce: 5, waiting: 15, longestWait: 1.5 },
      refusal: {
        enforced: true,
        code: 429,
        effect: 'sent',
        grpc: null,
        codeFrom: { namespace: 'shop', name: 'edge' },
        dryRunFrom: null,
      },
      records: { refused: 'warn', delayed: 'notice', from: { namespace: 'shop', name: 'edge' } },
      zone: { name: 'shop_rl_coffee_rule0', bytes: 10 * 1024 ** 2, keys: 81_375 },
      sharedWith: [],
    })
  })

  it('each key has its tightest rate, but not in a dry run', () => {
    const byServer = { key: '$server_name', rate: '50r/s', zoneSize: '1m' }
    const tight = policy('coffee', ['HTTPRoute/coffee'], {}, [perClient('20r/s'), perClient('60r/m'), byServer])
    const rates = (...policies: readonly object[]) =>
      answered('HTTPRoute/coffee', [
        gateway('edge'),
        route('coffee'),
        ...policies.map((one) => ({ ...one })),
      ]).behind[0]?.tightest.map(
        ({ key, rate, requestsPerSecond, policy: { name }, rule }) =>
          `${key} ${rate} ${requestsPerSecond} ${name}[${rule}]`,
      )
    expect(rates(EDGE, tight)).toEqual(['$binary_remote_addr 60r/m 1 coffee[1]', '$server_name 50r/s 50 coffee[2]'])
    const dry = policy('coffee', ['HTTPRoute/coffee'], { dryRun: true }, [perClient('1r/s')])
    expect(rates(EDGE, dry)).toEqual(['$binary_remote_addr 100r/s 100 edge[0]'])
  })

  it('where directives are inherited, the limits of the route replace those of the Gateway', () => {
    const { behind } = answered('HTTPRoute/coffee', SHOP, { settings: { composition: 'inherit' } })
    expect(brief(behind[0]?.limits ?? [])).toBe('coffee[0]')
    expect(brief(behind[0]?.lifted ?? [])).toBe('edge[0]')
  })

  it('a policy that lost names its winner, and its limits do not count', () => {
    const late = policy({ name: 'late', creationTimestamp: '2025-02-01T00:00:00Z' }, ['HTTPRoute/coffee'], {
      dryRun: true,
    })
    const early = policy({ name: 'early', creationTimestamp: '2025-01-01T00:00:00Z' }, ['HTTPRoute/coffee'], {
      dryRun: false,
    })
    const { behind } = answered('HTTPRoute/coffee', [...SHOP, late, early])
    expect(brief(behind[0]?.limits ?? [])).toBe('edge[0] early[0] coffee[0]')
    expect(behind[0]?.lost).toEqual([
      {
        policy: { namespace: 'shop', name: 'late' },
        winner: { namespace: 'shop', name: 'early' },
        fields: ['dryRun'],
        by: 'age',
        target: { kind: 'HTTPRoute', name: 'coffee' },
        certain: true,
      },
    ])
  })

  it('an invalid policy neither limits nor wins', () => {
    const wrong = policy('a-wrong', ['HTTPRoute/coffee'], { rejectCode: 200 }, [{ key: '$uri' }])
    const { behind, invalid } = answered('HTTPRoute/coffee', [...SHOP, wrong])
    expect(brief(behind[0]?.limits ?? [])).toBe('edge[0] coffee[0]')
    expect(invalid).toEqual([
      { namespace: 'shop', name: 'a-wrong', errors: 2, message: expect.stringContaining('rate') },
    ])
  })

  it('refusals are told as clients see them', () => {
    const refusal = (code: number, kind = 'HTTPRoute') =>
      answered(`${kind}/coffee`, [
        route('coffee', {}, kind),
        policy('coffee', [`${kind}/coffee`], { rejectCode: code }),
      ]).behind[0]?.limits[0]?.refusal
    expect(refusal(503)).toMatchObject({ code: 503, effect: 'sent', grpc: null })
    expect(refusal(444)).toMatchObject({ effect: 'closes-connection' })
    expect(refusal(494)).toMatchObject({ effect: 'becomes-400' })
    expect(refusal(466)).toMatchObject({ effect: 'no-reason' })
    expect(refusal(429, 'GRPCRoute')).toMatchObject({ grpc: 'UNAVAILABLE' })
    expect(refusal(494, 'GRPCRoute')).toMatchObject({ grpc: 'INTERNAL' })
    expect(refusal(444, 'GRPCRoute')).toMatchObject({ grpc: null })
  })

  it('keys that count nobody, some or everybody are told apart', () => {
    const limit = (key: string) =>
      answered('HTTPRoute/coffee', [
        policy('coffee', ['HTTPRoute/coffee'], {}, [{ key, rate: '1r/s', zoneSize: '10m' }]),
      ]).behind[0]?.limits[0]
    expect(limit('$http_x_api_key')).toMatchObject({ counts: 'some', shared: false })
    expect(limit('everybody')).toMatchObject({ counts: 'all', shared: true, zone: { keys: 1 } })
    expect(limit('""')).toMatchObject({ counts: 'none' })
  })

  it('routes of one policy share a budget', () => {
    const both = policy('both', ['HTTPRoute/coffee', 'HTTPRoute/tea'])
    const { behind } = answered('HTTPRoute/coffee', [gateway('edge'), route('coffee'), route('tea'), both])
    expect(behind[0]?.limits[0]?.sharedWith).toEqual(['HTTPRoute/tea'])
    const gateways = policy('both', ['Gateway/edge', 'Gateway/other'])
    const { behind: atGateway } = answered('Gateway/edge', [gateway('edge'), gateway('other'), gateways])
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

  it('are told one by one, and those that do not take the route apart', () => {
    const { behind, refusedBy, complete } = answered('HTTPRoute/coffee', two)
    expect(behind.map(({ gateway: at, limits }) => `${at?.name}: ${brief(limits)}`)).toEqual([
      'edge: edge[0] coffee[0]',
      'inner: coffee[0]',
    ])
    expect(refusedBy).toEqual([
      { namespace: 'shop', name: 'narrow', reason: 'hostname' },
      { namespace: 'shop', name: 'gone', reason: 'absent' },
    ])
    expect(complete).toBe(true)
  })

  it('that are not in sight make the answer incomplete', () => {
    const { behind, complete, closedWorld } = answered('HTTPRoute/coffee', two, { closedWorld: false })
    expect(behind.map(({ gateway: at }) => at?.inSight)).toEqual([true, true, false])
    expect({ complete, closedWorld }).toEqual({ complete: false, closedWorld: false })
  })

  it('may be none', () => {
    const { behind } = answered('HTTPRoute/coffee', [route('coffee'), COFFEE])
    expect(behind).toMatchObject([{ gateway: null, attachment: 'refused', complete: true }])
    const unseen = answered('HTTPRoute/coffee', [COFFEE], { closedWorld: false })
    expect(unseen.target.inSight).toBe(false)
    expect(unseen.behind).toMatchObject([{ gateway: null, attachment: 'unknown', complete: false }])
  })
})

describe('a Gateway', () => {
  it('is answered with its own limits and the routes behind it', () => {
    const { behind, routes } = answered('Gateway/edge', [...SHOP, route('tea')])
    expect(brief(behind[0]?.limits ?? [])).toBe('edge[0]')
    expect(routes).toEqual([
      { kind: 'HTTPRoute', namespace: 'shop', name: 'coffee', attachment: 'attached', limits: 1, replaces: false },
      { kind: 'HTTPRoute', namespace: 'shop', name: 'tea', attachment: 'attached', limits: 0, replaces: false },
    ])
    const inherited = answered('Gateway/edge', SHOP, { settings: { composition: 'inherit' } })
    expect(inherited.routes).toMatchObject([{ replaces: true }])
  })
})

it('a route of redirects is told to be one', () => {
  const rules = [{ filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https' } }] }]
  expect(answered('HTTPRoute/coffee', [gateway('edge'), route('coffee', { rules })]).target.redirects).toBe(true)
})
