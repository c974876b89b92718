/**
 * The key of a client opens its proxy, and is nowhere: in no answer of the API, no event, no line of a log, no file. Also where
 * an older version had it in its store.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, test } from 'vitest'
import { hashOf } from '../../../src/api-management/keys.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import { OPERATIONS } from '../../../src/servers/api-management/openapi/operations.ts'
import { MIGRATIONS } from '../../../src/store/sqlite/migrations.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import {
  AUTHORIZATION,
  fetchAsAdmin,
  type RunningApi,
  startApiManagement,
} from '../../servers/api-management/program.ts'
import { newProxy, newWorkspace } from '../../store/values.ts'
import { startHttpBackend } from '../backends.ts'
import { describeNewestNginx, describeNginx } from '../with-nginx.ts'
import { askAt, backendAt, limiting, serving } from './serving.ts'

const KEYS = {
  old: 'Old-7hVbTqLz9x',
  header: 'Header-pW3sKd8e',
  query: 'Query-Zn5cRf2g',
  added: 'Added-Xy6uMj1h',
  environment: 'Env-Qe4tBw0k',
}
const data = (clientID: string, apiKey?: string): JsonObject => ({
  clientID,
  ...(apiKey === undefined ? {} : { apiKey }),
})
const keyed = (...clients: JsonObject[]): JsonObject => ({ 'apikey-authn': [{ data: clients }] })

/** A store of the first version. */
async function oldStore(file: string, proxyConfig: JsonObject): Promise<void> {
  const { store } = openSqliteStore(file, { migrations: MIGRATIONS.slice(0, 1) })
  await store.commit(newWorkspace('team'))
  const body = { name: 'old', proxyConfig: { ...proxyConfig, policies: keyed(data('old', KEYS.old)) } }
  await store.commit(newProxy('team', 'old', { hostname: 'old.example', addresses: ['old.example/v1'], body }))
  const policies = keyed(data('old', KEYS.old))
  const environment = { workspace: 'team', name: 'east', gateways: [], policies, revision: 1 }
  await store.commit([{ put: 'environment', value: environment, expected: undefined }])
  const remembered = { ...{ key: 'k', fingerprint: 'f', at: Date.now(), status: 202 }, headers: {} }
  await store.commit([{ put: 'remembered', value: { ...remembered, body: JSON.stringify(body) } }])
  await store.close()
  expect(keysIn(readFileSync(file, 'latin1'))).toEqual(['old'])
}

/** Which keys are in a text, as they are or as they may be written. */
const keysIn = (text: string): readonly string[] =>
  Object.entries(KEYS).flatMap(([name, key]) => {
    const forms = [key, ...(['base64url', 'hex'] as const).map((form) => Buffer.from(key).toString(form))]
    return forms.some((form) => text.toLowerCase().includes(form.toLowerCase())) ? [name] : []
  })

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())

