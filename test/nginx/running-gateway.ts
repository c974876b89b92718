/** A rendered Gateway on a real nginx, with an HTTP and a gRPC backend behind it, as long as the tests around it. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { freePort } from '../free-ports.ts'
import { gateway, policy, route } from '../gateway/objects.ts'
import {
  type Backend,
  createGrpcClient,
  GRPC_METHOD,
  get,
  type Seen,
  startGrpcBackend,
  startHttpBackend,
} from './backends.ts'
import type { NginxProgram } from './real-nginx.ts'
import { type RunningGateway, renderScene, runRendered, type Scene } from './rendered.ts'
import { shared } from './with-nginx.ts'

const [SERVICE = '', METHOD = ''] = GRPC_METHOD.slice(1).split('/')

/** An HTTPRoute at a path of its own name, behind the listener for HTTP. */
export const web = (name: string, more: JsonObject = {}) =>
  route(name, {
    parentRefs: [{ name: 'shop', sectionName: 'http' }],
    rules: [{ matches: [{ path: { value: `/${name}` } }], backendRefs: [{ name: 'web', port: 80 }], ...more }],
  })

/** A GRPCRoute for calls with its name in a header, behind the listener for gRPC. */
export const rpc = (name: string) =>
  route(
    name,
    {
      parentRefs: [{ name: 'shop', sectionName: 'grpc' }],
      rules: [
        {
          matches: [{ method: { service: SERVICE, method: METHOD }, headers: [{ name: 'variant', value: name }] }],
          backendRefs: [{ name: 'orders', port: 9000 }],
        },
      ],
    },
    'GRPCRoute',
  )

/** A policy on the HTTPRoute and the GRPCRoute of its name. */
export const on = (name: string, limit: JsonObject, settings: JsonObject = {}) =>
  policy(name, { on: [`HTTPRoute ${name}`, `GRPCRoute ${name}`], limits: [{ zoneSize: '32k', ...limit }], settings })

export const edge = (limit: JsonObject, settings: JsonObject = {}) =>
  policy('edge', { on: ['Gateway shop'], limits: [{ zoneSize: '32k', ...limit }], settings })

const SHOP = gateway('shop', [
  { name: 'http', port: 80, protocol: 'HTTP' },
  { name: 'grpc', port: 81, protocol: 'HTTP' },
])

export type Running = {
  readonly nginx: RunningGateway
  readonly backends: { readonly web: Backend; readonly orders: Backend }
  readonly port: number
  /** That of a listener on 443, where the scene has one. */
  readonly tlsPort: number
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Seen>
  call(name: string, headers?: Readonly<Record<string, string>>): Promise<Seen & { readonly grpc: number }>
  /** The records about limits since a length of the log: `[level] limiting requests …`. */
  records(since?: number): readonly string[]
}

/** Runs a scene as long as the tests around. */
export function running(program: NginxProgram, scene: Scene, options: Partial<RenderOptions> = {}): () => Running {
  const make = async () => {
    const backends = { web: await startHttpBackend(), orders: await startGrpcBackend() }
    const [http, grpc, tls] = [await freePort(), await freePort(), await freePort()]
    const folder = mkdtempSync(join(tmpdir(), 'sluice-behaviour-'))
    const rendered = renderScene(
      { gateway: SHOP, ...scene },
      {
        nginxVersion: program.version,
        ports: new Map([
          [80, http],
          [81, grpc],
          [443, tls],
        ]),
        addresses: new Map([
          ['web', backends.web.address],
          ['orders', backends.orders.address],
        ]),
        socketDir: folder,
        ...options,
      },
    )
    const nginx = await runRendered(program, rendered, { folder, port: scene.gateway ? tls : http })
    const client = createGrpcClient(grpc)
    const value: Running = {
      nginx,
      backends,
      port: http,
      tlsPort: tls,
      get: (path, headers) => get(http, path, headers),
      call: (name, headers) => client.call({ variant: name, ...headers }),
      records: (since = 0) =>
        [
          ...nginx
            .log()
            .slice(since)
            .matchAll(/(\[\w+\])[^\n]*?((?:limiting|delaying) request[^\n]*)/g),
        ].map(([, level, text]) => `${level} ${text?.replace(/excess: \d+\.\d+/, 'excess: N')}`),
    }
    return { value, client }
  }
  const now = shared(make, async ({ value: { nginx, backends }, client }) => {
    client.close()
    for (const one of [nginx, backends.web, backends.orders]) await one.stop()
  })
  return () => now().value
}
