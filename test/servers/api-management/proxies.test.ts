/** Proxies over HTTP: random names, requests at once, paths and headers. All else: `test/fixtures/http/api-management/`. */
import { describe, expect, it } from 'vitest'
import { proxy, SEED, serve, serveTeam, TEAM } from './served.ts'

/** A gateway that says nothing. */
const IDLE = { publish: async () => new Map(), inForce: () => new Set<string>(), pid: () => 1, stop: async () => {} }

const limit = (more: object = {}) => ({ 'rate-limit': [{ action: { limits: [{ rate: '5r/s', ...more }] } }] })

describe('a whole proxy', () => {
  it('can be sent back as it was read', async () => {
    const { post, get, put } = await serveTeam()
    const { headers } = await post(TEAM, proxy('coffee', { policies: limit() }))
    const { body } = await get(`${TEAM}/coffee`)
    const { status, body: again } = await put(`${TEAM}/coffee`, body, { 'if-match': headers.etag ?? '' })
    expect(status).toBe(202)
    expect({ ...again, status: undefined }).toEqual({ ...body, status: undefined })
    expect(again.status.notes).toEqual([])
  })
})

describe('a state', () => {
  it('FAILED is tried again by a PUT of the same, without a new revision', async () => {
    let published = 0
    const publish = async () => new Map([['none', { state: 'SUCCESS', revision: ++published }] as const])
    const { post, put, store } = await serveTeam({ publisher: { ...IDLE, publish } })
    await post(TEAM, proxy('coffee'))
    await expect.poll(() => published).toBe(2)
    const [{ id = '' } = {}] = await store.proxyHeads('team')
    for (const [state, count] of [['SUCCESS', 2] as const, ['FAILED', 3] as const]) {
      const value = { state, reason: '', message: '' }
      await store.commit([{ put: 'state', id, expected: 1, value }])
      expect((await put(`${TEAM}/coffee`, proxy('coffee'))).body.status).toMatchObject({ revision: 1 })
      await expect.poll(() => published).toBe(count)
      expect((await store.proxyById(id))?.state).toBe(state === 'FAILED' ? 'CONFIGURING' : 'SUCCESS')
    }
    expect((await store.eventRange()).newest).toBe(2)
  })

  it('changes what a reader has, and not the version that If-Match names', async () => {
    const { post, get, put, store } = await serveTeam({ publisher: IDLE })
    const { etag = '' } = (await post(TEAM, proxy('coffee'))).headers
    expect((await get(`${TEAM}/coffee`, { 'if-none-match': etag })).status).toBe(304)
    const [{ id = '', revision = 0 } = {}] = await store.proxyHeads('team')
    const value = { state: 'SUCCESS', reason: '', message: '' } as const
    await store.commit([{ put: 'state', id, expected: revision, value }])
    expect((await get(`${TEAM}/coffee`, { 'if-none-match': etag })).body.status.state).toBe('SUCCESS')
    expect((await put(`${TEAM}/coffee`, proxy('coffee', {}, { x: 1 }), { 'if-match': etag })).status).toBe(202)
  })
})

describe('policies alone', () => {
  it('become a new proxy with a generated name where no name is given', async () => {
    const { post, get } = await serveTeam()
    const { status, body, headers } = await post(TEAM, SEED)
    expect(status).toBe(202)
    expect(body.status.notes[0].message).toContain(body.name)
    expect((await get(headers.location ?? '')).body.name).toBe(body.name)
    const again = await post(TEAM, SEED)
    expect([again.status, again.body.name, again.body.status.revision]).toEqual([202, body.name, 1])
  })
})

