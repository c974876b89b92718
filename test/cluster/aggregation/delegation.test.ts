/**
 * Delegated authentication and authorization behind the aggregation layer of a real API server: who is believed, what the
 * API server says of them, and who is not. The server under test answers with whom it takes the client for.
 */
import { Agent } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/cluster/client/clock.ts'
import { clusterOfFile } from '../../../src/cluster/client/kubeconfig.ts'
import { createDelegation, type Delegation } from '../../../src/cluster/delegation/delegated-access.ts'
import { ANONYMOUS, type Attributes } from '../../../src/http/delegated-access.ts'
import { type AggregatedServer, close, createAggregatedServer, listen } from '../../../src/http/listen.ts'
import { clientAuthority } from '../../nginx/api-management/certificates.ts'
import { type Answered, type Asked, ask, askServer } from '../ask.ts'
import { useCluster } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { until } from '../resources.ts'
import { ADMIN, ROBOT, type User } from '../users.ts'
import { type Aggregator, createAggregator, GROUP, registration, servingCertificate, VERSION } from './aggregated.ts'

const BASE = `/apis/${GROUP}/${VERSION}`

let aggregator: Aggregator
let serving: Awaited<ReturnType<typeof servingCertificate>>
let delegation: Delegation
let server: AggregatedServer
let port = 0

const silent = { debug() {}, info() {}, warn() {}, error() {} }

const attributesOf = (method: string, path: string): Attributes => {
  const [, , , , resource = ''] = path.split('/')
  const verb = resource === '' ? method.toLowerCase() : method === 'GET' ? 'list' : 'create'
  return resource === ''
    ? { verb, isResourceRequest: false, group: '', version: '', resource: '', path }
    : { verb, isResourceRequest: true, group: GROUP, version: VERSION, resource, path }
}

const cluster = useCluster({
  async flags(folder) {
    aggregator = await createAggregator(folder)
    return aggregator.flags
  },
})
const { kubectl, store } = cluster

beforeAll(async () => {
  serving = await servingCertificate()
  server = createAggregatedServer(async (request, response) => {
    try {
      const { access } = delegation
      const known = await access.authenticate(request)
      const user = known === 'anonymous' || known === 'rejected' ? ANONYMOUS : known
      const verdict = await access.authorize(user, attributesOf(request.method ?? '', request.url ?? ''))
      response.writeHead(known === 'rejected' ? 401 : verdict.allowed ? 200 : 403, {
        'content-type': 'application/json',
      })
      response.end(JSON.stringify({ kind: 'APIResourceList', resources: [], user: known }))
    } catch {
      response.writeHead(500).end('{}')
    }
  }, serving)
  port = await listen(server.server, { host: '127.0.0.1', port: 0 })
  delegation = createDelegation({
    kubeconfig: clusterOfFile(cluster.kubeconfig(ADMIN)),
    clock: systemClock,
    log: silent,
    trusting: (authorities) => server.use(serving, authorities),
  })
  await until('the ConfigMap is read', () => Promise.resolve(delegation.problem() === undefined))
  await store(registration(port, serving.authority))
  await until('the APIService is available', async () => (await through(ADMIN, BASE)).status === 200)
})
afterAll(async () => {
  delegation?.stop()
  if (server) await close(server.server, { idle: 0, grace: 0 })
})

const direct = (path: string, asked: Omit<Asked, 'port' | 'ca'> = {}): Promise<Answered> =>
  ask(path, { port, ca: serving.authority, ...asked })

/** As a user of the API server, through it. */
const through = (user: Pick<User, 'token'>, path: string): Promise<Answered> => askServer(cluster, path, user)

describe('through the API server', () => {
  it('users come with all of their groups, and roles decide', async () => {
    const { status, body } = await through(ADMIN, `${BASE}/config`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] } })
    expect((await through(ROBOT, `${BASE}/config`)).status).toBe(403)
    const rules = [{ apiGroups: [GROUP], resources: ['config'], verbs: ['list'] }]
    await store([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'mesh-reader' }, rules },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'mesh-reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'mesh-reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'robots' }],
      },
    ])
    await until('the role counts', async () => (await through(ROBOT, `${BASE}/config`)).status === 200)
    expect((await through(ROBOT, `${BASE}/services`)).status).toBe(403)
  })

  it('strange names arrive as they are', async () => {
    const groups = ['a,b', 'groß', ...Array.from({ length: 200 }, (_, index) => `team-of-many-people-${index}`)]
    const as = ['--as', 'zoë', ...groups.flatMap((group) => ['--as-group', group]), '--as-group', 'system:masters']
    const said = await must(kubectl(['get', '--raw', `${BASE}/config`, ...as]))
    expect(JSON.parse(said).user).toMatchObject({
      username: 'zoë',
      groups: [...groups, 'system:masters', 'system:authenticated'],
    })
  })
})

const pairsOf = (headers: readonly (readonly [name: string, value: string])[]) =>
  headers.flatMap((one, index) => headers.slice(index).map((other) => Object.fromEntries([one, other])))

