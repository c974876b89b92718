/** What all servers have alike: ports, errors, bodies, certificates, the log, and how they stop. */
import { request as plainRequest, type RequestListener } from 'node:http'
import { request as secureRequest } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { serveWithHealth } from '../../src/http/health.ts'
import { type Serving, serve, type TlsMaterial } from '../../src/http/listen.ts'
import type { Log } from '../../src/http/log.ts'
import { createMetrics, type Metrics } from '../../src/http/metrics.ts'
import { createMeshMetrics } from '../../src/servers/mesh/metrics.ts'
import { readAssets } from '../../src/servers/studio/assets.ts'
import { createStudioApp } from '../../src/servers/studio/router.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'
import { serve as serveManagement } from './api-management/served.ts'
import { serve as serveMesh } from './mesh/served.ts'
import { HOST, JSON_TYPE, startServed } from './served.ts'

const MIB = 1024 * 1024
const YEAR = 365 * 24 * 60 * 60 * 1000

type Line = { readonly level: string; readonly status?: unknown; readonly path?: unknown }

/** A server within the test. */
type Started = {
  readonly serving: Serving & { readonly healthPort?: number }
  /** The authority of its certificate; undefined: it speaks plain HTTP. */
  readonly ca: string | undefined
  issue(): Promise<TlsMaterial>
  setNotReady(reason: string | undefined): void
}

type Built = { readonly app: RequestListener; readonly metrics: Metrics }

/** Serves an app with a certificate, and a health port beside it. */
async function serveApp(build: (isClosing: () => boolean) => Built, isAggregated: boolean): Promise<Started> {
  const validity = { from: Date.now() - YEAR, until: Date.now() + YEAR }
  const authority = await createAuthority('test', validity)
  const issue = () => issueServing(authority, ['localhost', HOST], validity)
  let isClosing = () => false
  const { app, metrics } = build(() => isClosing())
  let notReady: string | undefined
  const listening = await serve(
    (closing) => {
      isClosing = closing
      return app
    },
    { host: HOST, port: 0, material: await issue(), isAggregated },
  )
  const serving = await serveWithHealth(listening, { host: HOST, healthPort: 0, metrics, notReady: () => notReady })
  return {
    serving,
    ca: authority.cert,
    issue,
    setNotReady(reason) {
      notReady = reason
    },
  }
}

/** One server, as a row of the table. */
type Server = {
  readonly name: string
  /** What every request needs. */
  readonly headers: Readonly<Record<string, string>>
  /** A method that a path does not have, and those that it has. */
  readonly wrong: { readonly method: string; readonly path: string; readonly allow: string }
  readonly style: 'Status' | 'problem'
  /** A path that can be read. */
  readonly get?: string
  /** What takes a body, of so many bytes at most, and a line of the metrics after one request to an unknown path. */
  readonly body?: {
    readonly method: string
    readonly path: string
    readonly limit: number
    readonly text: string
    readonly status: number
    readonly metric: string
  }
}

/** How each is started. */
const STARTS: Readonly<Record<string, (log: Log) => Promise<Started>>> = {
  async admission(log) {
    const { serving, authority, issue, setNotReady } = await startServed(log)
    return { serving, ca: authority, issue, setNotReady }
  },
  mesh: (log) =>
    serveApp((isClosing) => {
      const metrics = createMetrics('0.0.0')
      return { metrics, app: serveMesh({ log, isClosing, metrics: createMeshMetrics(metrics) }).app }
    }, true),
  'api-management': (log) =>
    serveApp((isClosing) => {
      const { app, metrics } = serveManagement({ log, isClosing })
      return { app: app.handler, metrics }
    }, false),
  async studio(log) {
    const folder = createFolder({ 'index.html': 'page', 'index.html.br': '', 'index.html.gz': '', 'assets/.keep': '' })
    const app = createStudioApp(readAssets(folder, 'index'), log)
    const serving = await serve(() => app, { host: HOST, port: 0, material: undefined })
    return { serving, ca: undefined, issue: () => Promise.reject(new Error('no TLS')), setNotReady() {} }
  },
}

const SERVERS = casesOf(import.meta.url).cases<readonly Server[]>('servers')
const WITH_BODY = SERVERS.flatMap((server) => (server.body ? [{ ...server, body: server.body }] : []))

