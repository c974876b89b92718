/** Sessions of people at the page: signing in, what the cookie is good for, when it ends, and requests that others forge. */
import { once } from 'node:events'
import { createServer, get as httpGet } from 'node:http'
import type { AddressInfo } from 'node:net'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAccess } from '../../../../src/servers/api-management/access/authenticate.ts'
import { ensureAdministrator } from '../../../../src/servers/api-management/access/first-administrator.ts'
import { createPasswordCheck } from '../../../../src/servers/api-management/access/password-check.ts'
import { createSessions } from '../../../../src/servers/api-management/access/sessions.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '../../../files/folder.ts'
import { CHEAP, serve } from '../served.ts'

const PASSWORD = 'correct horse battery'
const WORKSPACES = '/services/workspaces'
const MINUTE = 60_000

async function start({ isEncrypted = true } = {}) {
  const { store } = openSqliteStore(`${createFolder()}/state.db`)
  const clock = { now: Date.UTC(2030, 0, 1) }
  const passwords = createPasswordCheck({ store, now: () => clock.now, cost: CHEAP })
  await ensureAdministrator(store, passwords, PASSWORD)
  const sessions = createSessions({ store, isEncrypted, wallClock: () => clock.now })
  const access = createAccess({ passwords, sessions, tokens: undefined })
  const server = serve({ store, passwords, sessions, access, wallClock: () => clock.now })
  const signIn = async (user = 'admin', password = PASSWORD, headers = {}) => {
    const response = await server.post('/session', { user, password }, headers)
    const [set = ''] = [response.headers['set-cookie'] ?? []].flat()
    const cookie = set.split(';')[0] ?? ''
    return {
      response,
      set,
      cookie,
      csrf: String(response.body.csrf),
      own: { cookie, 'x-csrf-token': response.body.csrf },
    }
  }
  return { ...server, clock, sessions, signIn }
}

describe('signing in', () => {
  it('gives a cookie that no script reads, that no other site sends, and that ends', async () => {
    const { signIn, lines } = await start()
    const { response, set } = await signIn()
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      user: 'admin',
      roles: ['administrator'],
      mustChangePassword: false,
      csrf: expect.stringMatching(/^[\w-]{43}$/),
      expires: '2030-01-01T00:30:00.000Z',
    })
    expect(set).toMatch(/^__Host-sluice-session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    expect(lines).toContainEqual({ user: 'admin', address: expect.stringContaining('127.0.0.1') })
    expect(JSON.stringify(lines)).not.toContain(set.slice(30, 60))
  })

  it('has no prefix in its name over plain HTTP, where browsers do not take it', async () => {
    const { signIn } = await start({ isEncrypted: false })
    expect((await signIn()).set).toMatch(/^sluice-session=[\w-]{43}; .*HttpOnly; Secure; SameSite=Strict$/)
  })

  it('with a wrong password is a 401 that opens no window of the browser, and is slowed down', async () => {
    const { signIn } = await start()
    const page = { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' }
    const { response, set } = await signIn('admin', 'a wrong password', page)
    expect([response.status, response.headers['www-authenticate'], set]).toEqual([401, 'Session realm="sluice"', ''])
    for (const wrong of ['b', 'c', 'd', 'e']) await signIn('admin', `another wrong password ${wrong}`)
    const { response: slowed } = await signIn('admin', 'one more wrong password')
    expect([slowed.status, slowed.headers['retry-after']]).toEqual([429, '1'])
  })

  it.each([
    ['nothing', {}, ['/user', '/password']],
    ['a number as a password', { user: 'admin', password: 1 }, ['/password']],
    ['something else', { user: 'admin', password: PASSWORD, remember: true }, ['/remember']],
  ])('with %s in the body says what is wrong where', async (_, body, pointers) => {
    const { post } = await start()
    const response = await post('/session', body)
    expect([response.status, response.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      400,
      pointers,
    ])
  })

  it('again in the same browser ends the first session', async () => {
    const { signIn, get, sessions } = await start()
    const first = await signIn()
    const second = await signIn('admin', PASSWORD, { cookie: first.cookie })
    expect([(await get('/session', { cookie: first.cookie })).status, sessions.count()]).toEqual([204, 1])
    expect((await get('/session', { cookie: second.cookie })).status).toBe(200)
  })

  it('with a password that must be changed is good for that alone', async () => {
    const { signIn, post, put, get } = await start()
    const admin = await signIn()
    const ada = { name: 'ada', password: PASSWORD, roles: ['reader'], mustChangePassword: true }
    expect((await post('/users', ada, admin.own)).status).toBe(201)
    const { own, response } = await signIn('ada')
    expect(response.body.mustChangePassword).toBe(true)
    expect((await get(WORKSPACES, own)).status).toBe(403)
    const next = 'staple of other batteries'
    expect((await put('/users/ada/password', { oldPassword: PASSWORD, password: next }, own)).status).toBe(204)
    expect((await get(WORKSPACES, (await signIn('ada', next)).own)).status).toBe(200)
  })
})

