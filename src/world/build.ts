/** A world made of objects at hand: files, a Git tree, or what a watch has seen. */

import type { GatewayView, ParametersView, RouteView } from '../gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { type GatewayClassView, mergeProxies, type ProxyView } from '../gateway/objects/proxy.ts'
import { namesGateway } from '../gateway/routing/attachment.ts'
import { asText, isObject, type JsonObject, member } from '../json/member.ts'
import { definedVariables } from '../nginx/variables.ts'
import { type Identities, indexIdentities, lazily } from './identities.ts'
import { ABSENT, type Answer, found, UNKNOWN } from './lookup.ts'
import { type Place, tabulate } from './table.ts'
import type { Namespace, Namespaces, Policies, Routes, World } from './world.ts'

/** The objects that live in a world. */
export type Inhabitants = {
  readonly policies: readonly PolicyView[]
  readonly gateways: readonly GatewayView[]
  readonly routes: readonly RouteView[]
  /** SnippetsFilters and SnippetsPolicies. */
  readonly snippets: readonly JsonObject[]
  /** Namespace objects. */
  readonly namespaces: readonly JsonObject[]
  /** NginxProxies. */
  readonly proxies: readonly ProxyView[]
  readonly gatewayClasses: readonly GatewayClassView[]
}

/** Nobody. */
export const NO_INHABITANTS: Inhabitants = {
  policies: [],
  gateways: [],
  routes: [],
  snippets: [],
  namespaces: [],
  proxies: [],
  gatewayClasses: [],
}

export type WorldOptions = {
  /** True where these objects are all there is: what is not among them is absent. */
  readonly closed: boolean
  /** The policies before the change, where there was one: those among them are older than those that are not. */
  readonly before?: readonly PolicyView[] | undefined
}

/** Builds a world; its indexes are made when the first look-up needs them. */
export function buildWorld(inhabitants: Inhabitants, { closed, before = [] }: WorldOptions): World {
  const gateways = indexIdentities(inhabitants.gateways, closed)
  const proxies = indexIdentities(inhabitants.proxies, closed)
  const classes = indexIdentities(inhabitants.gatewayClasses, closed)
  const defined = lazily(() => new Set(inhabitants.snippets.flatMap(snippetTexts).flatMap(definedVariables)))
  return {
    gateways: {
      isEmpty: inhabitants.gateways.length === 0,
      get: (namespace, name) => gateways.get('Gateway', namespace, name),
      namespacesOf: (name) => gateways.namespacesOf('Gateway', name),
      namesIn: (namespace) => gateways.namesIn('Gateway', namespace),
      proxyOf: (gateway) => proxyOf(gateway, proxies, classes),
    },
    routes: routesOf(inhabitants.routes, closed),
    policies: policiesOf(inhabitants.policies, before, closed),
    namespaces: namespacesOf(inhabitants.namespaces, closed),
    variables: {
      get defined() {
        return defined()
      },
    },
  }
}

/** One list for all that nobody names: what is derived from a list is kept beside it. */
const NONE: readonly never[] = []

function routesOf(items: readonly RouteView[], closed: boolean): Routes {
  const routes = indexIdentities(items, closed)
  const byGateway = lazily(() => tabulate(routes.unique.map((route) => [parentsOf(route), route])))
  return {
    isEmpty: items.length === 0,
    get: routes.get,
    namespacesOf: routes.namespacesOf,
    namesIn: routes.namesIn,
    attachedTo: ({ identity: { namespace, name } }) => ({
      items: (namespace && byGateway().at('Gateway', namespace, name)) || NONE,
      complete: closed && routes.isPlain && namespace !== undefined,
    }),
  }
}

/** The Gateways that a route names, each once. */
function parentsOf({ identity, parents }: RouteView): readonly Place[] {
  const named = parents
    .filter(namesGateway)
    .map(({ namespace = identity.namespace, name }) => ({ kind: 'Gateway', namespace, name }))
  return [...new Map(named.map((place) => [`${place.namespace}/${place.name}`, place])).values()]
}

