/** Users and sessions where a transcript cannot show it: whatever is sent, at once, as a stream. The others: `test/fixtures/http/access/`. */
import { once } from 'node:events'
import { get as httpGet, request } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import supertest from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ensureAdministrator } from '../../../../src/servers/api-management/access/first-administrator.ts'
import { createPasswordCheck } from '../../../../src/servers/api-management/access/password-check.ts'
import { principalOf } from '../../../../src/servers/api-management/access/roles.ts'
import { createEvents } from '../../../../src/servers/api-management/events.ts'
import { OPERATIONS } from '../../../../src/servers/api-management/openapi/operations.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '../../../files/folder.ts'
import { runs } from '../../../runs.ts'
import { CHEAP, serveInTest } from '../served.ts'
import { ADMIN, basic, PASSWORD, startAccounts, USERS } from './accounts.ts'

/** Signs in; what a page would send from then on. */
async function signIn({ post }: Awaited<ReturnType<typeof startAccounts>>) {
  const { headers, body } = await post('/session', { user: 'admin', password: PASSWORD })
  const set = String(headers['set-cookie'])
  return { set, own: { cookie: set.split(';')[0] ?? '', 'x-csrf-token': String(body.csrf) } }
}

describe('a request', () => {
  it('with any text as Authorization is a 401', async () => {
    const { get } = await startAccounts()
    const text = fc.oneof(
      fc.string().map((user) => `Basic ${Buffer.from(user).toString('base64')}`),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
    )
    await fc.assert(
      fc.asyncProperty(text, async (authorization) => {
        expect((await get('/services/workspaces', { authorization })).status).toBe(401)
      }),
      runs(50),
    )
  })

  it('with two headers is a 401, and with one of a megabyte a 431', async () => {
    const { app } = await startAccounts()
    const port = await serveInTest(app.handler)
    const sent = request({
      port,
      path: '/services/workspaces',
      headers: ['host', 'x', ...Object.entries(ADMIN).flat(), ...Object.entries(ADMIN).flat()],
    })
    const [response] = await once(sent.end(), 'response')
    response.resume()
    expect(response.statusCode).toBe(401)
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `GET /services/workspaces HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${'A'.repeat(1024 * 1024)}\r\n\r\n`,
    )
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 431 /)
    socket.destroy()
  })
})

it('a stream of events ends after a while, so that its user is asked again', async () => {
  const { store } = await startAccounts()
  const feed = createEvents(store, 500)
  const user = principalOf('ada', ['reader'])
  const port = await serveInTest((asked, response) => void feed.follow(asked, response, user))
  const headers = { 'last-event-id': '0' }
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
  expect(await response.text()).toContain('event: workspace.created')
})

