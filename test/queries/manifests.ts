/** Manifests for tests of answers, and the worlds that they make. */

import type { JsonObject } from '../../src/json/member.ts'
import type { Source } from '../../src/project/source.ts'
import { answerEffective, type EffectiveOptions } from '../../src/queries/effective.ts'
import type { EffectiveAnswer } from '../../src/queries/effective-result.ts'
import { type Sight, sightsOf } from '../../src/queries/query-world.ts'
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
    {
      gatewayClassName: 'nginx',
      listeners: [{ name: 'http', port: 80, protocol: 'HTTP', ...listener }],
    },
  )

/** An HTTPRoute in namespace `shop` behind Gateway `edge`, unless it says otherwise. */
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

/** Objects as a text. */
export const source = (objects: readonly JsonObject[], more: Partial<Source> = {}): Source => ({
  file: 'all.yaml',
  text: objects.map((one) => `---\n${JSON.stringify(one)}\n`).join(''),
  ...more,
})

type Options = { readonly settings?: Partial<Settings>; readonly closedWorld?: boolean }

/** The worlds of some texts, or of the objects of one; closed unless it says otherwise. */
export function sights(
  what: readonly (Source | JsonObject)[],
  { settings, closedWorld = true }: Options = {},
): readonly Sight[] {
  const isSource = (one: Source | JsonObject): one is Source => 'text' in one
  const texts = what.filter(isSource)
  const objects = what.filter((one): one is JsonObject => !isSource(one))
  const all = objects.length > 0 ? [...texts, source(objects)] : texts
  return sightsOf(all, { settings: { ...DEFAULT_SETTINGS, ...settings }, closedWorld })
}

/** The answer to a question, or the line that says why there is none. */
export function ask(
  question: string,
  what: readonly (Source | JsonObject)[],
  options: Options & Partial<Omit<EffectiveOptions, 'settings'>> = {},
): EffectiveAnswer | string {
  const { settings, world, namespace } = options
  const outcome = answerEffective(question, sights(what, options), {
    settings: { ...DEFAULT_SETTINGS, ...settings },
    world,
    namespace,
  })
  return outcome.ok ? outcome.value : outcome.problem
}

/** The answer to a question that has one. */
export function answered(...parameters: Parameters<typeof ask>): EffectiveAnswer {
  const answer = ask(...parameters)
  if (typeof answer === 'string') throw new Error(answer)
  return answer
}
