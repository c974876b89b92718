/** Workspaces, environments and the history of proxies over HTTP. */
import { describe, expect, it, vi } from 'vitest'
import { principalOf } from '../../../src/servers/api-management/access/roles.ts'
import { proxy, SEED, serve, serveTeam, TEAM } from './served.ts'

const WORKSPACES = '/services/workspaces'
const ENVIRONMENTS = '/infrastructure/workspaces/team/environments'

describe('workspaces', () => {
  it('are created, listed, changed and deleted', async () => {
    const { get, post, put, remove } = serve()
    expect((await get(WORKSPACES)).body).toEqual({ items: [] })
    const made = await post(WORKSPACES, { name: 'team' })
    expect(made.status).toBe(201)
    expect(made.headers.location).toBe(`${WORKSPACES}/team`)
    expect((await post(WORKSPACES, { name: 'team' })).status).toBe(409)
    expect((await put(`${WORKSPACES}/team`, { requireIfMatch: true }, { 'if-match': '"9"' })).status).toBe(412)
    expect((await put(`${WORKSPACES}/team`, { requireIfMatch: true })).body.revision).toBe(2)
    expect((await put(`${WORKSPACES}/team`, { name: 'other' })).status).toBe(400)
    expect((await get(`${WORKSPACES}/team`)).body).toEqual({ name: 'team', requireIfMatch: true, revision: 2 })
    expect((await remove(`${WORKSPACES}/team`)).status).toBe(204)
    expect((await remove(`${WORKSPACES}/team`)).status).toBe(404)
    expect((await get(`${WORKSPACES}/team/proxies`)).status).toBe(404)
  })

  it('with proxies are deleted only by force', async () => {
    const { get, post, remove } = await serveTeam()
    await post(TEAM, proxy('coffee'))
    const refused = await remove(`${WORKSPACES}/team`)
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toBe('it has 1 proxy: delete its proxies first, or send ?force=true')
    expect((await remove(`${WORKSPACES}/team?force=true`)).status).toBe(204)
    await post(WORKSPACES, { name: 'team' })
    expect((await get(TEAM)).body.items).toEqual([])
    const { body } = await get(`${TEAM}/coffee/history`)
    expect(body.items.map(({ action }: { action: string }) => action)).toEqual(['deleted', 'created'])
  })
})

describe('environments', () => {
  it('are created with gateways and global policies, and a default one is there', async () => {
    const { get, post, put, remove } = await serveTeam()
    expect((await get(ENVIRONMENTS)).body.items).toMatchObject([{ name: 'default', gateways: ['local'] }])
    const policies = {
      'rate-limit': [{ systemMetadata: { context: 'global' }, action: { limits: [{ rate: '9r/s' }] } }],
    }
    const made = await post(ENVIRONMENTS, { name: 'prod', gateways: ['gw-1'], policies })
    expect(made.status).toBe(201)
    expect(made.body.policies['rate-limit'][0].action).toEqual({
      returnCode: 429,
      limits: [{ rate: '9r/s', rateLimitBy: 'client.ip', zoneSize: '10M' }],
    })
    expect((await post(ENVIRONMENTS, { name: 'prod' })).status).toBe(409)
    const bad = { 'rate-limit': [{ action: { limits: [] } }] }
    expect((await put(`${ENVIRONMENTS}/prod`, { policies: bad })).body.errors).toMatchObject([
      { rule: 'api-management/limits', pointer: '/policies/rate-limit/0/action/limits' },
    ])
    expect((await remove(`${ENVIRONMENTS}/default`)).status).toBe(409)
    expect((await remove(`${ENVIRONMENTS}/prod`)).status).toBe(204)
    expect((await get(`${ENVIRONMENTS}/prod`)).status).toBe(404)
  })

  it('with proxies are deleted when these are gone, or in another environment', async () => {
    const { post, put, remove } = await serveTeam()
    await post(ENVIRONMENTS, { name: 'prod' })
    for (const name of ['coffee', 'tea']) await post(TEAM, proxy(name, {}, { environment: 'prod' }))
    const reason = async (query = '') => {
      const { status, body } = await remove(`${ENVIRONMENTS}/prod${query}`)
      return [status, body.detail]
    }
    const remedy = 'delete its proxies first, or put them into another environment'
    expect(await reason()).toEqual([409, `it has 2 proxies: ${remedy}`])
    expect((await remove(`${TEAM}/coffee`)).status).toBe(204)
    expect(await reason()).toEqual([409, `it has 1 proxy: ${remedy}`])
    expect((await put(`${TEAM}/tea`, proxy('tea', {}, { environment: 'default' }))).status).toBe(202)
    expect((await remove(`${ENVIRONMENTS}/prod`)).status).toBe(204)
  })

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

  it('leads back to any version, also of a proxy that was deleted', async () => {
    const { get, post, put, remove } = await serveTeam()
    await post(TEAM, proxy('coffee', {}, { note: 'first' }))
    await put(
      `${TEAM}/coffee?hostname=coffee.example.com`,
      proxy('coffee', { hostname: 'new.example' }, { note: 'second' }),
    )
    const restored = await post(`${TEAM}/coffee/history/1/restore`)
    expect(restored.status).toBe(202)
    expect(restored.body).toMatchObject({ note: 'first', status: { revision: 3 } })
    expect((await remove(`${TEAM}/coffee`)).status).toBe(204)
    expect((await post(`${TEAM}/coffee/history/4/restore`)).status).toBe(409)
    expect((await post(`${TEAM}/coffee/history/9/restore`)).status).toBe(404)
    expect((await post(`${TEAM}/coffee/history/2/restore`)).body).toMatchObject({
      note: 'second',
      status: { revision: 5 },
    })
    const { body } = await get(`${TEAM}/coffee/history`)
    expect(body.items).toMatchObject([
      { revision: 5, action: 'restored', restoredFrom: 2 },
      { revision: 4, action: 'deleted' },
      { revision: 3, action: 'restored', restoredFrom: 1 },
      { revision: 2, action: 'changed' },
      { revision: 1, action: 'created' },
    ])
    expect((await get(`${TEAM}/coffee/history/2`)).body.proxy).toMatchObject({ note: 'second' })
  })

  it('does not lead back to a place that another proxy has now', async () => {
    const { post, put } = await serveTeam()
    await post(TEAM, proxy('coffee', { hostname: 'a.example' }))
    await put(`${TEAM}/coffee?hostname=a.example`, proxy('coffee', { hostname: 'b.example' }))
    await post(TEAM, proxy('tea', { hostname: 'a.example' }))
    expect((await post(`${TEAM}/coffee/history/1/restore`)).status).toBe(409)
  })

  it('goes on where a proxy is created again', async () => {
    const { get, post, remove } = await serveTeam()
    const first = await post(TEAM, proxy('coffee'))
    await remove(`${TEAM}/coffee`)
    const second = await post(TEAM, proxy('coffee'))
    expect(second.headers.etag).not.toBe(first.headers.etag)
    const { body } = await get(`${TEAM}/coffee/history`)
    expect(body.items.map(({ revision }: { revision: number }) => revision)).toEqual([3, 2, 1])
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
