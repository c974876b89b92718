/** `sluice simulate`: which limits of which routes a request meets. */
import { describe, expect, it } from 'vitest'
import { createShop, GATEWAY, json, policy, ROUTES, route, run, write } from './shop.ts'

createShop()

describe('limits', () => {
  const both = (settings: string, routeSettings = '') =>
    GATEWAY +
    '---' +
    ROUTES +
    policy('edge', ['Gateway', 'edge'], '{key: $binary_remote_addr, rate: 2r/s, burst: 1, noDelay: true}', settings) +
    policy('coffee', ['HTTPRoute', 'coffee'], '{key: $binary_remote_addr, rate: 1r/s}', routeSettings)

  it('of Gateway and route stack up, or the route replaces them', async () => {
    write('both/all.yaml', both(''))
    const shape = 'both --clients 1 --rate 4r/s --for 4s --path /coffee'
    expect(await json(shape)).toMatchObject({
      totals: { requests: 16, passed: 4, rejected: 12 },
      policies: [
        { name: 'edge', limits: [{ requests: 16, passed: 4, rejectedByOther: 12 }] },
        { name: 'coffee', limits: [{ rejected: 12 }] },
      ],
    })
    const inherited = await json(`${shape} --composition inherit`)
    expect(inherited).toMatchObject({ composition: 'inherit', totals: { passed: 4, rejected: 12 } })
    expect(inherited.policies).toMatchObject([{ name: 'coffee' }, { name: 'edge', limits: [{ requests: 0 }] }])
  })

  it('of a Gateway stand before those of a route that has other settings', async () => {
    write('hop/all.yaml', both('rejectCode: 429,', 'rejectCode: 430,'))
    expect(await json('hop --clients 1 --rate 4r/s --for 4s --path /coffee')).toMatchObject({
      policies: [
        { name: 'edge', limits: [{ requests: 16, rejected: 7 }] },
        { name: 'coffee', limits: [{ requests: 9, rejected: 5, passed: 4 }] },
      ],
    })
    write('dry/all.yaml', both('', 'dryRun: true,'))
    expect(await json('dry --clients 1 --rate 4r/s --for 4s --path /coffee')).toMatchObject({
      totals: { passed: 9, rejected: 7 },
      policies: [{ name: 'edge' }, { name: 'coffee', limits: [{ dryRun: true, rejectedDryRun: 5 }] }],
    })
  })

  it('by variables that the log does not have are not simulated, unless the user sets them', async () => {
    write(
      'key/all.yaml',
      GATEWAY +
        '---' +
        ROUTES +
        policy('coffee', ['HTTPRoute', 'coffee'], '{key: $http_x_api_key, rate: 1r/s}, {key: all, rate: 1r/m}'),
    )
    const unknown = await json('key --log access.log --spread none')
    expect(unknown.policies[0].limits).toMatchObject([
      { notSimulated: 'the traffic has no value for a variable of the key', requests: 0 },
      { rejected: 4 },
    ])
    expect(unknown.warnings[0]).toBe(
      'shop/coffee rules[0] is not simulated: the log has no value for $http_x_api_key of its key $http_x_api_key; --set http_x_api_key=VALUE sets one value for all requests',
    )
    expect((await json('key --log access.log --set http_x_api_key=acme')).policies[0].limits).toMatchObject([
      { rejected: 4 },
      { rejectedByOther: 0 },
    ])
    expect((await json('key --log access.log --set http_x_api_key=größer€')).policies[0].limits).toMatchObject([
      { topRejectedKeys: [{ key: 'größer€' }] },
      {},
    ])
    expect((await json('key --log access.log --set http_x_api_key=')).policies[0].limits).toMatchObject([
      { requests: 0, withoutKey: 5 },
      {},
    ])
  })

  it('of two versions are compared', async () => {
    write(
      'old/all.yaml',
      GATEWAY +
        '---' +
        ROUTES +
        policy('coffee', ['HTTPRoute', 'coffee'], '{key: $binary_remote_addr, rate: 9r/s, burst: 9}'),
    )
    const { comparison } = await json('k8s --log access.log --spread none --compare old')
    expect(comparison).toEqual({
      old: { totals: { requests: 8, passed: 3, delayed: 3, rejected: 0, unmatched: 2 }, timeline: expect.any(Array) },
      newlyRejected: {
        requests: 2,
        keys: 1,
        top: [{ policy: { namespace: 'shop', name: 'coffee' }, index: 0, key: '10.0.0.2', requests: 2 }],
      },
      noLongerRejected: { requests: 0, keys: 0, top: [] },
    })
    const { stdout } = await run('old --log access.log --spread none --compare k8s')
    expect(stdout).toContain(
      'no longer  rejected 2 requests of 1 key\n             10.0.0.2: 2 by shop/coffee rules[0]',
    )
  })
})

describe('a host', () => {
  const hosts =
    GATEWAY +
    '---' +
    route('a', '/coffee', 'hostnames: [a.example]') +
    route('b', '/coffee', 'hostnames: [b.example]') +
    policy('b', ['HTTPRoute', 'b'], '{key: x, rate: 1r/m}')

  it('is missing where the log has none', async () => {
    write('hosts/all.yaml', hosts)
    const { warnings, routes } = await json('hosts --log access.log')
    expect(warnings[0]).toBe(
      'the traffic has no host, so routes of a.example, b.example are distinguished by path alone; --host NAME sets the host of all requests',
    )
    expect(routes).toMatchObject([
      { name: 'a', requests: 5 },
      { name: 'b', requests: 0 },
    ])
  })
  it('is set by --host', async () => {
    const { routes } = await json('hosts --log access.log --host B.example:443')
    expect(routes).toMatchObject([
      { name: 'b', requests: 5 },
      { name: 'a', requests: 0 },
    ])
    expect(await json('hosts --log access.log --host c.example')).toMatchObject({ totals: { unmatched: 8 } })
  })
  it('of the log is the one that counts', async () => {
    const log = '{"ts":1767614400.1,"host":"a.example","request":"GET /coffee HTTP/1.1"}'
    expect(await json('hosts --log - --host b.example', [Buffer.from(log)])).toMatchObject({
      routes: [{ name: 'a', requests: 1 }, { name: 'b' }],
    })
  })
})