/** Who passes, for what an operation needs. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'read in a workspace': ['root', 'reader', 'editor'],
  'read of all workspaces': ['root', 'reader', 'editor', 'outsider'],
  'edit in a workspace': ['root', 'editor'],
  'administer in a workspace': ['root'],
  'administer of all workspaces': ['root'],
  'self of all workspaces': ['root', 'nobody'],
  'own of all workspaces': Object.keys(USERS),
}

describe('an operation', () => {
  // Those of sessions are for whoever is not known yet, and the description is for everybody.
  it.each(OPERATIONS.filter(({ needs }) => needs !== 'nothing'))(
    '$id is for those only whose role allows it',
    async ({ id, method, path, needs }) => {
      const { send } = await startAccounts()
      const at = path
        .replace('{workspace}', 'team')
        .replace('{user}', 'nobody')
        .replaceAll(/\{\w+\}/g, '1')
      const allowed = ALLOWED[`${needs} ${path.includes('{workspace}') ? 'in a workspace' : 'of all workspaces'}`]
      expect(allowed).toBeDefined()
      for (const user of Object.keys(USERS)) {
        const headers = basic(user)
        // HEAD has no end without an end of the stream.
        const { status } = await send(id === 'followEvents' ? 'head' : method, at, { headers })
        const isAllowed = status !== 401 && status !== 403
        expect([user, isAllowed]).toEqual([user, allowed?.includes(user)])
        // A deletion leaves nothing for the next one.
        if (isAllowed && method === 'delete') break
      }
      expect((await send(id === 'followEvents' ? 'head' : method, at)).status).toBe(401)
    },
  )
})

describe('users', () => {
  it('always have an administrator, also where two remove each other at once', async () => {
    const { put, remove, get } = await startAccounts()
    const answers = await Promise.all([
      put('/users/root', { roles: ['reader'] }, ADMIN),
      remove('/users/admin', basic('root')),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([expect.any(Number), 409])
    const survivor = answers[0]?.status === 409 ? 'root' : 'admin'
    expect((await get('/users', basic(survivor))).status).toBe(200)
    for (const answer of [
      await remove(`/users/${survivor}`, basic(survivor)),
      await put(`/users/${survivor}`, { roles: ['reader'] }, basic(survivor)),
    ])
      expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('the last administrator')])
  })

  it('leave no trace of a password in what is remembered of requests', async () => {
    const { post, database } = await startAccounts()
    const remembered = () => database.prepare('SELECT count(*) AS count FROM remembered').get()?.count
    const headers = { ...ADMIN, 'idempotency-key': 'k' }
    expect((await post('/users', { name: 'ada', password: PASSWORD, roles: [] }, headers)).status).toBe(201)
    expect((await post('/users', { name: 'ada', password: PASSWORD, roles: [] }, headers)).status).toBe(409)
    expect(remembered()).toBe(0)
    expect((await post('/services/workspaces', { name: 'third' }, headers)).status).toBe(201)
    expect(remembered()).toBe(1)
  })
})

describe('a session', () => {
  it('has no prefix in the name of its cookie over plain HTTP, where browsers do not take it', async () => {
    const { set } = await signIn(await startAccounts({ isEncrypted: false }))
    expect(set).toMatch(/^sluice-session=[\w-]{43}; .*HttpOnly; Secure; SameSite=Strict$/)
  })

  it('opens the stream of events', async () => {
    const server = await startAccounts()
    const { own } = await signIn(server)
    const headers = { cookie: own.cookie }
    const asking = httpGet({ port: await serveInTest(server.app.handler), host: '127.0.0.1', path: '/events', headers })
    const [response] = await once(asking, 'response')
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    asking.destroy()
  })

  it('does not begin with a form, which needs no permission of a browser', async () => {
    const { app } = await startAccounts()
    const body = JSON.stringify({ user: 'admin', password: PASSWORD })
    expect((await supertest(app.handler).post('/session').set('content-type', 'text/plain').send(body)).status).toBe(
      415,
    )
  })
})

describe('the first administrator', () => {
  const open = () => {
    const { store } = openSqliteStore(`${createFolder()}/state.db`)
    onTestFinished(() => store.close())
    const passwords = createPasswordCheck({ store, now: () => 0, cost: CHEAP })
    const login = (password: string) => passwords.check({ user: 'admin', password, address: '' })
    return { store, passwords, login, ensure: (given?: string) => ensureAdministrator(store, passwords, given) }
  }

  it('has the password of the file, until an administrator has chosen one', async () => {
    const { store, passwords, ensure, login } = open()
    expect((await ensure()).did).toBe('one-time')
    expect(await ensure(PASSWORD)).toEqual({ did: 'given' })
    const admin = await login(PASSWORD)
    expect(admin).toMatchObject({ mustChangePassword: false, revision: 2 })
    expect(await ensure('another good password')).toEqual({ did: 'nothing' })
    if (!admin) throw new Error('no user')
    const passwordHash = await passwords.hash('root', PASSWORD)
    await store.commit([
      { put: 'user', value: { ...admin, name: 'root', passwordHash, revision: 1 }, expected: undefined },
      { remove: 'user', name: 'admin', expected: 2 },
    ])
    // Who was deleted does not come back.
    expect(await ensure(PASSWORD)).toEqual({ did: 'nothing' })
    expect(await store.user('admin')).toBeUndefined()
  })
})
