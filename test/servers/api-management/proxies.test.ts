/** Proxies over HTTP: adding, reading, replacing, deleting, and what is refused. */
import { describe, expect, it } from 'vitest'
import { proxy, SEED, serve, serveTeam, TEAM } from './served.ts'

const limit = (more: object = {}) => ({ 'rate-limit': [{ action: { limits: [{ rate: '5r/s', ...more }] } }] })

describe('a whole proxy', () => {
  it('is stored with its defaults written out, and the response names them', async () => {
    const { post, get } = await serveTeam()
    const sent = proxy('coffee', { policies: limit() }, { metadata: { description: 'kept' } })
    const { status, body, headers } = await post(TEAM, sent)
    expect(status).toBe(202)
    const { status: about, ...stored } = body
    expect(stored).toEqual({
      ...sent,
      version: 'v1',
      proxyConfig: {
        ...sent.proxyConfig,
        policies: {
          'rate-limit': [
            { action: { returnCode: 429, limits: [{ rate: '5r/s', rateLimitBy: 'client.ip', zoneSize: '10M' }] } },
          ],
        },
      },
    })
    expect(about).toMatchObject({ state: 'CONFIGURING', reason: 'NoGateway', revision: 1, environment: 'default' })
    const at = '/proxyConfig/policies/rate-limit/0/action'
    expect(about.notes.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/version',
      `${at}/returnCode`,
      `${at}/limits/0/rateLimitBy`,
      `${at}/limits/0/zoneSize`,
    ])
    const read = await get(headers.location ?? '')
    expect(read.status).toBe(200)
    expect(read.body).toMatchObject(stored)
    expect(read.headers.etag).toBe(headers.etag)
  })

  it('may be written in both forms, which are stored alike', async () => {
    const { post } = await serveTeam()
    const a = await post(TEAM, { ...proxy('a'), policies: limit() })
    const b = await post(TEAM, proxy('b', { policies: limit() }))
    expect(a.body.policies).toBeUndefined()
    expect(a.body.proxyConfig.policies).toEqual(b.body.proxyConfig.policies)
    const both = { ...proxy('c', { policies: limit() }), policies: limit({ zoneSize: '5M' }) }
    const refused = await post(TEAM, both)
    expect(refused.body.errors).toMatchObject([{ rule: 'api-management/policies-twice' }])
  })

  it('can be sent back as it was read', async () => {
    const { post, get, put } = await serveTeam()
    const { headers } = await post(TEAM, proxy('coffee', { policies: limit() }))
    const { body } = await get(`${TEAM}/coffee`)
    const { status, body: again } = await put(`${TEAM}/coffee`, body, { 'if-match': headers.etag ?? '' })
    expect(status).toBe(202)
    expect({ ...again, status: undefined }).toEqual({ ...body, status: undefined })
    expect(again.status.notes).toEqual([])
  })

  it('conflicts with one of the same name, hostname and version, and with one on the same hostname and base path', async () => {
    const { post } = await serveTeam()
    const at = (name: string, hostname: string, basePath: string, version = 'v1') => ({
      ...{ name, version },
      proxyConfig: { hostname, ingress: { basePath } },
    })
    expect((await post(TEAM, at('a', 'shop.example', '/x'))).status).toBe(202)
    expect((await post(TEAM, at('a', 'shop.example', '/y'))).body.detail).toContain('name, hostname and version')
    const second = await post(TEAM, at('b', 'SHOP.example', '/x/'))
    expect(second.status).toBe(409)
    expect(second.body.detail).toContain('the proxy a, version v1,')
    expect((await post(TEAM, at('b', 'shop.example', '/x', 'v2'))).status).toBe(202)
    expect((await post(TEAM, at('b', 'other.example', '/x'))).status).toBe(202)
  })

  it('does not say which proxy of another workspace has its place', async () => {
    const { post } = await serveTeam()
    await post('/services/workspaces', { name: 'others' })
    await post('/services/workspaces/others/proxies', proxy('secret', { hostname: 'shop.example' }))
    const { status, body } = await post(TEAM, proxy('mine', { hostname: 'shop.example' }))
    expect(status).toBe(409)
    expect(body.detail).not.toContain('secret')
  })
})

