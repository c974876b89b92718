/**
 * The form in which bodies are stored: policies in `proxyConfig.policies`, and the defaults of the specification written out.
 * Source: specification of the API management rate limit policy, "Resources and their fields".
 */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { isSameValue } from '../json/same.ts'
import { DEFAULTS } from './proxy.ts'

/** A default that was filled in. */
export type FilledDefault = {
  /** JSON Pointer of the member in the stored form. */
  readonly pointer: string
  readonly value: string | number
}

/** A body as it is stored. */
export type StoredForm = { readonly body: JsonObject; readonly filled: readonly FilledDefault[] }

/** The version of a proxy that names none. */
const DEFAULT_VERSION = 'v1'

/** The stored form of a body that the rules accept; of any other body, something that can be stored, too. */
export function toStoredForm(sent: JsonObject): StoredForm {
  const { policies, ...others } = sent
  const config = isObject(sent.proxyConfig) ? sent.proxyConfig : {}
  const own = config.policies ?? policies
  const defaults = own === undefined ? undefined : withDefaults(own, '/proxyConfig/policies')
  const filled = [...(defaults?.filled ?? [])]
  if (sent.version === undefined) filled.unshift({ pointer: '/version', value: DEFAULT_VERSION })
  const proxyConfig = defaults ? { proxyConfig: { ...config, policies: defaults.policies } } : {}
  return { body: { ...others, version: sent.version ?? DEFAULT_VERSION, ...proxyConfig }, filled }
}

/** Policies with their defaults; `base` is the pointer of the policies. */
export function withDefaults(
  policies: Json,
  base: string,
): { readonly policies: Json; readonly filled: readonly FilledDefault[] } {
  const filled: FilledDefault[] = []
  const fill = (object: JsonObject, names: readonly (keyof typeof DEFAULTS)[], at: string): JsonObject => {
    const absent = names.filter((name) => object[name] === undefined)
    for (const name of absent) filled.push({ pointer: `${at}/${name}`, value: DEFAULTS[name] })
    return { ...object, ...Object.fromEntries(absent.map((name) => [name, DEFAULTS[name]])) }
  }
  const list = isObject(policies) ? policies['rate-limit'] : undefined
  if (!isObject(policies) || !Array.isArray(list)) return { policies, filled }
  const withLimits = (policy: Json, index: number): Json => {
    if (!isObject(policy) || !isObject(policy.action)) return policy
    const at = `${base}/rate-limit/${index}/action`
    const action = fill(policy.action, ['returnCode'], at)
    if (!Array.isArray(action.limits)) return { ...policy, action }
    const limits = action.limits.map((limit: Json, position) =>
      isObject(limit) ? fill(limit, ['rate', 'rateLimitBy', 'zoneSize'], `${at}/limits/${position}`) : limit,
    )
    return { ...policy, action: { ...action, limits } }
  }
  return { policies: { ...policies, 'rate-limit': list.map(withLimits) }, filled }
}

/** True for a body that has policies and nothing else: it adds them to a proxy. */
export function isPoliciesAlone(body: JsonObject): boolean {
  const names = Object.keys(body)
  if (names.length !== 1) return false
  if (names[0] === 'policies') return true
  const { proxyConfig } = body
  return names[0] === 'proxyConfig' && isObject(proxyConfig) && Object.keys(proxyConfig).join() === 'policies'
}

/**
 * A stored body with the policies of another one. Entries of lists are appended, but for those that are there already, so that
 * a repeated request adds nothing; a value that is no list replaces the one of its name.
 */
export function withPolicies(stored: JsonObject, added: JsonObject): JsonObject {
  const config = isObject(stored.proxyConfig) ? stored.proxyConfig : {}
  const before = isObject(config.policies) ? config.policies : {}
  const merged = Object.entries(added).map(([name, value]): readonly [string, Json | undefined] => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    if (!Array.isArray(known) || !Array.isArray(value)) return [name, value]
    const isNew = (entry: Json) => !known.some((other: Json) => isSameValue(entry, other))
    return [name, [...known, ...value.filter(isNew)]]
  })
  const policies = Object.fromEntries([...Object.entries(before), ...merged])
  return { ...stored, proxyConfig: { ...config, policies } }
}