function policiesOf(items: readonly PolicyView[], before: readonly PolicyView[], closed: boolean): Policies {
  const policies = indexIdentities(items, closed)
  const byTarget = lazily(() => tabulate(policies.unique.map((policy) => [targetsOf(policy), policy])))
  const old = lazily(() => tabulate(before.map(({ identity }) => [[identity], true])))
  return {
    targeting: (kind, namespace, name) => ({
      items: (namespace && byTarget().at(kind, namespace, name)) || NONE,
      complete: closed && policies.isPlain && namespace !== undefined,
    }),
    existedBefore: ({ identity: { kind, namespace, name } }) =>
      name !== undefined && old().at(kind, namespace, name) !== undefined,
  }
}

const targetsOf = (policy: PolicyView): readonly Place[] =>
  policy.namedTargets.map(({ kind, name }) => ({ kind, namespace: policy.identity.namespace, name }))

function namespacesOf(objects: readonly JsonObject[], closed: boolean): Namespaces {
  const byName = lazily(() =>
    tabulate(objects.map((object) => [[{ kind: '', namespace: '', name: nameOf(object) }], object])),
  )
  const get = (name: string): Answer<JsonObject> => {
    const [object, ...others] = byName().at('', '', name) ?? []
    if (object) return others.length === 0 ? found(object) : UNKNOWN
    return closed && objects.length > 0 ? ABSENT : UNKNOWN
  }
  return {
    labels(name) {
      const answer = get(name)
      return answer.state === 'found' ? found(labelsOf(answer.value)) : answer
    },
    createdAt(name) {
      const answer = get(name)
      if (answer.state !== 'found') return answer
      const time = creationOf(answer.value)
      return Number.isNaN(time) ? UNKNOWN : found(time)
    },
  }
}

/** The settings of a Gateway's proxies: those of its class, and over them its own. */
function proxyOf(
  { className, parameters, identity: { namespace } }: GatewayView,
  proxies: Identities<ProxyView>,
  classes: Identities<GatewayClassView>,
): Answer<ProxyView> {
  const gatewayClass = className === undefined ? UNKNOWN : classes.get('GatewayClass', '', className)
  if (gatewayClass.state !== 'found') return UNKNOWN
  const ofClass = referredProxy(gatewayClass.value.parameters, gatewayClass.value.parameters?.namespace, proxies)
  const own = referredProxy(parameters, namespace, proxies)
  if (ofClass.state === 'unknown' || own.state === 'unknown') return UNKNOWN
  if (ofClass.state === 'found' && own.state === 'found') return found(mergeProxies(ofClass.value, own.value))
  return own.state === 'found' ? own : ofClass
}

function referredProxy(
  parameters: ParametersView | undefined,
  namespace: Namespace,
  proxies: Identities<ProxyView>,
): Answer<ProxyView> {
  if (!parameters) return ABSENT
  const { kind, name } = parameters
  return kind === 'NginxProxy' && name !== undefined ? proxies.get(kind, namespace, name) : UNKNOWN
}

const nameOf = (object: JsonObject): string =>
  isObject(object.metadata) ? (member(object.metadata, '', 'name', asText).value ?? '') : ''

function creationOf({ metadata }: JsonObject): number {
  const time = isObject(metadata) ? metadata.creationTimestamp : undefined
  return typeof time === 'string' ? Date.parse(time) : Number.NaN
}

function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const labels = isObject(object.metadata) ? object.metadata.labels : undefined
  if (!isObject(labels)) return {}
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function snippetTexts({ spec }: JsonObject): readonly string[] {
  const snippets = isObject(spec) && Array.isArray(spec.snippets) ? spec.snippets : []
  return snippets.flatMap((snippet: unknown) =>
    isObject(snippet) && typeof snippet.value === 'string' ? [snippet.value] : [],
  )
}
