/** Requests that are no good: each gets an answer that says so, and none a fault. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesOf } from '../../support/cases.ts'
import { proxy, serveTeam, TEAM } from './served.ts'

const { cases, each } = casesOf(import.meta.url)

describe('a body', () => {
  each<[string, string, string?]>('with %s is a 400', async (_, body, pointer = '') => {
    const { send } = await serveTeam()
    const headers = { 'content-type': 'application/json' }
    const response = await send('post', TEAM, { body, headers })
    expect(response.status).toBe(400)
    expect(response.body.errors).toMatchObject([{ pointer }])
    expect(['json', 'request']).toContain(response.body.errors[0].rule)
  })

  it('of deep objects is a 400', async () => {
    const { post } = await serveTeam()
    const { status, body } = await post(TEAM, `${'{"x":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
    expect([status, body.errors[0].pointer]).toEqual([400, ''])
  })

  it('that is not UTF-8 is a 400', async () => {
    const { app } = await serveTeam()
    const { default: request } = await import('supertest')
    const bytes = Buffer.from('{"name":"a\xff"}', 'latin1')
    const { status, body } = await request(app.handler)
      .post(TEAM)
      .set('content-type', 'application/json')
      .serialize((it) => it)
      .send(bytes)
    expect([status, body.errors?.[0]?.message]).toEqual([400, 'the body is not UTF-8'])
  })

  it('with keys of prototypes is kept as it is', async () => {
    const { send, get } = await serveTeam()
    const text = '{"name":"a","__proto__":{"isAdministrator":true},"constructor":1,"x":{"__proto__":[],"toString":2}}'
    const { status } = await send('post', TEAM, { body: text, headers: { 'content-type': 'application/json' } })
    expect(status).toBe(202)
    const read = await get(`${TEAM}/a`)
    expect(read.text).toContain('"__proto__":{"isAdministrator":true}')
    expect(read.text).toContain('"x":{"__proto__":[],"toString":2}')
    expect(Object.hasOwn(Object.prototype, 'isAdministrator')).toBe(false)
  })
})

const NAMES = cases<string[]>('names')

describe('a name', () => {
  it.each(NAMES)('%j is refused in a body, and not found in a path', async (name) => {
    const { post, put, get, remove } = await serveTeam()
    expect((await post(TEAM, { ...proxy('x'), name })).status).toBe(400)
    expect((await post('/services/workspaces', { name })).status).toBe(400)
    expect((await post('/infrastructure/workspaces/team/environments', { name })).status).toBe(400)
    if (name === '' || name === '.' || name === '..') return
    const at = `${TEAM}/${encodeURIComponent(name)}`
    expect((await get(at)).status).toBe(404)
    expect((await remove(at)).status).toBe(404)
    expect((await put(at, proxy('x'))).status).toBe(400)
    expect((await get(`/services/workspaces/${encodeURIComponent(name)}/proxies`)).status).toBe(404)
  })

  it('that is no percent-encoding is a 400', async () => {
    const { get } = await serveTeam()
    for (const bad of ['%', '%zz', '%c3%28']) expect([bad, (await get(`${TEAM}/${bad}`)).status]).toEqual([bad, 400])
  })
})

describe('any request', () => {
  it('gets a response that the OpenAPI document describes', async () => {
    const { send } = await serveTeam()
    const name = fc.oneof(fc.constantFrom('team', 'coffee', 'default', ...NAMES), fc.string())
    const part = name.map((text) => encodeURIComponent(text.replace(/[\uD800-\uDFFF]/g, '')))
    const path = fc
      .tuple(fc.constantFrom('services', 'infrastructure'), part, fc.constantFrom('proxies', 'environments'), part)
      .chain(([area, workspace, kind, one]) =>
        fc.constantFrom(
          `/${area}/workspaces`,
          `/${area}/workspaces/${workspace}`,
          `/${area}/workspaces/team/${kind}`,
          `/${area}/workspaces/team/${kind}/${one}`,
          `/${area}/workspaces/team/${kind}/${one}/history`,
          `/${area}/workspaces/team/${kind}/${one}/history/1/restore`,
        ),
      )
    const query = fc.dictionary(
      fc.constantFrom('page', 'pageSize', 'pageToken', 'name', 'hostname', 'version', 'dryRun', 'force', 'x'),
      fc.oneof(fc.constantFrom('1', '-1', 'true', 'W10', 'eyI', ''), fc.string({ maxLength: 8 })),
      { maxKeys: 2 },
    )
    const body = fc.option(
      fc.oneof(fc.json({ maxDepth: 4 }), fc.string(), fc.constantFrom(...cases<string[]>('bodies'))),
      {
        nil: undefined,
      },
    )
    const method = fc.constantFrom('get' as const, 'post' as const, 'put' as const, 'delete' as const, 'patch' as const)
    await fc.assert(
      fc.asyncProperty(method, path, query, body, async (verb, at, parameters, sent) => {
        const search = new URLSearchParams(
          Object.entries(parameters).map(([key, value]): [string, string] => [
            key,
            value.replace(/[\uD800-\uDFFF]/g, ''),
          ]),
        )
        const response = await send(verb, `${at}?${search}`, { body: verb === 'get' ? undefined : sent })
        expect(response.status).toBeLessThan(500)
      }),
      { numRuns: Number(process.env.SLUICE_CASES ?? 400) },
    )
  })
})
