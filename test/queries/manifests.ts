/** Manifests for tests of queries, and the worlds that they form. */

import type { JsonObject } from '../../src/json/member.ts'
import type { Source } from '../../src/project/source.ts'
import { type EffectiveQueryOptions, type EffectiveResult, queryEffective } from '../../src/queries/effective.ts'
import { type QueryWorld, queryWorlds } from '../../src/queries/query-world.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'

type Metadata = JsonObject & { readonly name: string }

const object = (apiVersion: string, kind: string, metadata: Metadata, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { namespace: 'shop', ...metadata },
  spec,
})

const GATEWAY_API = 'gateway.networking.k8s.io'

/** A Gateway in namespace `shop` with a listener for HTTP. */
export const gateway = (name: string, listener: JsonObject = {}): JsonObject =>
  object(
    `${GATEWAY_API}/v1`,
    'Gateway',
    { name },
    { gatewayClassName: 'nginx', listeners: [{ name: 'http', port: 80, protocol: 'HTTP', ...listener }] },
  )

/** An HTTPRoute in namespace `shop` behind Gateway `edge`, unless `spec` differs. */
export const route = (name: string, spec: JsonObject = {}, kind = 'HTTPRoute'): JsonObject =>
  object(`${GATEWAY_API}/v1`, kind, { name }, { parentRefs: [{ name: 'edge' }], ...spec })

/** A policy on `HTTPRoute/coffee` and the like: `policy('coffee', ['HTTPRoute/coffee'], { rejectCode: 429 })`. */
export const policy = (
  name: string | Metadata,
  targets: readonly string[],
  settings: JsonObject = {},
  limits: readonly JsonObject[] = [{ key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' }],
): JsonObject =>
  object('gateway.nginx.org/v1alpha1', 'RateLimitPolicy', typeof name === 'string' ? { name } : name, {
    targetRefs: targets.map((target) => {
      const [kind = '', targetName = ''] = target.split('/')
      return { group: GATEWAY_API, kind, name: targetName }
    }),
    rateLimit: { ...settings, local: { rules: limits } },
  })

/** Objects as a source. */
export const source = (objects: readonly JsonObject[], more: Partial<Source> = {}): Source => ({
  file: 'all.yaml',
  text: objects.map((one) => `---\n${JSON.stringify(one)}\n`).join(''),
  ...more,
})

type Options = { readonly settings?: Partial<Settings>; readonly closedWorld?: boolean }

/** The worlds of some sources and objects; closed unless the options differ. */
export function worldsOf(
  what: readonly (Source | JsonObject)[],
  { settings, closedWorld = true }: Options = {},
): readonly QueryWorld[] {
  const isSource = (one: Source | JsonObject): one is Source => 'text' in one
  const texts = what.filter(isSource)
  const objects = what.filter((one): one is JsonObject => !isSource(one))
  const all = objects.length > 0 ? [...texts, source(objects)] : texts
  return queryWorlds(all, { settings: { ...DEFAULT_SETTINGS, ...settings }, closedWorld })
}

/** The result of a query, or its problem. */
export function query(
  text: string,
  what: readonly (Source | JsonObject)[],
  options: Options & Partial<Omit<EffectiveQueryOptions, 'settings'>> = {},
): EffectiveResult | string {
  const { settings, world, namespace } = options
  const outcome = queryEffective(text, worldsOf(what, options), {
    settings: { ...DEFAULT_SETTINGS, ...settings },
    world,
    namespace,
  })
  return outcome.ok ? outcome.value : outcome.problem
}

/** The result of a query that has one. */
export function effective(...parameters: Parameters<typeof query>): EffectiveResult {
  const result = query(...parameters)
  if (typeof result === 'string') throw new Error(result)
  return result
}