describe('the cookie', () => {
  it('is good for everything that its user may do, and names the user', async () => {
    const { signIn, post, put, get, remove, lines } = await start()
    const { own } = await signIn()
    expect((await post(WORKSPACES, { name: 'team' }, own)).status).toBe(201)
    expect((await put(`${WORKSPACES}/team`, { requireIfMatch: false }, own)).status).toBe(200)
    expect((await get(WORKSPACES, own)).body.items).toHaveLength(1)
    expect((await remove(`${WORKSPACES}/team`, own)).status).toBe(204)
    expect(lines).toContainEqual(expect.objectContaining({ method: 'DELETE', user: 'admin', status: 204 }))
  })

  it('is not asked where there is an Authorization header', async () => {
    const { signIn, get } = await start()
    const { cookie } = await signIn()
    const authorization = `Basic ${Buffer.from('admin:a wrong password').toString('base64')}`
    expect((await get(WORKSPACES, { cookie, authorization })).status).toBe(401)
  })

  it('opens the stream of events', async () => {
    const { signIn, app } = await start()
    const { cookie } = await signIn()
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const asking = httpGet({ port, host: '127.0.0.1', path: '/events', headers: { cookie } })
    const [response] = await once(asking, 'response')
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    asking.destroy()
  })
})

describe('a session ends', () => {
  it('half an hour after its last use, and twelve hours after its start', async () => {
    const { signIn, get, clock } = await start()
    const { own } = await signIn()
    for (let passed = 0; passed < 12 * 60; passed += 29) {
      clock.now = Date.UTC(2030, 0, 1, 0, passed)
      expect((await get(WORKSPACES, own)).status, `after ${passed} minutes`).toBe(200)
    }
    expect((await get('/session', own)).body.expires).toBe('2030-01-01T12:00:00.000Z')
    clock.now = Date.UTC(2030, 0, 1, 12)
    expect((await get(WORKSPACES, own)).status).toBe(401)
    const { own: other } = await signIn()
    clock.now += 30 * MINUTE
    expect((await get(WORKSPACES, other)).status).toBe(401)
  })

  it('although somebody asks who is signed in', async () => {
    const { signIn, get, clock } = await start()
    const { own } = await signIn()
    clock.now += 20 * MINUTE
    expect((await get('/session', own)).status).toBe(200)
    clock.now += 10 * MINUTE
    expect((await get('/session', own)).status).toBe(204)
  })

  it('by signing out, which removes the cookie', async () => {
    const { signIn, get, remove, sessions } = await start()
    const { own } = await signIn()
    const response = await remove('/session', own)
    expect(response.status).toBe(204)
    expect([response.headers['set-cookie']].flat()).toEqual([
      '__Host-sluice-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ])
    expect([(await get(WORKSPACES, own)).status, sessions.count()]).toEqual([401, 0])
    expect((await remove('/session')).status).toBe(204)
  })

  it.each([
    ['is deleted', (own: object, { remove }: Server) => remove('/users/ada', { ...own })],
    ['gets other roles', (own: object, { put }: Server) => put('/users/ada', { roles: ['reader'] }, { ...own })],
    [
      'gets another password',
      (own: object, { put }: Server) => put('/users/ada/password', { password: 'another good password' }, { ...own }),
    ],
  ])('when its user %s', async (_, change) => {
    const server = await start()
    const { own } = await server.signIn()
    const ada = { name: 'ada', password: PASSWORD, roles: ['editor:team'] }
    expect((await server.post('/users', ada, own)).status).toBe(201)
    const { own: hers } = await server.signIn('ada')
    expect((await server.get(WORKSPACES, hers)).status).toBe(200)
    expect((await change(own, server)).status).toBeLessThan(300)
    // A user of the same name is another one.
    await server.post('/users', ada, own)
    expect((await server.get(WORKSPACES, hers)).status).toBe(401)
  })
})

type Server = Awaited<ReturnType<typeof start>>

describe('a forged request changes nothing', () => {
  type Own = { readonly cookie: string; readonly 'x-csrf-token': string }
  it.each<[string, (own: Own, others: Own) => Record<string, string>, number]>([
    ['the cookie alone', ({ cookie }) => ({ cookie }), 403],
    ['an empty token', ({ cookie }) => ({ cookie, 'x-csrf-token': '' }), 403],
    ['the token of another session', ({ cookie }, others) => ({ ...others, cookie }), 403],
    ['the cookie as the token', ({ cookie }) => ({ cookie, 'x-csrf-token': cookie.split('=')[1] ?? '' }), 403],
    ['the token without the cookie', (own) => ({ 'x-csrf-token': own['x-csrf-token'] }), 401],
    ['the page of another site', (own) => ({ ...own, 'sec-fetch-site': 'cross-site' }), 403],
    ['the page of a neighbour', (own) => ({ ...own, 'sec-fetch-site': 'same-site' }), 403],
    ['two cookies', (own) => ({ ...own, cookie: `${own.cookie}; ${own.cookie}x` }), 401],
    ['a cookie of another name', (own) => ({ ...own, cookie: own.cookie.replace('__Host-', '') }), 401],
    ['a cookie that is cut', (own) => ({ ...own, cookie: own.cookie.slice(0, -1) }), 401],
    ['an empty cookie', (own) => ({ ...own, cookie: '__Host-sluice-session=' }), 401],
  ])('with %s', async (_, forge, status) => {
    const { signIn, post, get, lines } = await start()
    const { own } = await signIn()
    const { own: others } = await signIn()
    expect((await post(WORKSPACES, { name: 'forged' }, forge(own, others))).status).toBe(status)
    expect((await get(WORKSPACES, own)).body.items).toEqual([])
    expect(JSON.stringify(lines)).not.toContain(own['x-csrf-token'])
  })

  it.each(['put', 'delete', 'post'] as const)('with %s, whoever sends the password', async (method) => {
    const { send } = await start()
    const authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
    const headers = { authorization, 'sec-fetch-site': 'cross-site' }
    const path = method === 'post' ? WORKSPACES : '/users/admin'
    expect((await send(method, path, { headers, body: { name: 'x' } })).status).toBe(403)
  })

  it('signing somebody in or out', async () => {
    const { signIn, remove, get } = await start()
    const { own, cookie } = await signIn()
    expect((await signIn('admin', PASSWORD, { 'sec-fetch-site': 'cross-site' })).response.status).toBe(403)
    expect((await remove('/session', { cookie })).status).toBe(403)
    expect((await get('/session', own)).status).toBe(200)
  })

  it('signing in with a form, which needs no permission of a browser', async () => {
    const { app } = await start()
    const body = JSON.stringify({ user: 'admin', password: PASSWORD })
    const response = await request(app.handler).post('/session').set('content-type', 'text/plain').send(body)
    expect(response.status).toBe(415)
  })
})