describe('policies alone', () => {
  it('are added to the proxy that the query names', async () => {
    const { post } = await serveTeam()
    const { headers } = await post(TEAM, proxy('coffee', { policies: { ...limit(), cors: [{ x: 1 }] } }))
    const added = await post(`${TEAM}?name=coffee`, SEED)
    expect(added.status).toBe(202)
    expect(added.headers.etag).not.toBe(headers.etag)
    expect(added.body.proxyConfig.policies.cors).toEqual([{ x: 1 }])
    expect(added.body.proxyConfig.policies['rate-limit']).toHaveLength(2)
    const repeated = await post(`${TEAM}?name=coffee`, { policies: added.body.proxyConfig.policies })
    expect(repeated.body.proxyConfig.policies['rate-limit']).toHaveLength(2)
  })

  it('need hostname or version where the name is not enough', async () => {
    const { post } = await serveTeam()
    for (const hostname of ['a.example', 'b.example']) await post(TEAM, proxy('coffee', { hostname }))
    expect((await post(`${TEAM}?name=coffee`, SEED)).status).toBe(409)
    const added = await post(`${TEAM}?name=coffee&hostname=b.example`, SEED)
    expect(added.body.proxyConfig.hostname).toBe('b.example')
    expect((await post(`${TEAM}?name=tea`, SEED)).status).toBe(404)
  })

  it('become a new proxy with a generated name where no name is given', async () => {
    const { post, get } = await serveTeam()
    const { status, body, headers } = await post(TEAM, SEED)
    expect(status).toBe(202)
    expect(body.status.notes[0].message).toContain(body.name)
    expect((await get(headers.location ?? '')).body.name).toBe(body.name)
    expect((await post(TEAM, SEED)).body.name).not.toBe(body.name)
  })

  it('are refused together with what is there, by the rules for both', async () => {
    const { post } = await serveTeam()
    await post(TEAM, proxy('coffee', { policies: limit() }))
    const other = { policies: { 'rate-limit': [{ action: { returnCode: 503, limits: [{}] } }] } }
    const { status, body } = await post(`${TEAM}?name=coffee`, other)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ rule: 'api-management/codes-differ' }])
  })
})

describe('lost updates', () => {
  it('are prevented by If-Match, which a workspace can demand', async () => {
    const { post, put, remove } = await serveTeam()
    const { headers } = await post(TEAM, proxy('coffee'))
    const first = headers.etag ?? ''
    expect((await put(`${TEAM}/coffee`, proxy('coffee'))).status).toBe(202)
    expect((await put(`${TEAM}/coffee`, proxy('coffee'), { 'if-match': first })).status).toBe(412)
    expect((await remove(`${TEAM}/coffee`, { 'if-match': first })).status).toBe(412)
    expect((await put('/services/workspaces/team', { requireIfMatch: true })).status).toBe(200)
    expect((await put(`${TEAM}/coffee`, proxy('coffee'))).status).toBe(428)
    expect((await post(`${TEAM}?name=coffee`, SEED)).status).toBe(428)
    expect((await put(`${TEAM}/coffee`, proxy('coffee'), { 'if-match': '*' })).status).toBe(202)
    expect((await put(`${TEAM}/coffee`, proxy('coffee'), { 'if-none-match': '*' })).status).toBe(412)
    expect((await put(`${TEAM}/tea`, proxy('tea'), { 'if-none-match': '*' })).status).toBe(202)
  })

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
    expect((await post(TEAM, SEED, key)).body.name).not.toBe(first.body.name)
    expect((await get(TEAM)).body.items).toHaveLength(2)
  })

  it('echoes the correlation header of the environment again', async () => {
    const { post, put } = await serveTeam()
    const policies = {
      'request-correlation-id': [{ systemMetadata: { context: 'global' }, action: { httpHeaderName: 'x-trace' } }],
    }
    await put('/infrastructure/workspaces/team/environments/default', { gateways: ['local'], policies })
    const headers = { ...key, 'x-trace': 'one-trace' }
    expect((await post(TEAM, proxy('coffee'), headers)).headers['x-trace']).toBe('one-trace')
    const again = await post(TEAM, proxy('coffee'), headers)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers['x-trace']).toBe('one-trace')
  })

  it('makes one proxy of ten requests that arrive at once', async () => {
    const { post, get } = await serveTeam()
    const all = await Promise.all(Array.from({ length: 10 }, () => post(TEAM, SEED, key)))
    expect(new Set(all.map(({ body }) => body.name)).size).toBe(1)
    expect((await get(TEAM)).body.items).toHaveLength(1)
  })
})

