/** Events as a client of server-sent events gets them, and states after publications. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Published } from '../../../src/api-management/render/published.ts'
import type { ProxyOutcome } from '../../../src/publication/outcomes.ts'
import { proxy, SEED, serveInTest, serveTeam, TEAM } from './served.ts'

type Server = Awaited<ReturnType<typeof serveTeam>>

/** Follows the events of a server; the texts so far. */
async function follow({ app }: Server, headers: Record<string, string> = {}, search = '') {
  const port = await serveInTest(app.handler)
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const response = await fetch(`http://127.0.0.1:${port}/events${search}`, { headers, signal: controller.signal })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const read = { text: '' }
  const decoder = new TextDecoder()
  void (async () => {
    for await (const chunk of response.body ?? []) read.text += decoder.decode(chunk, { stream: true })
  })().catch(() => {})
  return () =>
    read.text
      .split('\n\n')
      .slice(0, -1)
      .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/))))
}

describe('events', () => {
  it('tell what happens from now on, or after the last one that a client has', async () => {
    const server = await serveTeam()
    await server.post(TEAM, proxy('before'))
    const now = await follow(server)
    const all = await follow(server, { 'last-event-id': '1' })
    await server.post(TEAM, proxy('after'))
    await expect.poll(() => now().map(({ event }) => event)).toEqual(['proxy.created'])
    await expect.poll(() => all().map(({ id }) => id)).toEqual(['2', '3'])
    expect(JSON.parse(all()[1]?.data ?? '')).toMatchObject({
      workspace: 'team',
      name: 'after',
      by: 'admin',
      revision: 1,
    })
  })

  it('begin with a reset where the last one is unknown', async () => {
    const server = await serveTeam()
    const read = await follow(server, { 'last-event-id': '99' })
    await expect.poll(() => read().map(({ id, event }) => [id, event])).toEqual([['1', 'reset']])
  })

  it('are those of the workspaces that the user may read, or of one', async () => {
    const server = await serveTeam()
    await server.post('/services/workspaces', { name: 'others' })
    const read = await follow(server, { 'last-event-id': '0' }, '?workspace=others')
    await expect.poll(() => read().map(({ id }) => id)).toEqual(['2'])
  })

  it('of ten thousand come to a client that begins late', async () => {
    const server = await serveTeam()
    const event = {
      put: 'event',
      value: { at: 0, type: 'x', workspace: 'team', data: { filler: 'x'.repeat(100) } },
    } as const
    await server.store.commit(Array.from({ length: 5000 }, () => event))
    const read = await follow(server, { 'last-event-id': '0' })
    await expect.poll(() => read().length).toBe(5001)
  })
})

/** A gateway whose outcomes a test decides. */
function gateway() {
  const asked: Published[] = []
  const waiting: ((outcomes: ReadonlyMap<string, ProxyOutcome>) => void)[] = []
  return {
    asked,
    publisher: {
      publish: (published: Published) => {
        if (published.proxies.length === 0) return Promise.resolve(new Map<string, ProxyOutcome>())
        asked.push(published)
        return new Promise<ReadonlyMap<string, ProxyOutcome>>((done) => waiting.push(done))
      },
      inForce: () => new Set<string>(),
      pid: () => undefined,
      stop: async () => {
        for (const done of waiting) done(new Map())
      },
    },
    /** Ends the publication that was asked for last. */
    settle(
      outcome: (name: string) => Omit<Extract<ProxyOutcome, { state: 'FAILED' }>, 'revision'> | { state: 'SUCCESS' },
    ) {
      const last = asked.at(-1)
      waiting.splice(0).at(-1)?.(
        new Map(last?.proxies.map(({ id, body, revision }) => [id, { revision, ...outcome(String(body.name)) }])),
      )
    },
  }
}

/** Policies of an environment. */
const LIMITED = { 'rate-limit': [{ action: { limits: [{ rate: '9r/s' }] } }] }

