/** `sluice serve api-management` as a process of its own, with a real nginx, for tests in the browser. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { freePort, freePorts } from '../free-ports.ts'
import { type Serving, serve } from '../serving.ts'

export const PASSWORD = 'correct horse battery'

/** A management API that can be ended and started again on its port, with what it has stored. */
export type ManagementServer = {
  /** Ends with a slash. */
  readonly url: string
  readonly nginxPort: number
  /** The port of a backend that answers every request with `coffee`. */
  readonly backendPort: number
  /** Calls the API as its administrator. */
  call(method: string, path: string, body?: object): Promise<Response>
  /** What it has printed. */
  said(): string
  start(): Promise<void>
  end(): Promise<void>
}

type Options = {
  /** True: nobody has a password, so that the server prints one; there is no workspace. */
  readonly isFirst?: boolean
  /** False: the server runs no nginx. */
  readonly hasNginx?: boolean
  /** True: with the certificate that the server makes for itself. */
  readonly isEncrypted?: boolean
  readonly flags?: readonly string[]
}

/** Has one for the tests of the file, with the workspace `shop` and in it the proxy `orders`, for all requests to `/orders`. */
export function useManagement(options: Options = {}): ManagementServer {
  let server: Awaited<ReturnType<typeof startManagement>>
  beforeAll(async () => {
    server = await startManagement(options)
  })
  afterAll(() => server?.stop())
  return {
    get url() {
      return server.url
    },
    get nginxPort() {
      return server.nginxPort
    },
    get backendPort() {
      return server.backendPort
    },
    call: (...words) => server.call(...words),
    said: () => server.said(),
    start: () => server.start(),
    end: () => server.end(),
  }
}

/** Another one, of the test. */
export async function otherManagement(options: Options): Promise<ManagementServer> {
  const server = await startManagement(options)
  onTestFinished(server.stop)
  return server
}

async function startManagement(options: Options) {
  const { isFirst = false, hasNginx = true, isEncrypted = false, flags: more = [] } = options
  const folder = mkdtempSync(join(tmpdir(), 'sluice-management-'))
  const [port = 0, nginxPort = 0] = await freePorts(2)
  const backend = createServer((_request, response) => response.end('coffee')).listen(await freePort(), '127.0.0.1')
  await once(backend, 'listening')
  const { port: backendPort } = backend.address() as AddressInfo
  writeFileSync(join(folder, 'password'), PASSWORD, { mode: 0o600 })
  const flags = [
    ...more,
    ...['--port', String(port), '--health-port', '0'],
    ...(isFirst ? [] : ['--admin-password-file', 'password']),
    ...(isEncrypted ? [] : ['--plain-http']),
    ...(hasNginx ? ['--nginx-dir', 'nginx', '--stop-nginx', '--nginx-port', String(nginxPort)] : []),
  ]
  let server: Serving | undefined
  const start = async () => {
    server = await serve('api-management', flags, { cwd: folder })
  }
  const end = async () => {
    await server?.stop()
  }
  await start()
  const url = `${isEncrypted ? 'https' : 'http'}://127.0.0.1:${port}/`
  const authorization = `Basic ${btoa(`admin:${PASSWORD}`)}`
  const call = (method: string, path: string, body?: object) =>
    fetch(url.slice(0, -1) + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  if (!isEncrypted && !isFirst) {
    await call('POST', '/services/workspaces', { name: 'shop' })
    await call('POST', '/services/workspaces/shop/proxies', proxy('orders', backendPort))
  }
  return {
    ...{ url, nginxPort, backendPort, call, start, end },
    said: () => server?.log.join('') ?? '',
    async stop() {
      await end()
      backend.closeAllConnections()
      backend.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A proxy for all requests to a path. */
export const proxy = (name: string, backendPort: number, basePath = `/${name}`) => ({
  name,
  proxyConfig: {
    ingress: { basePath, basePathVersionAppendRule: 'NONE' },
    backends: [{ serviceName: name, serviceTargets: [{ hostname: '127.0.0.1', listener: { port: backendPort } }] }],
  },
})

type Stored = {
  readonly proxyConfig: {
    readonly policies?: Record<string, { readonly action: { readonly limits: readonly object[] } }[]>
  }
}

/** The policies of a proxy of the workspace `shop`, as they are stored. */
export async function storedPolicies(server: ManagementServer, name: string) {
  const response = await server.call('GET', `/services/workspaces/shop/proxies/${name}`)
  return ((await response.json()) as Stored).proxyConfig.policies ?? {}
}

/** The limits of its first rate limit. */
export const limits = async (server: ManagementServer, name: string) =>
  (await storedPolicies(server, name))['rate-limit']?.[0]?.action.limits
