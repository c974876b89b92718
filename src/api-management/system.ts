/**
 * The system of the API management rate limit policy: bodies of API proxies in files, and which texts and objects are such
 * bodies. They name no kind; other products have policies, too.
 */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import type { Kind, Shape, System } from '../world/system.ts'
import { ACTION, type BODY, type CONFIG, type LIMIT, type METADATA, type POLICIES, type RATE_LIMIT } from './fields.ts'
import { readProxy } from './proxy.ts'
import { fieldsAt } from './shape.ts'

/** A name that is declared somewhere on the way to a limit: no sign is a field that there is not. */
type DeclaredName =
  | keyof typeof BODY
  | keyof typeof CONFIG
  | keyof typeof POLICIES
  | keyof typeof RATE_LIMIT
  | keyof typeof METADATA
  | keyof typeof ACTION
  | keyof typeof LIMIT

/** How texts with such bodies are found. */
const SHAPE: Shape = {
  mentions: /\brate-limit["']?\s*:/,
  isMeant: (text) => SIGNS.every((sign) => sign.test(text)) && !OTHERS.test(text),
}

/** True for a text that has one of some keys. */
const hasKey = (...names: readonly DeclaredName[]): RegExp => new RegExp(`\\b(?:${names.join('|')})["']?\\s*:`)

/** What is in every body that certainly is one: its policies, and a word that other products do not use beside them. */
const SIGNS = [
  hasKey('policies'),
  hasKey('rate-limit'),
  hasKey('zoneSize', 'systemMetadata', 'appliedOn', 'grpcStatusCode', 'proxyConfig'),
]

const OTHERS = /\b(?:kind|apiVersion)["']?\s*:/

/** True for a body, by its rate limit policies. */
function isProxyBody({ policies, proxyConfig }: JsonObject): boolean {
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
  return entries.length === 0 || entries.some(isOurEntry)
}

function isOurEntry(entry: Json): boolean {
  if (!isObject(entry)) return false
  if (isEmpty(entry) || SIGNS_OF_ENTRY.some((sign) => Object.hasOwn(entry, sign))) return true
  const { action } = entry
  return isObject(action) && (isEmpty(action) || Object.keys(action).some((name) => Object.hasOwn(ACTION, name)))
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0

/** Fields of an entry or of what is in it that no other product has there. */
const SIGNS_OF_ENTRY: readonly DeclaredName[] = ['systemMetadata', 'grpcStatusCode', 'rateLimitBy', 'zoneSize']

const PROXY: Kind = {
  kind: 'Proxy',
  group: '',
  shape: SHAPE,
  subjects: ['Proxy'],
  judgedAs: (object) => (isProxyBody(object) ? 'Proxy' : undefined),
  read: readProxy,
  fieldsAt,
}

/** Registers the system. No API server has its objects, and no body refers to another one. */
export const API_MANAGEMENT_SYSTEM: System = {
  name: 'api-management',
  kinds: () => [PROXY],
  lookups: {},
}
