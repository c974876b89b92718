/** Which objects are ours to read: kinds alone do not say, as other products use the same words. */

import { isObject, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { nearest } from '../../text/nearest.ts'
import { ROUTE_KINDS, type RouteKind } from './policy.ts'

/** What an object is to us. */
export type Recognised =
  | { readonly type: 'policy' }
  /** A RateLimitPolicy of a version of our group that nobody here knows. */
  | { readonly type: 'unknown-version' }
  | { readonly type: 'gateway' }
  | { readonly type: 'route'; readonly kind: RouteKind }
  /** Defines variables for keys. */
  | { readonly type: 'snippets' }
  | { readonly type: 'namespace' }
  /** NginxProxy: settings of a Gateway's proxies. */
  | { readonly type: 'proxy' }
  | { readonly type: 'gateway-class' }
  /** Nobody here judges it. */
  | { readonly type: 'foreign' }

const FOREIGN = { type: 'foreign' } as const

/** The parts of an `apiVersion`: `group/version`, or the version alone for the core group. */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Says what an object is by its `apiVersion` and `kind`. */
export function recognise(object: JsonObject, names: ApiNames): Recognised {
  const { kind, apiVersion } = object
  if (typeof kind !== 'string') return FOREIGN
  if (kind === 'RateLimitPolicy') return recognisePolicy(object, names)
  if (typeof apiVersion !== 'string') return FOREIGN
  const { group } = splitApiVersion(apiVersion)
  if (group === names.gatewayGroup) return GATEWAY_KINDS.get(kind) ?? FOREIGN
  if (group === names.policyGroup) return POLICY_KINDS.get(kind) ?? FOREIGN
  return group === '' && kind === 'Namespace' ? { type: 'namespace' } : FOREIGN
}

/** The kinds of the Gateway API that matter here. */
const GATEWAY_KINDS: ReadonlyMap<string, Recognised> = new Map<string, Recognised>([
  ['Gateway', { type: 'gateway' }],
  ['GatewayClass', { type: 'gateway-class' }],
  ...ROUTE_KINDS.map((kind): [string, Recognised] => [kind, { type: 'route', kind }]),
])

/** The kinds of the policy's own group that matter here. */
const POLICY_KINDS: ReadonlyMap<string, Recognised> = new Map<string, Recognised>([
  ['NginxProxy', { type: 'proxy' }],
  ['SnippetsFilter', { type: 'snippets' }],
  ['SnippetsPolicy', { type: 'snippets' }],
])

function recognisePolicy(object: JsonObject, names: ApiNames): Recognised {
  const { apiVersion } = object
  if (typeof apiVersion !== 'string') return looksLikeOurs(object) ? { type: 'policy' } : FOREIGN
  if (apiVersion === names.policyApiVersion || meantApiVersion(apiVersion, names) !== undefined)
    return { type: 'policy' }
  return splitApiVersion(apiVersion).group === names.policyGroup ? { type: 'unknown-version' } : FOREIGN
}

/** Without an apiVersion only the shape can tell: no other product has `spec.rateLimit` in a RateLimitPolicy. */
const looksLikeOurs = ({ spec }: JsonObject): boolean => isObject(spec) && isObject(spec.rateLimit)

/**
 * The apiVersion that a near miss certainly means: a group one or two letters off, another group of the
 * vendor's, or `v1` of the right group. Undefined for the right one, for unknown versions and for other products.
 */
export function meantApiVersion(apiVersion: string, names: ApiNames): string | undefined {
  if (apiVersion === names.policyApiVersion) return undefined
  const { group, version } = splitApiVersion(apiVersion)
  if (group === names.policyGroup) return version === 'v1' ? names.policyApiVersion : undefined
  if (apiVersion === names.policyGroup) return names.policyApiVersion
  const vendor = names.policyGroup.split('.')[1] ?? ''
  const isVendors = group.split('.').includes(vendor)
  return isVendors || nearest(group, [names.policyGroup]) !== undefined ? names.policyApiVersion : undefined
}