async function call({ url }: RunningApi, method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' }
  const response = await fetchAsAdmin(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
  const text = await response.text()
  expect(keysIn(text)).toEqual([])
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

const TEAM = '/services/workspaces/team/proxies'

const NAMES: Readonly<Record<string, string>> = { workspace: 'team', environment: 'east', user: 'admin' }

/** Every operation that reads, of the workspace and each of its proxies. */
const READS = OPERATIONS.filter(({ method, id }) => method === 'get' && id !== 'followEvents').flatMap(({ path }) =>
  [1, 2, 3, 4, 5].flatMap((revision) => {
    const written = path.replace(/\{(\w+)\}/g, (_, name: string) => NAMES[name] ?? `{${name}}`)
    return ['old', 'new'].map((proxy) => written.replace('{proxy}', proxy).replace('{revision}', `${revision}`))
  }),
)

async function eventsOf({ url }: RunningApi): Promise<string> {
  const headers = { ...AUTHORIZATION, 'last-event-id': '0' }
  const { body } = await fetch(`${url}/events`, { headers, signal: AbortSignal.timeout(1000) })
  let text = ''
  try {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString()
  } catch {
    // The stream has no end.
  }
  return text
}

describeNewestNginx('the keys of clients', (program) => {
  it('open proxies and are nowhere', async () => {
    const folder = createFolder()
    const [port, backend] = [await freePort(), await startHttpBackend()]
    onTestFinished(async () => void (await backend.stop()))
    const backends = [backendAt(backend.address)]
    await oldStore(join(folder, 'sluice.db'), { hostname: 'old.example', ingress: { basePath: '/' }, backends })
    const nginx = ['--nginx-dir', 'nginx', '--nginx-bin', program.path, '--nginx-port', String(port), '--stop-nginx']
    const api = await startApiManagement(['--plain-http', ...nginx], folder)
    onTestFinished(async () => {
      api.child.kill('SIGTERM')
      await api.ended
    })
    const until = (name: string, revision: number) =>
      expect
        .poll(async () => (await call(api, 'GET', `${TEAM}/${name}`)).body.status)
        .toMatchObject({ state: 'SUCCESS', revision })
    const code = async (host: string, path: string, apikey = '') =>
      (await askAt({ port, host, headers: { apikey } }, path)).code

    await call(api, 'PUT', '/infrastructure/workspaces/team/environments/default', { gateways: ['local'] })
    await call(api, 'PUT', '/infrastructure/workspaces/team/environments/east', {
      policies: keyed(data('old'), data('e', KEYS.environment)),
    })
    await until('old', 1)
    expect(await code('old.example', '/v1/a', KEYS.old)).toBe(200)
    expect(await code('old.example', '/v1/a', 'other')).toBe(401)

    const clients = [data('a', KEYS.header), data('b', KEYS.added)]
    const inQuery = { action: { suppliedIn: 'QUERY', apiKeyName: 'key' }, data: [data('q', KEYS.query)] }
    const limits = [limiting([{ rate: '1r/s', rateLimitBy: 'consumer', throttle: { burst: 50, noDelay: true } }])]
    const body = (...own: object[]) => {
      const policies = { 'rate-limit': limits, 'apikey-authn': own }
      return { name: 'new', proxyConfig: { hostname: 'new.example', ingress: { basePath: '/' }, backends, policies } }
    }
    const created = await call(api, 'POST', TEAM, body({ data: clients }, inQuery))
    expect(created.body.proxyConfig.policies['apikey-authn'][0].data).toEqual([{ clientID: 'a' }, { clientID: 'b' }])
    const open = async () => [
      await code('new.example', '/v1/a', KEYS.header),
      await code('new.example', '/v1/a', KEYS.added),
      await code('new.example', `/v1/a?x=1&key=${KEYS.query}&key=${KEYS.query}&y`),
    ]
    await until('new', 1)
    expect(await open()).toEqual([200, 200, 200])

    // As it was read: all keys stay. Of one that is sent only this one is new.
    const read = (await call(api, 'GET', `${TEAM}/new`)).body
    await call(api, 'PUT', `${TEAM}/new`, { ...read, changed: true })
    await until('new', 2)
    expect(await open()).toEqual([200, 200, 200])
    const sent = body({ data: [data('b'), data('a', 'another-key')] }, { ...inQuery, data: [data('q')] })
    await call(api, 'PUT', `${TEAM}/new`, sent)
    await until('new', 3)
    expect(await open()).toEqual([401, 200, 200])
    expect(await code('new.example', '/v1/a', 'another-key')).toBe(200)
    await call(api, 'POST', `${TEAM}/new/history/1/restore`)
    await until('new', 4)
    expect(await open()).toEqual([200, 200, 200])

    // The same policies again add nothing; a client that is not known needs a key; the hash of another proxy is nothing.
    const again = await call(api, 'POST', `${TEAM}?name=new&dryRun=true`, { policies: keyed(...clients) })
    expect(again.body.proxyConfig.policies['apikey-authn']).toHaveLength(2)
    const hashed = { ...data('d'), apiKeyHash: 'md5:AAAAAAAAAAAAAAAAAAAAAA:1:2' }
    const refused = await call(api, 'PUT', `${TEAM}/new`, body({ data: [data('c'), hashed] }))
    const missing = (index: number) => ({
      pointer: `/proxyConfig/policies/apikey-authn/0/data/${index}/apiKey`,
      message: 'apiKey is missing',
    })
    expect(refused.body.errors).toMatchObject([missing(0), missing(1)])
    await call(api, 'DELETE', `${TEAM}/new`)
    await call(api, 'POST', `${TEAM}/new/history/1/restore?hostname=new.example`)
    await until('new', 6)
    expect(await open()).toEqual([200, 200, 200])

    for (const path of new Set(READS)) {
      const answer = await fetchAsAdmin(api.url + path)
      const text = await answer.text()
      expect({ path, keys: keysIn(text) }).toEqual({ path, keys: [] })
      expect(text).not.toMatch(/md5:[\w-]{22}/)
      expect([200, 204, 404], path).toContain(answer.status)
    }
    const events = await eventsOf(api)
    expect(events).toContain('proxy.restored')
    expect(keysIn(events + JSON.stringify(api.lines()) + api.said())).toEqual([])
    // The copy of the store as it was, for who goes back to the older version.
    const copy = join(folder, 'sluice.db.v1')
    expect(keysIn(readFileSync(copy, 'latin1'))).toEqual(['old'])
    rmSync(copy)
    expect(readFileSync(join(folder, 'nginx', 'access.log'), 'utf8')).toContain('?x=1&key=*** HTTP/1.1')
    const files = filesIn(folder)
    for (const file of files) expect({ file, keys: keysIn(readFileSync(file, 'latin1')) }).toEqual({ file, keys: [] })
  })
})

describeNginx('a thousand clients', (program) => {
  const keyOf = (index: number) => `key-${(index * 2_654_435_761) % 4_294_967_291}-${index}`
  const indexes = Array.from({ length: 1000 }, (_, index) => index)
  const clients = indexes.map((index) => data(`client-${index}`, keyOf(index)))
  const policies = {
    ...keyed(...clients),
    'rate-limit': [limiting([{ rate: '1r/s', rateLimitBy: 'consumer', zoneSize: '1M' }])],
  }
  const now = serving(program, ({ web }) => ({
    proxies: { many: { name: 'many', proxyConfig: { ingress: { basePath: '/' }, backends: [web], policies } } },
  }))

  test('are each known by the key alone, with a budget of its own', async () => {
    const { codes } = now()
    const answered = async (index: number) => (await codes(1, '/v1/a', { headers: { apikey: keyOf(index) } }))[0]
    for (const index of indexes) expect({ index, code: await answered(index) }).toEqual({ index, code: 200 })
    for (let index = 0; index < clients.length; index += 100) expect(await answered(index)).toBe(429)
    const near = indexes.filter((index) => hashOf('many', keyOf(index)).buckets.some((numbers) => numbers.length > 1))
    expect(near.length).toBeGreaterThan(10)
  })

  test('are not in the configuration with their keys', () => {
    const about = { id: 'many', workspace: 'w', environment: 'e', revision: 1 }
    const published = { ...about, body: { name: 'many', proxyConfig: { policies } } }
    const site = { nginxVersion: program.version, address: '', port: 80 }
    for (const { text } of renderProxies({ proxies: [published], environments: [] }, site))
      expect(text).not.toMatch(/key-\d/)
  })
})
