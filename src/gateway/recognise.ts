/** Which objects and texts are RateLimitPolicies of ours: also with a kind or a group that is misspelt, damaged or lost. */
import { isObject, type JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { nearest, nearestInAnyCase } from '../text/nearest.ts'
import { splitApiVersion } from '../world/kinds.ts'
import { RATE_LIMIT_POLICY } from './lookups/policies.ts'

/** A near miss of the kind in our group, or in a group that certainly means ours; or no kind, where the rest means one. */
export function isMisspelt(object: JsonObject, names: ApiNames): boolean {
  const { kind, apiVersion } = object
  if (typeof kind !== 'string' || kind === '') return meansKind(object, names)
  if (typeof apiVersion !== 'string') return false
  const isInOurGroup = splitApiVersion(apiVersion).group === names.policyGroup
  if (!isInOurGroup && meantApiVersion(apiVersion, names) === undefined) return false
  if (nearestInAnyCase(kind.trim(), [RATE_LIMIT_POLICY.kind]) !== undefined) return true
  return /rate.?limit/i.test(kind) && hasRateLimit(object)
}

/** An object without a kind that certainly is a policy: by its group and its limits, or by all that a policy has. */
function meansKind(object: JsonObject, names: ApiNames): boolean {
  const { apiVersion, spec, metadata } = object
  const isNamed = Object.values(object).includes(RATE_LIMIT_POLICY.kind)
  if (typeof apiVersion === 'string') return isOurGroup(apiVersion, names) && (isNamed || hasRateLimit(object))
  if (apiVersion !== undefined || !isObject(spec) || !isObject(spec.rateLimit)) return false
  return isNamed || (isObject(metadata) && Array.isArray(spec.targetRefs) && spec.rateLimit.type === undefined)
}

/** A RateLimitPolicy of another product is not judged: others use the same kind. */
export function judgedAs(object: JsonObject, names: ApiNames): 'RateLimitPolicy' | 'UnknownVersion' | undefined {
  const { apiVersion } = object
  if (typeof apiVersion !== 'string') return looksLikeOurs(object) ? 'RateLimitPolicy' : undefined
  if (apiVersion === names.policyApiVersion) return 'RateLimitPolicy'
  if (meantApiVersion(apiVersion, names) !== undefined)
    return isBareVersion(apiVersion) && !looksLikeOurs(object) ? undefined : 'RateLimitPolicy'
  return splitApiVersion(apiVersion).group === names.policyGroup ? 'UnknownVersion' : undefined
}

/** True for a version without a group, such as `v1alpha1`, and for none. */
const isBareVersion = (apiVersion: string): boolean => /^(?:v\d+(?:(?:alpha|beta)\d+)?)?$/.test(apiVersion)

/** Our group, or another one that certainly means it; not a version without a group. */
const isOurGroup = (apiVersion: string, names: ApiNames): boolean =>
  splitApiVersion(apiVersion).group === names.policyGroup ||
  (meantApiVersion(apiVersion, names) !== undefined &&
    !isBareVersion(apiVersion) &&
    splitApiVersion(apiVersion).group !== names.gatewayGroup)

const hasRateLimit = ({ spec }: JsonObject): boolean => isObject(spec) && isObject(spec.rateLimit)

/**
 * Without an apiVersion only the shape identifies it: no other product has `spec.rateLimit` or `spec.targetRefs` in a
 * RateLimitPolicy.
 */
const looksLikeOurs = (object: JsonObject): boolean =>
  hasRateLimit(object) || (isObject(object.spec) && Array.isArray(object.spec.targetRefs))

/**
 * The apiVersion that a near miss certainly means: a group one or two letters off, another group of the vendor's, the
 * Gateway API's own, `v1` of the right group, or a version without a group. Undefined for the right one, for unknown
 * versions and for other products.
 */
export function meantApiVersion(apiVersion: string, names: ApiNames): string | undefined {
  if (apiVersion === names.policyApiVersion) return undefined
  const { group, version } = splitApiVersion(apiVersion)
  if (group === names.policyGroup) return version === 'v1' ? names.policyApiVersion : undefined
  if (apiVersion === names.policyGroup || group === names.gatewayGroup || isBareVersion(apiVersion))
    return names.policyApiVersion
  const vendor = names.policyGroup.split('.')[1] ?? ''
  const isVendors = group.split('.').includes(vendor)
  return isVendors || nearest(group, [names.policyGroup]) !== undefined ? names.policyApiVersion : undefined
}

/** What a policy has that has lost its kind, its apiVersion or both: the group, the name of the kind, or limits. */
export const signsOf = ({ policyGroup }: ApiNames): RegExp =>
  new RegExp(String.raw`Limit(?<=[rR]ateLimit)(?:Policy|["']?\s*:)|/v\d(?<=${escaped(policyGroup)}/v\d)`)

const escaped = (group: string): string => group.replaceAll('.', String.raw`\.`)

/** A key as it should be, at the start of a line, and its value. */
const STATED_KIND = /^["']?kind["']?[ \t]*:[ \t]*["']?([\w./-]+)/gm
const STATED_VERSION = /^["']?apiVersion["']?[ \t]*:[ \t]*["']?([\w./-]+)/gm

/** The same after a mark or a space, in other letters, or without its colon. */
const DAMAGED_KIND = /^(?:[ \t]|[+|>*~-] ?)?["']?kind["']?[ \t]{0,8}[:=]?[ \t]{0,8}["']?(\w+)/im
const DAMAGED_GROUP = /^(?:[ \t]|[+|>*~-] ?)?["']?apiVersion["']?[ \t]{0,8}[:=]?[ \t]{0,8}["']?([\w.-]+)\//im

const KIND_IN_JSON = /"kind"\s*:\s*"RateLimitPolicy"/
const GROUP_IN_JSON = /"apiVersion"\s*:\s*"([^"/]*)\//g

