/** A world made of objects at hand: files, a Git tree, or what a watch has seen. */
import type { GatewayView, RouteView } from '../gateway/attachments.ts'
import { asText, isObject, type JsonObject, member } from '../gateway/member.ts'
import type { Identity } from '../gateway/metadata.ts'
import type { PolicyView } from '../gateway/policy.ts'
import { definedVariables } from '../nginx/snippets.ts'
import { ABSENT, type Answer, found, UNKNOWN } from './answer.ts'
import type { Namespace, World } from './world.ts'

/** The objects that live in a world. */
export type Inhabitants = {
  readonly policies: readonly PolicyView[]
  readonly gateways: readonly GatewayView[]
  readonly routes: readonly RouteView[]
  /** SnippetsFilters and SnippetsPolicies. */
  readonly snippets: readonly JsonObject[]
  /** Namespace objects. */
  readonly namespaces: readonly JsonObject[]
}

export type WorldOptions = {
  /** True where these objects are all there is: what is not among them is absent. */
  readonly closed: boolean
}

/** Builds a world; its indexes are made when the first look-up needs them. */
export function buildWorld(inhabitants: Inhabitants, { closed }: WorldOptions): World {
  const gateways = createIndex(inhabitants.gateways, closed)
  const routes = createIndex(inhabitants.routes, closed)
  const policies = createIndex(inhabitants.policies, closed)
  const targeting = lazily(() => policiesByTarget(inhabitants.policies.filter(policies.isUnique)))
  const attached = lazily(() => routesByGateway(inhabitants.routes.filter(routes.isUnique)))
  const namespaces = lazily(() => new Map(inhabitants.namespaces.map((object) => [nameOf(object), labelsOf(object)])))
  const defined = lazily(() => new Set(inhabitants.snippets.flatMap(snippetTexts).flatMap(definedVariables)))
  return {
    gateways: {
      get: (namespace, name) => gateways.get('Gateway', namespace, name),
      namespacesOf: (name) => gateways.namespacesOf('Gateway', name),
    },
    routes: {
      get: routes.get,
      namespacesOf: routes.namespacesOf,
      attachedTo: ({ identity }) => ({
        items: attached().get(key('Gateway', identity.namespace, identity.name)) ?? [],
        complete: closed && routes.isPlain(),
      }),
    },
    policies: {
      targeting: (kind, namespace, name) => ({
        items: namespace === undefined ? [] : (targeting().get(key(kind, namespace, name)) ?? []),
        complete: closed && policies.isPlain() && namespace !== undefined,
      }),
    },
    namespaces: {
      labels(name) {
        const labels = namespaces().get(name)
        return labels ? found(labels) : closed && namespaces().size > 0 ? ABSENT : UNKNOWN
      },
    },
    variables: {
      get defined() {
        return defined()
      },
    },
  }
}

/** Calls a function once, when its value is first needed. */
function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const key = (kind: string, namespace: Namespace, name: string | undefined): string =>
  `${kind}/${namespace ?? ''}/${name ?? ''}`

type Item = { readonly identity: Identity }

/** Finds by identity; an identity that appears twice, or whose namespace nobody knows, is never answered for. */
function createIndex<T extends Item>(items: readonly T[], closed: boolean) {
  const index = lazily(() => {
    const byKey = new Map<string, T[]>()
    const namespaces = new Map<string, (string | undefined)[]>()
    for (const item of items) {
      const { kind, namespace, name } = item.identity
      append(byKey, key(kind, namespace, name), item)
      append(namespaces, `${kind}/${name ?? ''}`, namespace)
    }
    return { byKey, namespaces }
  })
  const namespacesOf = (kind: string, name: string) => index().namespaces.get(`${kind}/${name}`) ?? []
  const isUnique = ({ identity: { kind, namespace, name } }: T) =>
    namespace !== undefined && name !== undefined && index().byKey.get(key(kind, namespace, name))?.length === 1
  return {
    isUnique,
    /** True when every item has an identity of its own. */
    isPlain: () => items.every(isUnique),
    namespacesOf: (kind: string, name: string): readonly string[] =>
      namespacesOf(kind, name).filter((namespace) => namespace !== undefined),
    get(kind: string, namespace: Namespace, name: string): Answer<T> {
      if (namespace === undefined) return UNKNOWN
      const [item, ...others] = index().byKey.get(key(kind, namespace, name)) ?? []
      if (item) return others.length === 0 ? found(item) : UNKNOWN
      return closed && !namespacesOf(kind, name).includes(undefined) ? ABSENT : UNKNOWN
    },
  }
}

function append<Value>(map: Map<string, Value[]>, at: string, value: Value): void {
  const list = map.get(at)
  if (list) list.push(value)
  else map.set(at, [value])
}

function policiesByTarget(policies: readonly PolicyView[]): ReadonlyMap<string, readonly PolicyView[]> {
  const index = new Map<string, PolicyView[]>()
  for (const policy of policies) {
    const targets = policy.targets.map(({ kind, name }) => key(kind.value ?? '', policy.identity.namespace, name.value))
    for (const target of new Set(targets)) append(index, target, policy)
  }
  return index
}

function routesByGateway(routes: readonly RouteView[]): ReadonlyMap<string, readonly RouteView[]> {
  const index = new Map<string, RouteView[]>()
  for (const route of routes) {
    const parents = route.parents.filter(({ kind }) => kind === 'Gateway')
    const gateways = parents.map(({ namespace, name }) => key('Gateway', namespace ?? route.identity.namespace, name))
    for (const gateway of new Set(gateways)) append(index, gateway, route)
  }
  return index
}

const nameOf = (object: JsonObject): string =>
  isObject(object.metadata) ? (member(object.metadata, '', 'name', asText).value ?? '') : ''

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
