/** Workspaces, environments and the history of proxies over HTTP. */
import { describe, expect, it, vi } from 'vitest'
import { principalOf } from '../../../src/servers/api-management/access/roles.ts'
import { proxy, SEED, serve, serveTeam, TEAM } from './served.ts'

const ENVIRONMENTS = '/infrastructure/workspaces/team/environments'

describe('environments', () => {
  it('are not deleted under a proxy that comes in between', async () => {
    const { post, remove, store } = await serveTeam()
    await post(ENVIRONMENTS, { name: 'prod' })
    vi.spyOn(store, 'proxyHeads').mockImplementationOnce(async () => {
      await post(TEAM, proxy('coffee', {}, { environment: 'prod' }))
      return []
    })
    const { status, body } = await remove(`${ENVIRONMENTS}/prod`)
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/^it has 1 proxy: /)])
  })
})

describe('the history of a proxy', () => {
  it('says who changed what, and when', async () => {
    let now = Date.parse('2026-01-02T03:04:05.000Z')
    const access = { authenticate: async () => principalOf('ada', ['administrator']) }
    const { get, post } = await serveTeam({ wallClock: () => now, access })
    await post(TEAM, proxy('coffee'))
    now += 1000
    await post(`${TEAM}?name=coffee`, SEED)
    const { body } = await get(`${TEAM}/coffee/history`)
    expect(body.items).toMatchObject([
      { revision: 2, at: '2026-01-02T03:04:06.000Z', by: 'ada', action: 'changed' },
      { revision: 1, at: '2026-01-02T03:04:05.000Z', by: 'ada', action: 'created' },
    ])
    expect(body.items[0].diff.patch).toMatchObject([{ op: 'add', path: '/proxyConfig/policies' }])
    expect(body.items[0].diff.text).toContain('+                "rate": "10r/s",')
    const first = await get(`${TEAM}/coffee/history?pageSize=1`)
    expect(first.body.items[0]).toEqual(body.items[0])
    const second = await get(`${TEAM}/coffee/history?pageSize=1&pageToken=${first.body.nextPageToken}`)
    expect(second.body).toEqual({ items: [body.items[1]] })
  })
})

describe('the metrics', () => {
  it('count requests by operation, and proxies by state', async () => {
    const { get, post, metrics } = await serveTeam()
    await post(TEAM, proxy('coffee'))
    await post(TEAM, proxy('coffee'))
    await get('/nowhere')
    const text = await metrics.metrics()
    expect(text).toContain('sluice_management_requests_total{operation="createProxy",code="202"} 1')
    expect(text).toContain('sluice_management_requests_total{operation="createProxy",code="409"} 1')
    expect(text).toContain('sluice_management_requests_total{operation="none",code="404"} 1')
    expect(text).toContain('sluice_management_request_duration_seconds_count{operation="createProxy"} 2')
    expect(text).toContain('sluice_management_proxies{state="CONFIGURING"} 1')
    expect(text).toContain('sluice_management_proxies{state="FAILED"} 0')
  })
})

describe('the OpenAPI document', () => {
  it('and its page are served, and the page needs nothing from elsewhere', async () => {
    const { get } = serve({ basePath: '/api/acm/v1' })
    const { body } = await get('/api/acm/v1/openapi.json')
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/acm/v1' }] })
    const page = await get('/api/acm/v1/docs')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.text).toContain('/services/workspaces/{workspace}/proxies')
    expect(page.text).not.toMatch(/<script|https?:|src=/)
  })
})
