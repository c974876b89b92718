/** Which texts and objects are bodies with rate limit policies. They name no kind; other products have policies, too. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import type { Shape } from '../world/system.ts'

/** How texts with such bodies are found. */
export const SHAPE: Shape = {
  mentions: /\brate-limit["']?\s*:/,
  isMeant: (text) => SIGNS.every((sign) => sign.test(text)) && !OTHERS.test(text),
}

/** What is in every body that certainly is one: its policies, and a word that other products do not use beside them. */
const SIGNS = [
  /\bpolicies["']?\s*:/,
  /\brate-limit["']?\s*:/,
  /\b(?:zoneSize|systemMetadata|appliedOn|grpcStatusCode|proxyConfig)["']?\s*:/,
]

const OTHERS = /\b(?:kind|apiVersion)["']?\s*:/

/** True for a body, by its rate limit policies. */
export function isProxyBody({ policies, proxyConfig }: JsonObject): boolean {
  if (isObject(proxyConfig) && rateLimitOf(proxyConfig.policies) !== undefined) return true
  const own = rateLimitOf(policies)
  return own !== undefined && looksLikeOurs(own)
}

const rateLimitOf = (policies: Json | undefined): Json | undefined =>
  isObject(policies) && Object.hasOwn(policies, 'rate-limit') ? policies['rate-limit'] : undefined

/**
 * False for a policy of another product, which may well be called `rate-limit`: where there is something in it, but no
 * field that a policy of ours has. Without `proxyConfig` beside it nothing else tells them apart.
 */
function looksLikeOurs(rateLimit: Json): boolean {
  const entries: readonly Json[] = Array.isArray(rateLimit) ? rateLimit : [rateLimit]
  return Array.isArray(rateLimit) && entries.length === 0 ? true : entries.some(isOurEntry)
}

function isOurEntry(entry: Json): boolean {
  if (!isObject(entry)) return false
  const names = Object.keys(entry)
  if (names.length === 0 || names.some((name) => ENTRY_FIELDS.has(name))) return true
  const { action } = entry
  return (
    isObject(action) &&
    (Object.keys(action).length === 0 || Object.keys(action).some((name) => ACTION_FIELDS.has(name)))
  )
}

const ACTION_FIELDS: ReadonlySet<string> = new Set(['limits', 'returnCode', 'grpcStatusCode', 'throttle'])
const ENTRY_FIELDS: ReadonlySet<string> = new Set(['systemMetadata', 'grpcStatusCode', 'rateLimitBy', 'zoneSize'])
