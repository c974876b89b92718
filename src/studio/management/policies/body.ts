/** The policies in the body of a proxy or of an environment: read, and replaced without touching the rest. */
import { isObject, type Json, type JsonObject } from '../../../json/member.ts'

const RATE_LIMIT = 'rate-limit'
const CORRELATION = 'request-correlation-id'

/** The policies of a proxy, in their stored place. */
export function policiesOf({ proxyConfig }: JsonObject): JsonObject {
  const policies = isObject(proxyConfig) ? proxyConfig.policies : undefined
  return isObject(policies) ? policies : {}
}

/** A proxy with other policies. */
export const withPolicies = (body: JsonObject, policies: JsonObject): JsonObject => ({
  ...body,
  proxyConfig: { ...(isObject(body.proxyConfig) ? body.proxyConfig : {}), policies },
})

const listIn = (policies: JsonObject, name: string): readonly Json[] => {
  const list = policies[name]
  return Array.isArray(list) ? list : []
}

/** The rate limit policies. */
export const rateLimitsIn = (policies: JsonObject): readonly JsonObject[] =>
  listIn(policies, RATE_LIMIT).map((one) => (isObject(one) ? one : {}))

/** Replaces the rate limit policy at a position, or appends it. */
export const withRateLimit = (policies: JsonObject, index: number, policy: JsonObject): JsonObject => {
  const before = listIn(policies, RATE_LIMIT)
  return { ...policies, [RATE_LIMIT]: [...before.slice(0, index), policy, ...before.slice(index + 1)] }
}

/** Removes the rate limit policy at a position. An empty list is left out. */
export function withoutRateLimit(policies: JsonObject, index: number): JsonObject {
  const { [RATE_LIMIT]: _, ...others } = policies
  const list = listIn(policies, RATE_LIMIT).filter((_policy, position) => position !== index)
  return list.length === 0 ? others : { ...policies, [RATE_LIMIT]: list }
}

/** The name of the correlation header; empty where the policies name none. */
export function correlationHeaderIn(policies: JsonObject): string {
  const [first] = listIn(policies, CORRELATION)
  const name = isObject(first) && isObject(first.action) ? first.action.httpHeaderName : undefined
  return typeof name === 'string' ? name : ''
}

/** Where the policies have the name of the correlation header: a JSON Pointer from them on. */
export const CORRELATION_HEADER_AT = `/${CORRELATION}/0/action/httpHeaderName`

/** Sets the name of the correlation header; an empty one removes it with its policy, where that has nothing else. */
export function withCorrelationHeader(policies: JsonObject, name: string): JsonObject {
  if (correlationHeaderIn(policies) === name) return policies
  const [first, ...others] = listIn(policies, CORRELATION)
  const { action, ...more } = isObject(first) ? first : {}
  const { httpHeaderName: _, ...rest } = isObject(action) ? action : {}
  const next: JsonObject =
    name === '' ? { ...more, action: rest } : { ...more, action: { ...rest, httpHeaderName: name } }
  const isEmpty = name === '' && Object.keys(rest).length === 0 && Object.keys(more).length === 0
  const list = isEmpty ? others : [next, ...others]
  const { [CORRELATION]: __, ...without } = policies
  return list.length === 0 ? without : { ...policies, [CORRELATION]: list }
}