/** Starts a server, which is stopped after the test, and a client of it. */
async function start({ name, headers: own }: Server) {
  const lines: Line[] = []
  const at = (level: string) => (fields: object) => void lines.push({ level, ...fields })
  const started = await STARTS[name]?.({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') })
  if (!started) throw new Error(`there is no server ${name}`)
  const { serving, ca } = started
  onTestFinished(() => serving.stop({ drain: 0, grace: 100, idle: 0 }))
  const address = { host: HOST, port: serving.port, servername: 'localhost', ...(ca === undefined ? {} : { ca }) }
  /** Begins a request. `response` resolves when it has been read. */
  const begun = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const options = { ...address, method, path, headers: { ...own, ...headers } }
    const request = ca === undefined ? plainRequest(options) : secureRequest(options)
    const response = new Promise<Got>((resolve, reject) => {
      request.on('error', reject).on('response', (message) => {
        let text = ''
        message.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        message.on('end', () => resolve({ status: message.statusCode, headers: message.headers, text }))
      })
    })
    return { request, response }
  }
  const send = (method: string, path: string, { body = '', type = 'application/json' }: Sent = {}) => {
    const { request, response } = begun(method, path, body === '' ? {} : { 'content-type': type })
    request.end(body)
    return response
  }
  const health = async (path: string) => {
    const response = await fetch(`http://${HOST}:${serving.healthPort}${path}`)
    return { status: response.status, text: await response.text() }
  }
  const secure = () => connect({ ...address }).on('error', () => {})
  /** What is sent back until the connection is closed, at its own port or at that for probes. */
  const raw = (bytes: string, port?: number) =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket =
        port !== undefined || ca === undefined ? connectPlain({ ...address, ...(port ? { port } : {}) }) : secure()
      socket.on('error', () => {}).setEncoding('utf8')
      socket.on('data', (chunk: string) => {
        text += chunk
      })
      socket.on('close', () => resolve(text)).write(bytes)
    })
  return { ...started, lines, begun, send, health, secure, raw }
}

