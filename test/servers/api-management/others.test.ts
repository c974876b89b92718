/** Environments, metrics and documents over HTTP. All else: `test/fixtures/http/api-management/`. */
import { describe, expect, it, vi } from 'vitest'
import { proxy, serve, serveTeam, TEAM } from './served.ts'

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

describe('what two workspaces want at once', () => {
  it('belongs to one of them, hostname or wildcard', async () => {
    const { post, get, store } = await serveTeam()
    await post('/services/workspaces', { name: 'others' })
    const hosts = Array.from({ length: 40 }, (_, index) => `h${index}.example`)
    const wanted = hosts.flatMap((host, index) => [
      ['team', index % 2 ? `*.${host}` : host],
      ['others', index % 2 ? `a.b.${host}` : host],
    ])
    const statuses = await Promise.all(
      wanted.map(async ([workspace = '', hostname = ''], index) => {
        const config = { hostname, ingress: { basePath: `/${workspace}` } }
        return (await post(`/services/workspaces/${workspace}/proxies`, proxy(`p${index}`, config))).status
      }),
    )
    for (const [index, host] of hosts.entries()) {
      const both = statuses.slice(2 * index, 2 * index + 2)
      // A wildcard takes nothing of a hostname below it that was there before.
      const isBoth = index % 2 === 1 && both.join() === '202,202'
      if (!isBoth) expect({ host, both: [...both].sort() }).toEqual({ host, both: [202, 403] })
      const names = [`*.${host}`, `a.b.${host}`]
      const owners = await store.claimsOn(index % 2 ? names : [host])
      expect(owners).toHaveLength(isBoth ? 2 : 1)
    }
    const { body } = await get('/services/workspaces/team/hostnames')
    expect(body.items.length + (await store.claimsOf('others')).length).toBe(
      statuses.filter((status) => status === 202).length,
    )
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