describe('lost updates', () => {
  it('do not happen to two clients that send the same version at once', async () => {
    const { post, put } = await serveTeam()
    const { headers } = await post(TEAM, proxy('coffee'))
    const match = { 'if-match': headers.etag ?? '' }
    const both = await Promise.all([1, 2].map((x) => put(`${TEAM}/coffee`, proxy('coffee', {}, { x }), match)))
    expect(both.map(({ status }) => status).sort()).toEqual([202, 412])
  })

  it('leave every revision in place where twenty clients add policies at once', async () => {
    const { post, get } = await serveTeam()
    await post(TEAM, proxy('coffee'))
    const policies = Array.from({ length: 20 }, (_, index) => ({
      policies: { 'rate-limit': [{ action: { limits: [{ rate: `${index + 1}r/s` }] } }] },
    }))
    const added = await Promise.all(policies.map((body) => post(`${TEAM}?name=coffee`, body)))
    expect(added.map(({ status }) => status)).toEqual(policies.map(() => 202))
    expect((await get(`${TEAM}/coffee`)).body.proxyConfig.policies['rate-limit']).toHaveLength(20)
  })
})

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'one' }

  it('repeats a response for a day, and refuses another body', async () => {
    let now = 1_000_000
    const { post, get } = await serveTeam({ wallClock: () => now })
    const first = await post(TEAM, SEED, key)
    const again = await post(TEAM, SEED, key)
    expect(again.body).toEqual(first.body)
    expect(again.headers).toMatchObject({ etag: first.headers.etag, location: first.headers.location })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect((await post(TEAM, { policies: {} }, key)).status).toBe(422)
    now += 24 * 60 * 60 * 1000
    expect((await post(TEAM, { policies: {} }, key)).body.name).not.toBe(first.body.name)
    expect((await get(TEAM)).body.items).toHaveLength(2)
  })

  it('makes one proxy of ten requests that arrive at once', async () => {
    const { post, get } = await serveTeam()
    const all = await Promise.all(Array.from({ length: 10 }, () => post(TEAM, SEED, key)))
    expect(new Set(all.map(({ body }) => body.name)).size).toBe(1)
    expect((await get(TEAM)).body.items).toHaveLength(1)
  })
})

describe('paths', () => {
  it('have a base, may end with a slash, and name their methods', async () => {
    const { post, get, send } = await serveTeam({ basePath: '/api/acm/v1' })
    const { headers } = await post(`/api/acm/v1${TEAM}/`, proxy('coffee'))
    expect(headers.location).toBe(`/api/acm/v1${TEAM}/coffee?hostname=coffee.example.com&version=v1`)
    expect((await get(headers.location ?? '')).status).toBe(200)
    expect((await get(`${TEAM}/coffee`)).status).toBe(404)
    const head = await send('head', headers.location ?? '')
    expect([head.status, head.headers.etag, head.text]).toEqual([200, headers.etag, undefined])
    const wrong = await send('post', `/api/acm/v1${TEAM}/coffee/`)
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'DELETE, GET, HEAD, PATCH, PUT'])
  })
})

describe('the correlation header', () => {
  it('is echoed on every response and logged', async () => {
    const { get, lines } = serve()
    const { headers } = await get('/nothing', { 'x-correlation-id': 'abc' })
    expect(headers['x-correlation-id']).toBe('abc')
    await expect.poll(() => lines).toMatchObject([{ correlation: 'abc', status: 404 }])
    expect((await get('/nothing')).headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect((await get('/nothing', { 'x-correlation-id': 'a b' })).headers['x-correlation-id']).not.toBe('a b')
  })

  it('is never one with a meaning of its own', async () => {
    const { put } = await serveTeam()
    for (const httpHeaderName of ['Content-Length', 'set-cookie', 'Transfer-Encoding', 'Location']) {
      const named = { 'request-correlation-id': [{ action: { httpHeaderName } }] }
      const { headers, status } = await put(
        '/infrastructure/workspaces/team/environments/default',
        { policies: named },
        { [httpHeaderName === 'Location' ? 'location' : 'x-y']: '7' },
      )
      expect(status).toBeLessThan(500)
      expect(headers.location).toBeUndefined()
      expect(headers['set-cookie']).toBeUndefined()
    }
  })
})
