/** A route can neither lift nor negate the limits of its Gateway, whatever its settings: asked of real programs. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { freePort } from '../free-ports.ts'
import { gateway, policy, route } from '../gateway/objects.ts'
import {
  type Backend,
  createGrpcClient,
  type GrpcClient,
  get,
  type Seen,
  startGrpcBackend,
  startHttpBackend,
} from './backends.ts'
import { type RunningGateway, renderScene, runRendered, type Scene } from './rendered.ts'
import { describeNginx } from './with-nginx.ts'

/** Settings of a Gateway, and how a route may differ from them. */
const GATEWAYS = [
  {
    named: 'an enforcing Gateway',
    settings: { rejectCode: 429, logLevel: 'warn' },
    other: { dryRun: true, logLevel: 'notice', rejectCode: 430 },
  },
  {
    named: 'a Gateway in dry run',
    settings: { dryRun: true, rejectCode: 429 },
    other: { dryRun: false, logLevel: 'info', rejectCode: 430 },
  },
  {
    named: 'a Gateway that sets nothing',
    settings: {},
    other: { dryRun: true, logLevel: 'notice', rejectCode: 430 },
  },
] as const

type Settings = { readonly dryRun?: boolean; readonly logLevel?: string; readonly rejectCode?: number }

const NAMES = ['dryRun', 'logLevel', 'rejectCode'] as const

/** Every subset of the settings in which a route may differ. */
const SUBSETS = Array.from({ length: 8 }, (_, bits) => NAMES.filter((_name, index) => bits & (1 << index)))

const pick = (settings: Settings, names: readonly (keyof Settings)[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])))

/** Limits that hold only for requests with a header, so that each request asks one of them. */
const byHeader = (name: string): JsonObject => ({ key: `$http_x_${name}`, rate: '1r/m', zoneSize: '32k' })

type Variant = { readonly name: string; readonly settings: Settings }

const variantsOf = (other: Settings): readonly Variant[] =>
  SUBSETS.map((names) => ({
    name: names.length === 0 ? 'same' : names.join('-').toLowerCase(),
    settings: pick(other, names),
  }))

/** A Gateway with a route for each variant, once for HTTP and once for gRPC by its authority. */
function sceneOf(settings: Settings, variants: readonly Variant[]): Scene {
  const routes = variants.flatMap(({ name }) => [
    route(name, {
      parentRefs: [{ name: 'shop', sectionName: 'http' }],
      rules: [{ matches: [{ path: { value: `/${name}` } }], backendRefs: [{ name: 'web', port: 80 }] }],
    }),
    route(
      name,
      {
        parentRefs: [{ name: 'shop', sectionName: 'grpc' }],
        rules: [
          {
            matches: [{ headers: [{ name: 'variant', value: name }] }],
            backendRefs: [{ name: 'orders', port: 9000 }],
          },
        ],
      },
      'GRPCRoute',
    ),
  ])
  const edge = policy('edge', { on: ['Gateway shop'], settings: settings as JsonObject, limits: [byHeader('outer')] })
  const own = variants.map(({ name, settings: mine }) =>
    policy(name, {
      on: [`HTTPRoute ${name}`, `GRPCRoute ${name}`],
      settings: mine as JsonObject,
      limits: [byHeader('inner')],
    }),
  )
  return {
    gateway: gateway('shop', [
      { name: 'http', port: 80, protocol: 'HTTP' },
      { name: 'grpc', port: 81, protocol: 'HTTP', hostname: 'orders.beans.example' },
    ]),
    routes,
    policies: [edge, ...own],
  }
}

const DEFAULTS = { dryRun: false, logLevel: 'error', rejectCode: 503 }

describeNginx('a route that differs from its Gateway', (program) => {
  describe.each(GATEWAYS)('behind $named', ({ settings, other }) => {
    const variants = variantsOf(other)
    let backends: readonly Backend[] = []
    let nginx: RunningGateway
    let client: GrpcClient
    let port = 0

    beforeAll(async () => {
      const [web, orders] = await Promise.all([startHttpBackend(), startGrpcBackend()])
      backends = [web, orders]
      const [http, grpc] = [await freePort(), await freePort()]
      port = http
      const folder = mkdtempSync(join(tmpdir(), 'sluice-hop-'))
      const rendered = renderScene(sceneOf(settings, variants), {
        nginxVersion: program.version,
        ports: new Map([
          [80, http],
          [81, grpc],
        ]),
        addresses: new Map([
          ['web', web.address],
          ['orders', orders.address],
        ]),
        socketDir: folder,
      })
      expect(rendered.problems).toEqual([])
      nginx = await runRendered(program, rendered, { folder, port: grpc })
      client = createGrpcClient(grpc)
    })
    afterAll(async () => {
      client?.close()
      await nginx?.stop()
      for (const backend of backends) await backend.stop()
    })

    const ask = {
      HTTP: (name: string, header: string): Promise<Seen> => get(port, `/${name}`, { [`x-${header}`]: `${name}-http` }),
      gRPC: (name: string, header: string): Promise<Seen> =>
        client.call({ variant: name, [`x-${header}`]: `${name}-grpc` }),
    }

    describe.each(['HTTP', 'gRPC'] as const)('over %s', (protocol) => {
      test.each(variants)('$name: each limit rejects in its own way', async ({ name, settings: mine }) => {
        for (const [side, inForce] of [
          ['outer', { ...DEFAULTS, ...settings }],
          ['inner', { ...DEFAULTS, ...settings, ...mine }],
        ] as const) {
          const before = nginx.log().length
          const seen = [await ask[protocol](name, side), await ask[protocol](name, side)]
          const zone = side === 'outer' ? 'shop_rl_edge_rule0' : `shop_rl_${name}_rule0`
          expect(seen.map(({ code }) => code)).toEqual(codes(inForce))
          expect(recordsIn(nginx.log().slice(before))).toEqual([record(inForce, zone)])
        }
      })
    })
  })
})

/** Of two requests at once the second is one too many, which a dry run only writes down. */
const codes = ({ dryRun, rejectCode }: typeof DEFAULTS) => [200, dryRun ? 200 : rejectCode]

const record = ({ dryRun, logLevel }: typeof DEFAULTS, zone: string) =>
  `[${logLevel}] limiting requests${dryRun ? ', dry run' : ''}, excess: N by zone "${zone}", client: 127.0.0.1`

const recordsIn = (log: string): readonly string[] =>
  [...log.matchAll(/(\[\w+\])[^\n]*?(limiting requests[^"]*"[^"]*", client: [^,]*)/g)].map(
    ([, level, text]) => `${level} ${text?.replace(/[01]\.\d+/, 'N')}`,
  )
