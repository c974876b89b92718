/** The management API over a store in a folder of its own; every response is compared with the OpenAPI document. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import request, { type Response } from 'supertest'
import { expect, onTestFinished } from 'vitest'
import { createMetrics } from '../../../src/http/metrics.ts'
import { REGISTRY } from '../../../src/registry.ts'
import { createPasswordCheck } from '../../../src/servers/api-management/access/password-check.ts'
import { createRefusals } from '../../../src/servers/api-management/access/refusals.ts'
import { createSessions } from '../../../src/servers/api-management/access/sessions.ts'
import { createManagementApp, type ManagementOptions } from '../../../src/servers/api-management/app.ts'
import { createBodyJudge } from '../../../src/servers/api-management/judge.ts'
import { createManagementMetrics } from '../../../src/servers/api-management/metrics.ts'
import { openApiDocument } from '../../../src/servers/api-management/openapi/document.ts'
import { DEFAULT_PROJECT } from '../../../src/settings/settings.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '../../files/folder.ts'

type Method = 'get' | 'post' | 'put' | 'delete' | 'head' | 'patch'
type Headers = Readonly<Record<string, string>>
type Sent = { readonly body?: unknown; readonly headers?: Headers | undefined }

/** Hashes that take no time. */
export const CHEAP = { ln: 4, r: 1, p: 1 }

const silent = () => {}

type Served = Partial<ManagementOptions> & {
  readonly file?: string
  /** Called with what stops the server: after the test, or with `afterAll` after all tests of a file. */
  readonly ends?: (run: () => Promise<void> | void) => void
}

/** A server that is stopped after the test. */
export function serve({ ends = onTestFinished, ...options }: Served = {}) {
  const { store } = openSqliteStore(options.file ?? join(createFolder({}, ends), 'state.db'))
  const lines: object[] = []
  const log = {
    debug: silent,
    info: (fields: object) => void lines.push(fields),
    warn: silent,
    error: (fields: object) => void lines.push(fields),
  }
  const metrics = createMetrics('0.0.0')
  const sessions = createSessions({ store, isEncrypted: true, wallClock: Date.now })
  const refusals = createRefusals({ store, wallClock: Date.now })
  const app = createManagementApp({
    store,
    sessions,
    studio: undefined,
    oidc: undefined,
    metrics: createManagementMetrics(metrics, { store, sessions: options.sessions ?? sessions, refusals }),
    judge: createBodyJudge({ ...REGISTRY, settings: DEFAULT_PROJECT.settings }),
    access: undefined,
    passwords: createPasswordCheck({ store, now: Date.now, cost: CHEAP }),
    publisher: undefined,
    network: { isLoopbackOnly: true, ports: () => [], addressesOf: async () => [] },
    basePath: '',
    version: '0.0.0',
    log,
    wallClock: Date.now,
    isClosing: () => false,
    ...options,
  })
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    await app.stop()
    await store.close()
  }
  ends(stop)
  const send = async (method: Method, path: string, { body, headers = {} }: Sent = {}): Promise<Response> => {
    const sending = request(app.handler)[method](path).set(headers)
    const response = await (body === undefined
      ? sending
      : sending
          .type(headers['content-type'] ?? 'application/json')
          .send(typeof body === 'string' ? body : JSON.stringify(body)))
    if (method !== 'head') checkResponse(method, path.slice((options.basePath ?? '').length), response)
    return response
  }
  return {
    app,
    store,
    lines,
    metrics,
    stop,
    get: (path: string, headers?: Headers) => send('get', path, { headers }),
    post: (path: string, body?: unknown, headers?: Headers) => send('post', path, { body, headers }),
    put: (path: string, body: unknown, headers?: Headers) => send('put', path, { body, headers }),
    remove: (path: string, headers?: Headers) => send('delete', path, { headers }),
    send,
  }
}

/** Serves over plain HTTP until the end of the test; gives the port. */
export async function serveInTest(handler: RequestListener): Promise<number> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A server with the workspace `team`. */
export async function serveTeam(options: Parameters<typeof serve>[0] = {}) {
  const server = serve(options)
  expect((await server.post(`${options.basePath ?? ''}/services/workspaces`, { name: 'team' })).status).toBe(201)
  return server
}

export const TEAM = '/services/workspaces/team/proxies'

/** The literal body of the specification. */
export const SEED = {
  policies: {
    'rate-limit': [
      {
        systemMetadata: { appliedOn: 'inbound', context: 'proxy' },
        action: { limits: [{ rate: '10r/s', rateLimitBy: 'client.ip', zoneSize: '10M' }] },
      },
    ],
  },
}

/** A whole proxy. */
export const proxy = (name: string, config: object = {}, more: object = {}) => ({
  name,
  ...more,
  proxyConfig: { hostname: `${name}.example.com`, ingress: { basePath: '/' }, ...config },
})

type OpenApi = {
  readonly paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >
  readonly components: { readonly schemas: object }
}

const DOCUMENT = openApiDocument({ version: '', basePath: '' }) as OpenApi
const toAjv = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"api#/$defs/'))
const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false })
ajv.addSchema({ $id: 'api', ...toAjv({ $defs: DOCUMENT.components.schemas }) })
const compiled = new Map<string, ValidateFunction>()

/** Fails where the document does not say that this response is possible. */
function checkResponse(method: Method, path: string, response: Response): void {
  const plain = path.split('?')[0]?.replace(/\/$/, '') ?? ''
  const found = Object.entries(DOCUMENT.paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  )
  const operation = found?.[1][method]
  if (!operation) return
  const described = operation.responses[response.status]
  expect(described, `${method} ${found?.[0]} may respond ${response.status}: ${response.text}`).toBeDefined()
  const [[type, { schema }] = ['', { schema: undefined }]] = Object.entries(described?.content ?? {})
  if (schema === undefined) {
    expect(response.text).toBe('')
    return
  }
  expect(response.headers['content-type']).toBe(type)
  const key = JSON.stringify(schema)
  const validate = compiled.get(key) ?? ajv.compile(toAjv(schema))
  compiled.set(key, validate)
  validate(response.body)
  expect(validate.errors ?? []).toEqual([])
}
