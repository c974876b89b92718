/** Documents to objects: Lists are unfolded, every object is read once, and the rest is passed over. */

import { ignoreAnnotation } from '../engine/suppression.ts'
import { type GatewayView, type RouteView, readGateway, readRoute } from '../gateway/objects/gateways-and-routes.ts'
import { type PolicyView, readPolicy } from '../gateway/objects/policy.ts'
import { type GatewayClassView, type ProxyView, readGatewayClass, readProxy } from '../gateway/objects/proxy.ts'
import { meantApiVersion, recognise } from '../gateway/objects/recognise.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { readDocuments, type TextDocument } from '../yaml/documents.ts'
import type { NamespaceHint, Source } from './source.ts'

/** Where an object was found. */
export type Origin = {
  readonly source: Source
  readonly document: TextDocument
  /** JSON Pointer of the object within its document: empty, or `/items/3` in a List. */
  readonly base: string
}

/** A policy and where it was found; `known` is false where its version is not one that we know. */
export type FoundPolicy = { readonly view: PolicyView; readonly origin: Origin; readonly known: boolean }

/** Everything of use that one world's texts hold. */
export type Harvest = {
  readonly policies: FoundPolicy[]
  /** Those of them whose author asks rules to be quiet. */
  readonly annotated: FoundPolicy[]
  readonly gateways: GatewayView[]
  readonly routes: RouteView[]
  readonly snippets: JsonObject[]
  readonly namespaces: JsonObject[]
  readonly proxies: ProxyView[]
  readonly gatewayClasses: GatewayClassView[]
  /** Documents with something wrong in their text. */
  readonly broken: Origin[]
  /** Objects of the kinds that this project knows, in texts that are judged. */
  documents: number
  /** True where some objects get another name before they reach the cluster or cannot be read: what seems absent may be one of them. */
  partial: boolean
}

export const emptyHarvest = (): Harvest => ({
  policies: [],
  annotated: [],
  gateways: [],
  routes: [],
  snippets: [],
  namespaces: [],
  proxies: [],
  gatewayClasses: [],
  broken: [],
  documents: 0,
  partial: false,
})

/** Kinds of which a text must name one to be worth reading. */
export const MENTIONS =
  /\bkind["']?\s*:\s*(?:[&!]\S*\s+)*["']?(?:RateLimitPolicy|Gateway|GatewayClass|HTTPRoute|GRPCRoute|SnippetsFilter|SnippetsPolicy|NginxProxy|Namespace)(?:List)?\b/

/** The group of a document that names one, where it begins its line. */
const OWN_GROUP = /^["']?apiVersion["']?\s*:\s*["']?([\w.-]+)\/?/m

/** A document whose own kind, not that of something within it, is one that is judged. */
const IS_JUDGED =
  /^\s*\{|^["']?kind["']?\s*:\s*(?:[&!]\S*\s+)*["']?(?:(?:RateLimitPolicy|Gateway|HTTPRoute|GRPCRoute)(?:List)?|List)\b/m

/** Reads a text and adds what it holds. */
export function harvest(source: Source, names: ApiNames, into: Harvest): void {
  if (source.problem) {
    const document = { start: 0, end: source.text.length, value: undefined, problems: [source.problem] }
    into.broken.push({ source, document, base: '' })
    into.partial = true
    return
  }
  for (const document of readDocuments(source.text, { mentions: MENTIONS })) {
    const origin = { source, document, base: '' }
    if (document.problems.length > 0 && isJudged(source.text.slice(document.start, document.end), names))
      into.broken.push(origin)
    collect(document.value, origin, names, into)
  }
}

/** Says whether a text that cannot be read would be one of ours. */
function isJudged(text: string, names: ApiNames): boolean {
  const group = OWN_GROUP.exec(text)?.[1]
  const isOurs = group === undefined || group === 'v1' || [names.gatewayGroup, names.policyGroup].includes(group)
  return IS_JUDGED.test(text) && (isOurs || meantApiVersion(`${group}/`, names) !== undefined)
}

function collect(value: unknown, origin: Origin, names: ApiNames, into: Harvest): void {
  if (!isObject(value)) return
  const items = listItems(value)
  if (!items) {
    add(value, origin, names, into)
    return
  }
  for (const [index, item] of items.entries())
    collect(item, { ...origin, base: `${origin.base}/items/${index}` }, names, into)
}

/** The items of a `List` or of a `RateLimitPolicyList` and its like. */
function listItems({ kind, items }: JsonObject): readonly unknown[] | undefined {
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : undefined
}

function add(object: JsonObject, origin: Origin, names: ApiNames, into: Harvest): void {
  const recognised = recognise(object, names)
  if (recognised.type === 'foreign') return
  const { renamed = false, unjudged = false, namespace: hint } = origin.source
  const namespace = effectiveNamespace(object, hint)
  if (!unjudged) into.documents += 1
  if (renamed) into.partial = true
  if (recognised.type === 'policy' || recognised.type === 'unknown-version') {
    const policy = { view: readPolicy(object, namespace), origin, known: recognised.type === 'policy' }
    into.policies.push(policy)
    if (ignoreAnnotation(policy.view) !== undefined) into.annotated.push(policy)
  } else if (recognised.type === 'snippets') into.snippets.push(object)
  else if (recognised.type === 'namespace') into.namespaces.push(object)
  else if (renamed) return
  else if (recognised.type === 'proxy') into.proxies.push(readProxy(object, namespace))
  else if (recognised.type === 'gateway-class') into.gatewayClasses.push(readGatewayClass(object))
  else if (recognised.type === 'gateway') into.gateways.push(readGateway(object, namespace))
  else into.routes.push(readRoute(recognised.kind, object, namespace))
}

function effectiveNamespace({ metadata }: JsonObject, hint: NamespaceHint | undefined): string | undefined {
  if (hint?.override) return hint.override
  const own = isObject(metadata) ? metadata.namespace : undefined
  return typeof own === 'string' && own !== '' ? own : hint?.fallback
}