describe('the state of a proxy', () => {
  const OK = () => ({ state: 'SUCCESS' }) as const
  const stateOf = async ({ get }: Server, name: string) => (await get(`${TEAM}/${name}`)).body.status

  it('is CONFIGURING until the gateway has it, then SUCCESS or FAILED with the reason', async () => {
    const { publisher, settle, asked } = gateway()
    const server = await serveTeam({ publisher })
    const events = await follow(server)
    expect((await server.post(TEAM, proxy('good'))).body.status).toMatchObject({
      state: 'CONFIGURING',
      reason: 'Publishing',
    })
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    settle(OK)
    await expect.poll(() => stateOf(server, 'good')).toMatchObject({ state: 'SUCCESS' })
    await server.post(TEAM, proxy('bad'))
    await expect.poll(() => asked.at(-1)?.proxies.length).toBe(2)
    settle((name) =>
      name === 'bad' ? { state: 'FAILED', reason: 'NginxRefused', message: 'no' } : { state: 'SUCCESS' },
    )
    await expect
      .poll(() => stateOf(server, 'bad'))
      .toMatchObject({ state: 'FAILED', reason: 'NginxRefused', message: 'no' })
    await expect.poll(() => stateOf(server, 'good')).toMatchObject({ state: 'SUCCESS' })
    await expect
      .poll(() => events().flatMap(({ event, data }) => (event === 'proxy.state' ? [JSON.parse(data ?? '')] : [])))
      .toMatchObject([
        { name: 'good', state: 'SUCCESS' },
        { name: 'bad', state: 'FAILED', reason: 'NginxRefused' },
      ])
  })

  it('is never that of a version before the last change, of the proxy or of its environment', async () => {
    const { publisher, settle, asked } = gateway()
    const server = await serveTeam({ publisher })
    await server.post(TEAM, proxy('coffee'))
    await expect.poll(() => asked.length).toBe(1)
    await server.put(`${TEAM}/coffee`, proxy('coffee', {}, { x: 1 }))
    settle(OK)
    await expect.poll(() => asked.length).toBe(2)
    expect(await stateOf(server, 'coffee')).toMatchObject({ state: 'CONFIGURING', reason: 'Publishing' })
    await server.put('/infrastructure/workspaces/team/environments/default', { gateways: ['local'], policies: LIMITED })
    settle(OK)
    await expect.poll(() => asked.length).toBe(3)
    expect(await stateOf(server, 'coffee')).toMatchObject({ state: 'CONFIGURING', reason: 'Publishing' })
    settle(OK)
    await expect.poll(() => stateOf(server, 'coffee')).toMatchObject({ state: 'SUCCESS', revision: 2 })
  })

  it('is NoGateway where its environment has none, and such proxies are not published', async () => {
    const { publisher, asked } = gateway()
    const server = await serveTeam({ publisher })
    await server.put('/infrastructure/workspaces/team/environments/default', { gateways: [] })
    await server.post(TEAM, proxy('coffee'))
    await server.post(TEAM, proxy('tea', {}, { environment: 'default' }))
    expect(asked).toEqual([])
    expect(await stateOf(server, 'coffee')).toMatchObject({ state: 'CONFIGURING', reason: 'NoGateway' })
  })

  it('of an environment is that of its proxies together, on the gateway that the server runs', async () => {
    const { publisher, settle, asked } = gateway()
    const { get, post, put } = await serveTeam({ publisher })
    const environment = '/infrastructure/workspaces/team/environments/default'
    const statusOf = async () => (await get(environment)).body.status
    expect(await statusOf()).toMatchObject({ state: 'CONFIGURING', reason: 'NoProxies' })
    await post(TEAM, proxy('coffee'))
    expect(await statusOf()).toMatchObject({ state: 'CONFIGURING', reason: 'Publishing' })
    await expect.poll(() => asked.length).toBe(1)
    settle(OK)
    await expect.poll(statusOf).toMatchObject({ state: 'SUCCESS' })
    expect((await put(environment, { gateways: ['local'] })).body.status).toMatchObject({ state: 'SUCCESS' })
    await put(environment, { gateways: ['local'], policies: LIMITED })
    expect(await statusOf()).toMatchObject({ state: 'CONFIGURING', reason: 'Publishing' })
    await expect.poll(() => asked.length).toBe(2)
    settle(() => ({ state: 'FAILED', reason: 'NginxRefused', message: 'no' }))
    const message = '1 of 1 proxy failed; coffee v1: no'
    await expect.poll(statusOf).toMatchObject({ state: 'FAILED', reason: 'NginxRefused', message })
    expect((await put(environment, { gateways: ['local', 'gw-1'] })).body.errors).toMatchObject([
      { pointer: '/gateways/1', message: 'there is no gateway "gw-1"' },
    ])
  })

  it('of an environment can be known before it is changed: nginx and the publisher are asked', async () => {
    const { publisher } = gateway()
    let refusal: string | undefined = 'no memory'
    const asked = { ...publisher, refusalOf: async () => refusal, problemOf: () => 'Everyone would get in.' }
    const { post, put } = await serveTeam({ publisher: asked })
    const environment = '/infrastructure/workspaces/team/environments/default'
    await post(TEAM, proxy('coffee'))
    const brokenBy = async () =>
      (await put(`${environment}?dryRun=true`, { gateways: ['local'], policies: LIMITED })).body.status.proxies.items
    const changes = ['nginx refuses the global policies of its environment: no memory']
    expect(await brokenBy()).toMatchObject([{ name: 'coffee', breaks: true, changes }])
    refusal = undefined
    const limit = 'the global limit 9r/s by client.ip applies'
    expect(await brokenBy()).toMatchObject([{ changes: [limit] }])
    await put(environment, { gateways: [] })
    const problem = 'it cannot be published: Everyone would get in'
    expect(await brokenBy()).toMatchObject([{ breaks: true, changes: [problem, limit] }])
  })

  it('is NoAddress for policies alone, which no request reaches', async () => {
    const { publisher } = gateway()
    const { post } = await serveTeam({ publisher })
    expect((await post(TEAM, SEED)).body.status).toMatchObject({ state: 'CONFIGURING', reason: 'NoAddress' })
  })

  it('comes with the next change where a publication failed', async () => {
    const { publisher, settle, asked } = gateway()
    let failures = 0
    const failing: typeof publisher = {
      ...publisher,
      publish(published) {
        if (published.proxies.length !== 1) return publisher.publish(published)
        failures += 1
        return Promise.reject(new Error('the folder is gone'))
      },
    }
    const server = await serveTeam({ publisher: failing })
    await server.post(TEAM, proxy('coffee'))
    await expect.poll(() => failures).toBe(1)
    await server.post(TEAM, proxy('tea'))
    await expect.poll(() => asked.length).toBe(1)
    settle(OK)
    await expect.poll(() => stateOf(server, 'coffee')).toMatchObject({ state: 'SUCCESS' })
    await server.post(TEAM, proxy('milk'))
    await expect.poll(() => asked.length).toBe(2)
  })
})