describe('directly', () => {
  /** Each header that names a user or a part of one, alone and with each other one. */
  const forged = pairsOf([
    ['x-remote-user', 'admin'],
    ['x-remote-group', 'system:masters'],
    ['x-remote-uid', '1'],
    ['x-remote-extra-scopes', 'all'],
    ['impersonate-user', 'admin'],
  ])

  it('a token is reviewed, and a wrong one is rejected', async () => {
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    expect(await direct(`${BASE}/services`, bearer(ADMIN.token))).toMatchObject({
      status: 200,
      body: { user: { username: 'admin' } },
    })
    expect((await direct(`${BASE}/services`, bearer('wrong'))).status).toBe(401)
    expect(await direct(`${BASE}/services`)).toMatchObject({ status: 403, body: { user: 'anonymous' } })
  })

  it('the aggregator is believed by its certificate', async () => {
    const tls = await aggregator.aggregators.issue('CN=aggregator')
    const headers = { 'x-remote-user': 'ann', 'x-remote-group': ['one', 'two'], 'x-remote-extra-scopes%2fx': 'view' }
    expect((await direct(BASE, { tls, headers })).body).toMatchObject({
      user: { username: 'ann', groups: ['one', 'two', 'system:authenticated'], extra: { 'scopes/x': ['view'] } },
    })
  })

  it('headers of all others are not believed', async () => {
    const { aggregators, users } = aggregator
    const stranger = await clientAuthority('aggregators')
    // With another name than the allowed ones, and with the right name of an authority of the same name.
    const strangers = [undefined, await aggregators.issue('CN=other'), await stranger.issue('CN=aggregator')]
    // With the right name of the authority of users: it is a user of that name.
    const user = await users.issue('CN=aggregator')
    for (const headers of forged) {
      for (const tls of strangers)
        expect((await direct(BASE, { headers, ...(tls ? { tls } : {}) })).body).toMatchObject({ user: 'anonymous' })
      expect((await direct(BASE, { headers, tls: user })).body).toMatchObject({
        user: { username: 'aggregator', groups: ['system:authenticated'], extra: {} },
      })
      // The aggregator itself names nobody where it does not name a user.
      const { body } = await direct(BASE, { headers, tls: await aggregators.issue('CN=aggregator') })
      expect(JSON.stringify(body).includes('"username"')).toBe('x-remote-user' in headers)
    }
  })

  it('a certificate of the cluster is a user with groups', async () => {
    const tls = await aggregator.users.issue('CN=jürgen, O=a\\,b, O=team')
    expect((await direct(BASE, { tls })).body).toMatchObject({
      user: { username: 'jürgen', groups: ['a,b', 'team', 'system:authenticated'] },
    })
  })
})

describe('when the API server', () => {
  it('is away, whoever is not known yet is refused with 500', async () => {
    await cluster.stopServer()
    const headers = { authorization: 'Bearer never-seen-before' }
    expect((await direct(BASE, { headers })).status).toBe(500)
    const tls = await aggregator.users.issue('CN=somebody')
    expect((await direct(`${BASE}/config`, { tls })).status).toBe(500)
    await cluster.startServer()
    await until('tokens are reviewed again', async () => (await direct(BASE, { headers })).status === 401)
  })

  it('has another aggregator, both are believed until somebody removes the former one, and then not one moment longer', async () => {
    const former = await aggregator.aggregators.issue('CN=aggregator')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const isBelieved = async (tls: Asked['tls'], over?: Agent) => {
      const { body } = await direct(BASE, { headers: { 'x-remote-user': 'ann' }, ...(tls ? { tls } : {}), agent: over })
      return JSON.stringify(body).includes('"ann"')
    }
    expect(await isBelieved(former, agent)).toBe(true)
    const next = await aggregator.rotate()
    await cluster.stopServer()
    await cluster.startServer()
    const issued = await next.issue('CN=aggregator')
    await until('the new one is believed', () => isBelieved(issued))
    // The API server adds its authority to those that are there.
    expect([await isBelieved(former), await isBelieved(former, agent)]).toEqual([true, true])
    const data = { 'requestheader-client-ca-file': next.ca.cert }
    const patch = ['patch', 'configmap', 'extension-apiserver-authentication', '-n', 'kube-system', '-p']
    await must(kubectl([...patch, JSON.stringify({ data })]))
    await until('the former one is not believed', async () => !(await isBelieved(former)))
    expect(await isBelieved(former, agent)).toBe(false)
    agent.destroy()
    expect(await isBelieved(issued)).toBe(true)
    await until('users get through', async () => (await through(ADMIN, BASE)).status === 200)
  })
})

it('asks the API server once for what many want to know at the same time', async () => {
  const tls = await aggregator.users.issue('CN=robot-of-many')
  const reviews = async () => {
    const { body } = await through(ADMIN, '/metrics')
    const lines = String(body)
      .split('\n')
      .filter((line) => /^apiserver_request_total\{.*"subjectaccessreviews"/.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const before = await reviews()
  const all = await Promise.all(Array.from({ length: 20 }, () => direct(`${BASE}/config`, { tls })))
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([403]))
  expect((await direct(`${BASE}/config`, { tls })).status).toBe(403)
  expect((await reviews()) - before).toBe(1)
})
