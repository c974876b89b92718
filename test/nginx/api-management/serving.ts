/** API proxies on a real nginx, with an HTTP and a gRPC backend behind it, as long as the tests around it. */
import { mkdtempSync } from 'node:fs'
import { request as requestTls } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { PublishedEnvironment, Site } from '../../../src/api-management/render/published.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import { freePort } from '../../free-ports.ts'
import { type Backend, createGrpcClient, type GrpcClient, startGrpcBackend, startHttpBackend } from '../backends.ts'
import type { NginxProgram } from '../real-nginx.ts'
import { type RunningGateway, runRendered } from '../rendered.ts'
import { type Answer, ask } from '../requests.ts'
import { shared } from '../with-nginx.ts'

/** What is to be served. */
export type Served = {
  /** Bodies by id. */
  readonly proxies: Readonly<Record<string, JsonObject>>
  readonly environments?: readonly PublishedEnvironment[]
  readonly site?: Partial<Site>
}

/** Makes what is to be served; `web` and `orders` are the backends, and `folder` becomes nginx's prefix. */
type Scene = (around: {
  readonly web: JsonObject
  readonly orders: JsonObject
  readonly folder: string
}) => Served | Promise<Served>

export type Asked = {
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The address that the request comes from. */
  readonly from?: string
  readonly method?: string
  /** A socket instead of the port. */
  readonly socketPath?: string
  /** A client certificate; with it, or with `{}`, the request is made with TLS. */
  readonly tls?: { readonly cert?: string; readonly key?: string }
}

/** A path, the codes of as many requests for it, and how it is asked for. */
type Step = readonly [path: string, codes: readonly number[], asked?: Asked]

export type Serving = {
  readonly nginx: RunningGateway
  readonly folder: string
  readonly port: number
  readonly web: Backend
  readonly orders: Backend
  readonly grpc: GrpcClient
  ask(path: string, asked?: Asked): Promise<Answer>
  /** The codes of requests, one after the other. */
  codes(count: number, path: string, asked?: Asked): Promise<readonly number[]>
  /** Expects the codes of requests, place by place. */
  walk(steps: readonly Step[]): Promise<void>
  /** What became of so many requests with a correlation id, as nginx logs it: after it has answered. */
  outcomes(id: string, count: number): Promise<readonly (string | undefined)[]>
}

/** A backend with one target. */
export const backendAt = (address: string, more: JsonObject = {}, label?: string): JsonObject => {
  const [hostname = '', port = ''] = address.split(':')
  return {
    serviceName: 'menu',
    ...(label === undefined ? {} : { label: { targetName: label } }),
    serviceTargets: [{ hostname, listener: { port: Number(port), ...more } }],
  }
}

/** A rate limit policy of one proxy. */
export const limiting = (limits: readonly JsonObject[], action: JsonObject = {}): JsonObject => ({
  systemMetadata: { appliedOn: 'inbound', context: 'proxy' },
  action: { limits, ...action },
})

/** Rates are per second, and a busy machine may need one for two requests: here they are per minute. */
const slowed = (text: string): string => text.replace(/ rate=1r\/s;/g, ' rate=1r/m;')

/** A scene in which `$web` and `$orders` stand for the backends, and `$folder` for the folder of nginx. */
export const sceneOf =
  (served: Served): Scene =>
  ({ web, orders, folder }) =>
    JSON.parse(JSON.stringify(served), (_, value) => {
      if (value === '$orders') return orders
      const [, label] = /^\$web(?: labelled (\w+))?$/.exec(value) ?? []
      if (/^\$web(?: |$)/.test(value)) return { ...web, ...(label ? { label: { targetName: label } } : {}) }
      return typeof value === 'string' ? value.replace('$folder', folder) : value
    })

/** Serves a scene for all tests of a group. */
export const serving = (program: NginxProgram, scene: Scene, change: (text: string) => string = slowed) =>
  shared(
    () => serve(program, scene, change),
    async ({ grpc, nginx, web, orders }) => {
      grpc.close()
      for (const one of [nginx, web, orders]) await one.stop()
    },
  )

async function serve(program: NginxProgram, scene: Scene, change: (text: string) => string): Promise<Serving> {
  const [web, orders] = [await startHttpBackend(), await startGrpcBackend()]
  const [port, grpcPort] = [await freePort(), await freePort()]
  const folder = mkdtempSync(join(tmpdir(), 'sluice-apim-'))
  const {
    proxies,
    environments = [],
    site = {},
  } = await scene({
    web: backendAt(web.address),
    orders: backendAt(orders.address, { transportProtocol: 'GRPC' }),
    folder,
  })
  const published = Object.entries(proxies).map(([id, body]) => ({
    ...{ id, workspace: 'shop', environment: 'prod', revision: 1 },
    body,
  }))
  const at: Site = { nginxVersion: program.version, address: '127.0.0.1', port, grpcPort, ...site }
  const files = renderProxies({ proxies: published, environments }, at)
  const changed = files.map((file) => ({ ...file, text: change(file.text) }))
  const nginx = await runRendered(program, { files: changed }, { folder, port })
  const askHere = (path: string, asked: Asked = {}) => askAt({ port, ...asked }, path)
  const codes: Serving['codes'] = async (count, path, asked) => {
    const seen: number[] = []
    for (let index = 0; index < count; index += 1) seen.push((await askHere(path, asked)).code)
    return seen
  }
  return {
    ...{ nginx, folder, port, web, orders, codes, ask: askHere },
    grpc: createGrpcClient(grpcPort),
    async walk(steps) {
      for (const [path, expected, asked] of steps)
        expect({ path, asked, codes: await codes(expected.length, path, asked) }).toEqual({
          path,
          asked,
          codes: expected,
        })
    },
    async outcomes(id, count) {
      const lines = () => nginx.requests().filter((line) => line.endsWith(` "${id}"`))
      await expect.poll(() => lines().length).toBe(count)
      return lines().map((line) => / (\S+) "[^"]*"$/.exec(line)?.[1])
    },
  }
}

/** One request with a connection of its own. */
export function askAt(
  { port, host, headers = {}, from, method = 'GET', socketPath, tls }: Asked & { port: number },
  path: string,
): Promise<Answer> {
  const place = socketPath === undefined ? { port, localAddress: from } : { socketPath }
  const options = { ...place, path, method, headers: { ...(host ? { host } : {}), ...headers } }
  return tls ? ask({ ...options, ...tls, rejectUnauthorized: false }, requestTls) : ask(options)
}