describe('dryRun', () => {
  it('judges, finds conflicts, and stores nothing', async () => {
    const { post, put, remove, get } = await serveTeam()
    const dry = await post(`${TEAM}?dryRun=true`, proxy('coffee', { policies: limit() }))
    expect(dry.status).toBe(200)
    expect(dry.body.proxyConfig.policies['rate-limit'][0].action.returnCode).toBe(429)
    expect((await get(`${TEAM}/coffee`)).status).toBe(404)
    await post(TEAM, proxy('coffee'))
    expect((await post(`${TEAM}?dryRun=true`, proxy('coffee'))).status).toBe(409)
    expect((await put(`${TEAM}/coffee?dryRun=true`, proxy('coffee', {}, { x: 1 }))).body.x).toBe(1)
    expect((await remove(`${TEAM}/coffee?dryRun=true`)).status).toBe(204)
    const { body } = await get(`${TEAM}/coffee`)
    expect(body.x).toBeUndefined()
    expect(body.status.revision).toBe(1)
  })
})

describe('a refusal', () => {
  it('names what cannot become a configuration', async () => {
    const { post } = await serveTeam()
    const { status, body } = await post(TEAM, proxy('coffee', { ingress: { basePath: '/x; return 200' } }))
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ rule: 'publication', pointer: '/proxyConfig/ingress/basePath' }])
  })

  it('names an environment that does not exist', async () => {
    const { post } = await serveTeam()
    const { status, body } = await post(TEAM, proxy('coffee', {}, { environment: 'moon' }))
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ pointer: '/environment' }])
  })
})

describe('warnings', () => {
  it('come with the 202', async () => {
    const { post } = await serveTeam()
    const policies = { 'rate-limit': [{ action: { limits: [{}], throttle: { burst: 5 } } }] }
    const { status, body } = await post(TEAM, proxy('coffee', { policies }))
    expect(status).toBe(202)
    expect(body.status.warnings.map((one: { rule: string }) => one.rule)).toContain('api-management/throttle-placement')
  })
})

describe('lists', () => {
  it('come in pages, by number or by token', async () => {
    const { post, get } = await serveTeam()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await post(TEAM, proxy(name))
    const namesOf = ({ body }: { body: { items: { name: string }[] } }) => body.items.map(({ name }) => name)
    expect(namesOf(await get(`${TEAM}?pageSize=2&page=2`))).toEqual(['c', 'd'])
    const first = await get(`${TEAM}?pageSize=2`)
    const second = await get(`${TEAM}?pageSize=2&pageToken=${first.body.nextPageToken}`)
    const third = await get(`${TEAM}?pageSize=2&pageToken=${second.body.nextPageToken}`)
    expect([first, second, third].flatMap(namesOf)).toEqual(names)
    expect(third.body.nextPageToken).toBeUndefined()
    for (const query of [
      'pageSize=101',
      'pageSize=0',
      'page=0',
      'page=x',
      'pageToken=x',
      'pagesize=1',
      'page=1&page=2',
    ])
      expect([query, (await get(`${TEAM}?${query}`)).status]).toEqual([query, 400])
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
    const patch = await send('patch', `/api/acm/v1${TEAM}/coffee/`)
    expect([patch.status, patch.headers.allow]).toEqual([405, 'DELETE, GET, HEAD, PUT'])
  })
})

describe('the correlation header', () => {
  const policies = { 'request-correlation-id': [{ action: { httpHeaderName: 'x-my-id' } }] }

  it('is echoed on every response and logged', async () => {
    const { get, lines } = serve()
    const { headers } = await get('/nothing', { 'x-correlation-id': 'abc' })
    expect(headers['x-correlation-id']).toBe('abc')
    await expect.poll(() => lines).toMatchObject([{ correlation: 'abc', status: 404 }])
    expect((await get('/nothing')).headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect((await get('/nothing', { 'x-correlation-id': 'a b' })).headers['x-correlation-id']).not.toBe('a b')
  })

  it('has the name that the proxy gives it, or its environment', async () => {
    const { post, put, get } = await serveTeam()
    const sent = { 'x-my-id': 'abc' }
    expect((await post(TEAM, proxy('own', { policies }), sent)).headers['x-my-id']).toBe('abc')
    await post(TEAM, proxy('other'))
    const before = await get(`${TEAM}/other`, sent)
    expect(before.headers['x-my-id']).toBeUndefined()
    await put('/infrastructure/workspaces/team/environments/default', { gateways: [], policies })
    expect((await get(`${TEAM}/other`, sent)).headers['x-my-id']).toBe('abc')
    expect((await get(`${TEAM}/own`, sent)).headers['x-my-id']).toBe('abc')
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