const valuesOf = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(([, value]) => value ?? [])

const HAS_LIMITS = /^[ \t]+["']?rateLimit["']?[ \t]*:/m
const OF_POLICY = [
  HAS_LIMITS,
  /^[ \t]+["']?targetRefs["']?[ \t]*:/m,
  /\b(?:rate|zoneSize|rejectCode|dryRun|logLevel)["']?\s*:/,
]

/** True for a text that cannot be parsed and certainly means a policy, whatever happened to its kind or its apiVersion. */
export function isMeant(text: string, names: ApiNames): boolean {
  if (/^\s*\{/.test(text) && KIND_IN_JSON.test(text) && valuesOf(text, GROUP_IN_JSON).includes(names.policyGroup))
    return true
  const written = withoutIndentation(text)
  const stated = { kinds: valuesOf(written, STATED_KIND), apiVersions: valuesOf(written, STATED_VERSION) }
  if (isStated(written, stated, names)) return true
  const { kinds, apiVersions } = stated
  return (kinds.length === 0 || kinds.length < apiVersions.length) && hasLostKind(written, apiVersions, names)
}

type Stated = { readonly kinds: readonly string[]; readonly apiVersions: readonly string[] }

/** Several documents may have become one, and one of them may have lost its apiVersion. */
function isStated(text: string, { kinds, apiVersions }: Stated, names: ApiNames): boolean {
  const count = Math.max(kinds.length, text.match(/^spec:/gm)?.length ?? 0)
  const groups = apiVersions.length < count ? [...apiVersions, undefined] : apiVersions
  const spec = HAS_LIMITS.test(text) ? { rateLimit: {} } : {}
  return kinds.some((kind) =>
    groups.some((apiVersion) => {
      const object = { kind, spec, ...(apiVersion && { apiVersion }) }
      return kind === RATE_LIMIT_POLICY.kind ? judgedAs(object, names) !== undefined : isMisspelt(object, names)
    }),
  )
}

function hasLostKind(text: string, apiVersions: readonly string[], names: ApiNames): boolean {
  const meant = DAMAGED_KIND.exec(text)?.[1]
  const isPolicy = meant !== undefined && nearestInAnyCase(meant, [RATE_LIMIT_POLICY.kind]) !== undefined
  const mayBePolicy = isPolicy || meant === undefined || HAS_LIMITS.test(text)
  const withGroup = apiVersions.filter((apiVersion) => !isBareVersion(apiVersion))
  if (withGroup.length > 0) return mayBePolicy && withGroup.some((one) => isOurGroup(one, names))
  if (isPolicy) return true
  if (DAMAGED_GROUP.exec(text)?.[1] === names.policyGroup) return mayBePolicy
  return OF_POLICY.every((sign) => sign.test(text))
}

/** A text whose first line with content is not indented. */
function withoutIndentation(text: string): string {
  const indentation = /^(?: *(?:#.*)?\n)*( +)(?=[^\s#])/.exec(text)?.[1]
  return indentation === undefined
    ? text
    : text
        .split('\n')
        .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line))
        .join('\n')
}
