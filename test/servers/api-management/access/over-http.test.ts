/** Who may do what, over HTTP: every operation, every role, and whatever stands in the header. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAccess } from '../../../../src/servers/api-management/access/authenticate.ts'
import { ensureAdministrator } from '../../../../src/servers/api-management/access/first-administrator.ts'
import { createPasswordCheck } from '../../../../src/servers/api-management/access/password-check.ts'
import { principalOf } from '../../../../src/servers/api-management/access/roles.ts'
import { createSessions } from '../../../../src/servers/api-management/access/sessions.ts'
import { createEvents } from '../../../../src/servers/api-management/events.ts'
import { OPERATIONS } from '../../../../src/servers/api-management/openapi/operations.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '../../../files/folder.ts'
import { runs } from '../../../runs.ts'
import { CHEAP, serve } from '../served.ts'

const PASSWORD = 'correct horse battery'
const basic = (user: string, password = PASSWORD) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const ADMIN = basic('admin')

/** Users with each of the roles, and the workspaces `team` and `others`. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  root: ['administrator'],
  reader: ['reader'],
  editor: ['editor:team'],
  outsider: ['editor:others'],
  nobody: [],
}

async function start() {
  const { store, database } = openSqliteStore(`${createFolder()}/state.db`)
  const passwords = createPasswordCheck({ store, now: () => 0, cost: CHEAP })
  await ensureAdministrator(store, passwords, PASSWORD)
  const sessions = createSessions({ store, isEncrypted: true, wallClock: Date.now })
  const server = serve({ store, passwords, sessions, access: createAccess({ passwords, sessions, tokens: undefined }) })
  for (const name of ['team', 'others'])
    expect((await server.post('/services/workspaces', { name }, ADMIN)).status).toBe(201)
  for (const [name, roles] of Object.entries(USERS))
    expect((await server.post('/users', { name, password: PASSWORD, roles }, ADMIN)).status).toBe(201)
  return { ...server, store, database }
}

describe('a request', () => {
  it.each([
    ['nothing', undefined],
    ['nothing in it', ''],
    ['a scheme alone', 'Basic'],
    ['another scheme', 'Digest username="admin"'],
    ['no base64', 'Basic &&&'],
    ['no colon', `Basic ${Buffer.from('admin').toString('base64')}`],
    ['no UTF-8', `Basic ${Buffer.from('admin:\xff', 'latin1').toString('base64')}`],
    ['nothing behind the scheme', 'Basic  '],
    ['an empty user and password', `Basic ${Buffer.from(':').toString('base64')}`],
    ['another user', basic('nobody-else').authorization],
    ['another password', basic('admin', 'another password').authorization],
    ['a token', 'Bearer eyJhbGciOiJub25lIn0.e30.'],
  ])('with %s as Authorization is a 401 that says how', async (_, authorization) => {
    const { get } = await start()
    const response = await get('/services/workspaces', authorization === undefined ? {} : { authorization })
    expect(response.status).toBe(401)
    expect(response.headers['content-type']).toBe('application/problem+json')
    expect(response.headers['www-authenticate']).toBe('Basic realm="sluice", charset="UTF-8"')
  })

  it('with any text as Authorization is a 401', async () => {
    const { get } = await start()
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
    const { app } = await start()
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
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
    server.closeAllConnections()
  })

  it('takes a password in UTF-8, in every form of it', async () => {
    const { post, get } = await start()
    await post('/users', { name: 'zoe', password: 'Z\u00fcrich & K\u00f6ln 🙂', roles: ['reader'] }, ADMIN)
    const { status } = await get('/services/workspaces', basic('zoe', 'Zu\u0308rich & Ko\u0308ln 🙂'))
    expect(status).toBe(200)
  })

  it('after too many wrong passwords is a 429 that says when', async () => {
    const { get } = await start()
    for (let count = 0; count < 5; count += 1)
      expect((await get('/services/workspaces', basic('reader', `guess ${count} of them`))).status).toBe(401)
    const { status, headers } = await get('/services/workspaces', basic('reader', 'one more guess'))
    expect([status, headers['retry-after']]).toEqual([429, '1'])
    expect((await get('/services/workspaces', ADMIN)).status).toBe(200)
  })

  it('for the document needs no user', async () => {
    const { get } = await start()
    expect((await get('/openapi.json')).body.security).toEqual([{ basic: [] }, { bearer: [] }, { session: [] }])
    expect((await get('/docs')).status).toBe(200)
  })

  it('leaves the name of its user in the log', async () => {
    const { get, lines } = await start()
    await get('/services/workspaces', basic('reader'))
    expect(lines.at(-1)).toMatchObject({ path: '/services/workspaces', status: 200, user: 'reader' })
  })
})

it('a stream of events ends after a while, so that its user is asked again', async () => {
  const { store } = await start()
  const feed = createEvents(store, 500)
  const user = principalOf('ada', ['reader'])
  const server = createServer((asked, response) => void feed.follow(asked, response, user)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const headers = { 'last-event-id': '0' }
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers })
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
}

describe('an operation', () => {
  // Those of sessions are for whoever is not known yet, and the description is for everybody.
  it.each(OPERATIONS.filter(({ needs }) => needs !== 'nothing'))(
    '$id is for those only whose role allows it',
    async ({ id, method, path, needs }) => {
      const { send } = await start()
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

  it.each([
    ['reader', 'post', '/services/workspaces/team/proxies', 'the role editor:team is missing'],
    ['outsider', 'get', '/services/workspaces/team', 'the role reader or editor:team is missing'],
    ['editor', 'post', '/services/workspaces', 'the role administrator is missing'],
    ['nobody', 'get', '/services/workspaces', 'the role reader is missing'],
    ['reader', 'get', '/users/root', 'the role administrator is missing'],
    ['reader', 'get', '/services/workspaces/no%20such/x', undefined],
  ] as const)('that %s may not do with %s %s says what is missing', async (user, method, path, detail) => {
    const { send } = await start()
    const { status, body } = await send(method, path, { headers: basic(user) })
    if (detail === undefined) expect(status).toBe(404)
    else expect([status, body.detail]).toEqual([403, expect.stringContaining(detail)])
  })
})

describe('users', () => {
  it('are added, read, listed, changed and deleted, and no hash is shown', async () => {
    const { get, post, put, remove } = await start()
    const made = await post(
      '/users',
      { name: 'ada', password: PASSWORD, roles: ['reader', 'editor:team', 'reader'].slice(0, 2) },
      ADMIN,
    )
    expect([made.status, made.headers.location]).toEqual([201, '/users/ada'])
    expect(made.body).toEqual({ name: 'ada', roles: ['editor:team', 'reader'], mustChangePassword: false, revision: 1 })
    expect((await post('/users', { name: 'ada', password: PASSWORD, roles: [] }, ADMIN)).status).toBe(409)
    expect((await get('/users/ada', basic('ada'))).body).toEqual(made.body)
    const all = await get('/users?pageSize=100', ADMIN)
    expect(all.body.items.map(({ name }: { name: string }) => name)).toEqual(
      ['ada', 'admin', ...Object.keys(USERS)].sort(),
    )
    expect(all.text).not.toContain('scrypt')
    expect((await put('/services/workspaces/team', {}, basic('ada'))).status).toBe(403)
    const changed = await put(
      '/users/ada',
      { roles: ['administrator'] },
      { ...ADMIN, 'if-match': made.headers.etag ?? '' },
    )
    expect([changed.status, changed.headers.etag]).toEqual([200, '"2"'])
    expect((await put('/users/ada', { roles: [] }, { ...ADMIN, 'if-match': '"1"' })).status).toBe(412)
    expect((await put('/services/workspaces/team', {}, basic('ada'))).status).toBe(200)
    expect((await remove('/users/ada', ADMIN)).status).toBe(204)
    expect((await get('/services/workspaces', basic('ada'))).status).toBe(401)
    expect((await get('/users/ada', ADMIN)).status).toBe(404)
    expect((await put('/users/ada', { roles: [] }, ADMIN)).status).toBe(404)
  })

  it.each([
    ['a short password', { name: 'ada', password: 'short', roles: [] }, '/password'],
    ['the name as the password', { name: 'administrator', password: 'Administrator', roles: [] }, '/password'],
    ['a password of many bytes', { name: 'ada', password: '🙂'.repeat(300), roles: [] }, '/password'],
    ['a colon in the name', { name: 'jwt:ada', password: PASSWORD, roles: [] }, '/name'],
    ['an unknown role', { name: 'ada', password: PASSWORD, roles: ['root'] }, '/roles/0'],
    ['an editor of nothing', { name: 'ada', password: PASSWORD, roles: ['editor:'] }, '/roles/0'],
    ['no roles', { name: 'ada', password: PASSWORD }, '/roles'],
    ['a hash', { name: 'ada', password: PASSWORD, roles: [], passwordHash: 'x' }, '/passwordHash'],
  ])('with %s are refused', async (_, body, pointer) => {
    const { post } = await start()
    const { status, body: problem } = await post('/users', body, ADMIN)
    expect([status, problem.errors[0].pointer]).toEqual([400, pointer])
    expect(JSON.stringify(problem)).not.toContain(body.password)
  })

  it('change their own password with the old one, and administrators that of others', async () => {
    const { get, put } = await start()
    const next = 'another good password'
    const change = (body: object, headers: Record<string, string>, user = 'reader') =>
      put(`/users/${user}/password`, body, headers)
    expect((await change({ password: next }, basic('reader'))).body.errors[0].pointer).toBe('/oldPassword')
    expect((await change({ password: next, oldPassword: 'a wrong password' }, basic('reader'))).status).toBe(403)
    expect((await change({ password: PASSWORD, oldPassword: PASSWORD }, basic('reader'))).status).toBe(400)
    expect((await change({ password: next, oldPassword: PASSWORD }, basic('editor'))).status).toBe(403)
    expect((await change({ password: next, oldPassword: PASSWORD }, basic('reader'))).status).toBe(204)
    expect((await get('/services/workspaces', basic('reader'))).status).toBe(401)
    expect((await get('/services/workspaces', basic('reader', next))).status).toBe(200)
    expect((await change({ password: PASSWORD, mustChangePassword: true }, ADMIN)).status).toBe(204)
    const refused = await get('/services/workspaces', basic('reader'))
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'change your password first: PUT /users/reader/password',
    ])
    expect((await get('/users/reader', basic('reader'))).body.mustChangePassword).toBe(true)
    expect((await change({ password: next, oldPassword: PASSWORD }, basic('reader'))).status).toBe(204)
    expect((await get('/services/workspaces', basic('reader', next))).status).toBe(200)
  })

  it('always have an administrator, also where two remove each other at once', async () => {
    const { put, remove, get } = await start()
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
    const { post, database } = await start()
    const remembered = () => database.prepare('SELECT count(*) AS count FROM remembered').get()?.count
    const headers = { ...ADMIN, 'idempotency-key': 'k' }
    expect((await post('/users', { name: 'ada', password: PASSWORD, roles: [] }, headers)).status).toBe(201)
    expect((await post('/users', { name: 'ada', password: PASSWORD, roles: [] }, headers)).status).toBe(409)
    expect(remembered()).toBe(0)
    expect((await post('/services/workspaces', { name: 'third' }, headers)).status).toBe(201)
    expect(remembered()).toBe(1)
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

  it('gets a new one-time password at each start until it was changed', async () => {
    const { store, ensure, login } = open()
    const first = await ensure()
    const second = await ensure()
    if (first.did !== 'one-time' || second.did !== 'one-time') throw new Error('no password')
    expect(await login(first.password)).toBeUndefined()
    const user = await login(second.password)
    expect(user).toMatchObject({ name: 'admin', roles: ['administrator'], mustChangePassword: true })
    if (user)
      await store.commit([{ put: 'user', value: { ...user, mustChangePassword: false, revision: 3 }, expected: 2 }])
    expect(await ensure()).toEqual({ did: 'nothing' })
  })

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