type Got = {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

type Sent = { readonly body?: string; readonly type?: string }

/** What no client of HTTP sends, with the status that it gets. */
const BROKEN: readonly (readonly [bytes: string, status: number])[] = [
  ['nonsense\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(300_000)}\r\n\r\n`, 431],
  ['GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n', 400],
  ['GET /%E0%A4%A HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 400],
  ['GET /assets/%E0%A4%A HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 400],
]

function expectError({ status, headers, text }: Got, code: number, style: Server['style']): void {
  expect([status, headers['content-type']]).toEqual([
    code,
    style === 'Status' ? 'application/json' : 'application/problem+json',
  ])
  expect(JSON.parse(text)).toMatchObject(style === 'Status' ? { kind: 'Status', code } : { status: code })
}

describe.each(SERVERS)('$name', (server) => {
  const { wrong, style } = server

  it('responds in JSON to what cannot be read, with neither a stack nor a path, at each of its ports', async () => {
    const { raw, serving } = await start(server)
    for (const port of [undefined, ...(serving.healthPort === undefined ? [] : [serving.healthPort])])
      for (const [bytes, status] of BROKEN) {
        const [head = '', body = ''] = (await raw(bytes, port)).split('\r\n\r\n')
        const [, code] = /^HTTP\/1.1 (\d+) /.exec(head) ?? []
        // A path that cannot be decoded may be one that there is not, or that needs a user.
        expect([status, 403, 404].map(String), `${bytes.slice(0, 40)}: ${head}`).toContain(code)
        expect(JSON.parse(body)).toHaveProperty(body.includes('"kind":"Status"') ? 'message' : 'detail')
        expect(body).not.toMatch(/\\n +at |node_modules|<pre>/)
      }
  })

  it('refuses paths that it does not have, and methods that a path does not have', async () => {
    const { send, lines } = await start(server)
    for (const path of ['/no/such', wrong.path.toUpperCase(), `${wrong.path}s`])
      expectError(await send('GET', path), 404, style)
    const response = await send(wrong.method, wrong.path)
    expectError(response, 405, style)
    expect(response.headers.allow).toBe(wrong.allow)
    if (server.body) expect(lines).toContainEqual(expect.objectContaining({ status: 404, path: '/no/such' }))
  })
})

it.each(SERVERS.filter(({ get }) => get !== undefined))(
  '$name responds to HEAD as to GET, without the body',
  async ({ get = '', ...server }) => {
    const { send } = await start(server)
    const [whole, head] = [await send('GET', get), await send('HEAD', get)]
    expect([whole.status, head.status, head.text]).toEqual([200, 200, ''])
    for (const name of ['content-type', 'content-length']) expect(head.headers[name]).toBe(whole.headers[name])
  },
)

describe.each(WITH_BODY)('$name', (server) => {
  const { style, wrong } = server
  const { method, path, limit, text, status, metric } = server.body

  it('says at its health port that it is alive, whether it is ready, and its metrics', async () => {
    const { health, send, setNotReady } = await start(server)
    await send('GET', '/no/such')
    expect(await health('/healthz')).toEqual({ status: 200, text: 'ok\n' })
    expect(await health('/readyz')).toEqual({ status: 200, text: 'ok\n' })
    const metrics = (await health('/metrics')).text
    expect(metrics).toContain('sluice_build_info')
    expect(metrics).toContain(metric)
    setNotReady('waiting')
    expect(await health('/readyz')).toEqual({ status: 503, text: 'waiting\n' })
    expect((await health('/other')).status).toBe(404)
  })

  it('takes bodies up to its limit, and a byte more gets a 413', async () => {
    const { send } = await start(server)
    expect((await send(method, path, { body: text.padEnd(limit) })).status).toBe(status)
    const response = await send(method, path, { body: text.padEnd(limit + 1) })
    expectError(response, 413, style)
    expect(response.headers.connection).toBe('close')
  })

  it('refuses other types of bodies', async () => {
    const { send } = await start(server)
    expectError(await send(method, path, { body: text, type: 'text/plain' }), 415, style)
  })

  it('cuts off a body that has no end, and a client that leaves half-way or speaks no HTTP/1.1', async () => {
    const { secure, begun, send } = await start(server)
    const endless = begun(method, path, JSON_TYPE)
    const ended = endless.response.then(
      (response) => response.status,
      () => 413,
    )
    const chunk = ' '.repeat(MIB)
    const more = () => void (endless.request.destroyed || endless.request.write(chunk, more))
    more()
    expect(await ended).toBe(413)
    endless.request.destroy()
    for (const leave of ['end', 'destroy'] as const) {
      const socket = secure()
      await new Promise((resolve) => socket.once('secureConnect', resolve))
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 500\r\n\r\n{`)
      socket[leave]()
    }
    for (const bytes of ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\u0000\u0001nonsense\r\n\r\n']) {
      const socket = secure().resume()
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.write(bytes)
      await closed
    }
    expect((await send(method, path, { body: text })).status).toBe(status)
  })

  it('closes connections without TLS', async () => {
    const { serving } = await start(server)
    const failed = new Promise((resolve) => {
      plainRequest({ host: HOST, port: serving.port }).on('error', resolve).end()
    })
    expect(await failed).toMatchObject({ code: 'ECONNRESET' })
  })

  it('shows a new certificate to new connections, and drops none that is in use', async () => {
    const { serving, issue, secure, send, begun } = await start(server)
    const serial = () =>
      new Promise((resolve) => {
        const socket = secure().on('secureConnect', () => {
          resolve(socket.getPeerCertificate().serialNumber)
          socket.end()
        })
      })
    const before = await serial()
    const underWay = begun(method, path, { ...JSON_TYPE, 'content-length': String(text.length) })
    await new Promise((resolve) => underWay.request.write(text.slice(0, 1), resolve))
    await send(wrong.method, wrong.path)
    serving.useCertificate(await issue())
    expect(await serial()).not.toBe(before)
    underWay.request.end(text.slice(1))
    expect((await underWay.response).status).toBe(status)
  })

  it('is not ready while it stops, ends what is under way, and then is gone', async () => {
    const { serving, begun, health, secure, send } = await start(server)
    const underWay = begun(method, path, { ...JSON_TYPE, 'content-length': String(text.length) })
    await new Promise((resolve) => underWay.request.write(text.slice(0, 1), resolve))
    await send(wrong.method, wrong.path)
    const stopped = serving.stop({ drain: 300, grace: 5_000, idle: 100 })
    expect(await health('/readyz')).toEqual({ status: 503, text: 'shutting down\n' })
    expect((await send(wrong.method, wrong.path)).status).toBe(405)
    underWay.request.end(text.slice(1))
    expect((await underWay.response).status).toBe(status)
    await stopped
    expect(await new Promise((resolve) => secure().on('error', resolve))).toMatchObject({ code: 'ECONNREFUSED' })
  })
})
