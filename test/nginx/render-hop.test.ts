/** A route can neither lift nor negate the limits of its Gateway, whatever its settings: asked of real programs. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { policy } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import type { Scene } from './rendered.ts'
import { rpc, running, web } from './running-gateway.ts'
import { describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

type Settings = { readonly dryRun?: boolean; readonly logLevel?: string; readonly rejectCode?: number }

/** Settings of a Gateway, and how a route may differ from them. */
const GATEWAYS = cases<{ named: string; settings: Settings; other: Settings }[]>('GATEWAYS')

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

/** A Gateway with a route for each variant, once for HTTP and once for gRPC. */
function sceneOf(settings: Settings, variants: readonly Variant[]): Scene {
  const edge = policy('edge', { on: ['Gateway shop'], settings: settings as JsonObject, limits: [byHeader('outer')] })
  const own = variants.map(({ name, settings: mine }) =>
    policy(name, {
      on: [`HTTPRoute ${name}`, `GRPCRoute ${name}`],
      settings: mine as JsonObject,
      limits: [byHeader('inner')],
    }),
  )
  return { routes: variants.flatMap(({ name }) => [web(name), rpc(name)]), policies: [edge, ...own] }
}

const DEFAULTS = { dryRun: false, logLevel: 'error', rejectCode: 503 }

describeNginx('a route that differs from its Gateway', (program) => {
  describe.each(GATEWAYS)('behind $named', ({ settings, other }) => {
    const variants = variantsOf(other)
    const now = running(program, sceneOf(settings, variants))
    const ask = {
      HTTP: (name: string, header: string) => now().get(`/${name}`, { [`x-${header}`]: `${name}-http` }),
      gRPC: (name: string, header: string) => now().call(name, { [`x-${header}`]: `${name}-grpc` }),
    }

    describe.each(['HTTP', 'gRPC'] as const)('over %s', (protocol) =>
      test.each(variants)('$name: each limit rejects in its own way', async ({ name, settings: mine }) => {
        for (const [side, inForce] of [
          ['outer', { ...DEFAULTS, ...settings }],
          ['inner', { ...DEFAULTS, ...settings, ...mine }],
        ] as const) {
          const before = now().nginx.log().length
          const seen = [await ask[protocol](name, side), await ask[protocol](name, side)]
          const zone = side === 'outer' ? 'shop_rl_edge_rule0' : `shop_rl_${name}_rule0`
          expect(seen.map(({ code }) => code)).toEqual(codes(inForce))
          expect(now().records(before)).toEqual([expect.stringContaining(record(inForce, zone))])
        }
      }),
    )
  })
})

/** Of two requests at once the second is one too many, which a dry run only writes down. */
const codes = ({ dryRun, rejectCode }: typeof DEFAULTS) => [200, dryRun ? 200 : rejectCode]

const record = ({ dryRun, logLevel }: typeof DEFAULTS, zone: string) =>
  `[${logLevel}] limiting requests${dryRun ? ', dry run' : ''}, excess: N by zone "${zone}", client: 127.0.0.1`
