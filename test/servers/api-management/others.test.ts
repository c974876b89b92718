/** Workspaces, environments and the history of proxies over HTTP. */
import { describe, expect, it, vi } from 'vitest'
import { principalOf } from '../../../src/servers/api-management/access/roles.ts'
import { proxy, SEED, serve, serveTeam, TEAM } from './served.ts'

const WORKSPACES = '/services/workspaces'
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

describe('who may', () => {
  const only = (workspace: string) => ({
    authenticate: async () => ({
      ...{ name: 'eve', isAdministrator: false, mustChangePassword: false },
      workspaces: [workspace],
      mayRead: (name?: string) => name === undefined || name === workspace,
      mayEdit: () => false,
    }),
  })

  it('read one workspace sees nothing of others, and changes nothing', async () => {
    const folder = await serveTeam()
    await folder.post('/services/workspaces', { name: 'others' })
    const { get, post, put, remove } = serve({ store: folder.store, access: only('team') })
    expect((await get(WORKSPACES)).body.items.map(({ name }: { name: string }) => name)).toEqual(['team'])
    expect((await get(TEAM)).status).toBe(200)
    expect((await get(`${WORKSPACES}/others/proxies`)).status).toBe(403)
    expect((await get(`${WORKSPACES}/unknown`)).status).toBe(403)
    expect((await post(TEAM, SEED)).status).toBe(403)
    expect((await put(`${ENVIRONMENTS}/default`, {})).status).toBe(403)
    expect((await remove(`${WORKSPACES}/team`)).status).toBe(403)
    expect((await post(WORKSPACES, { name: 'x' })).status).toBe(403)
  })

  it('edit some workspaces get whole pages of them', async () => {
    const admin = serve()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await admin.post(WORKSPACES, { name })
    const access = { authenticate: async () => principalOf('eve', ['editor:d', 'editor:b', 'editor:gone', 'editor:e']) }
    const { get } = serve({ store: admin.store, access })
    const names = ({ body }: { body: { items: { name: string }[] } }) => body.items.map(({ name }) => name)
    const first = await get(`${WORKSPACES}?pageSize=2`)
    expect(names(first)).toEqual(['b', 'd'])
    const second = await get(`${WORKSPACES}?pageSize=2&pageToken=${first.body.nextPageToken}`)
    expect(names(second)).toEqual(['e'])
    expect(second.body.nextPageToken).toBeUndefined()
    expect(names(await get(`${WORKSPACES}?pageSize=2&page=2`))).toEqual(['e'])
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
