/**
 * `sluice effective`: every limit that applies to requests to an object. The JSON of the result is a contract,
 * version 1 (schemas/effective.schema.json): members may be added, none changes. Source: specification of
 * RateLimitPolicy, "What the service does".
 */

import { type Composition, type EffectiveAt, effectiveLimits, limitsOn } from '../gateway/effective/effective.ts'
import { forceOf, type Place, type Reason } from '../gateway/force/force.ts'
import { ownerOfGateway } from '../gateway/force/owner.ts'
import { whyDetached } from '../gateway/force/words.ts'
import { keyPlatform } from '../gateway/keys/keys.ts'
import { type GatewayName, lookUpTarget } from '../gateway/lookups/lookups.ts'
import type { GatewayView, ListenerSetKind, ListenerView, RouteView } from '../gateway/objects/gateways-and-routes.ts'
import { isRouteKind, type PolicyView, type RouteKind, type TargetKind } from '../gateway/objects/policy.ts'
import { type Attachment, parentGateways, type RejectionReason, servingOf } from '../gateway/routing/attachment.ts'
import { onlyRedirects } from '../gateway/routing/matches.ts'
import type { Invalidity } from '../gateway/status/status.ts'
import { knownNamespace, namespaceName } from '../kubernetes/metadata.ts'
import { eachOnce, type NotJudged, type Sources } from '../project/source.ts'
import type { Settings } from '../settings/settings.ts'
import { type FindObjectsOptions, type FoundTarget, findTarget, parseTargetQuery, type QueryResult } from './find.ts'
import { type LimitContext, type PolicyName, policyName } from './limit.ts'
import { type EffectiveProxy, queryEffectiveProxy } from './proxies/effective.ts'
import { isProxyQuery } from './proxies/find.ts'
import { forceContext, type QueryWorld, type QueryWorldOptions, queryWorlds } from './query-world.ts'
import { describeRequestPath, type RequestPath } from './request-path.ts'

export type { TargetKind } from '../gateway/objects/policy.ts'

/** What applies behind one Gateway. `gateway` is null where no Gateway accepts the route, or none is known. */
export type GatewayPath = RequestPath & {
  readonly gateway: PathGateway | null
  /** Whether the Gateway certainly accepts the route; `attached` for the Gateway itself, `rejected` where none does. */
  readonly attachment: 'attached' | 'unknown' | 'rejected'
  /** The listeners that accept it, with the hostnames that they serve it under; an empty hostname matches every host. */
  readonly listeners: readonly PathListener[]
}

/** The Gateway of a path. */
type PathGateway = {
  readonly namespace: string
  readonly name: string
  readonly found: boolean
  /** True where its class names another controller, which applies no policy. */
  readonly isForeign: boolean
}

/** A listener as the result describes it. */
type PathListener = {
  readonly name: string
  readonly port: number | null
  readonly hostnames: readonly string[]
  /** The ListenerSet that adds it; null for one of the Gateway's own. */
  readonly listenerSet: { readonly kind: ListenerSetKind; readonly namespace: string; readonly name: string } | null
}

/** Why a Gateway that a route names does not accept it; `absent` where no such Gateway exists. */
type GatewayRejection = PolicyName & {
  readonly reason: RejectionReason | 'absent'
  /** What the Gateway has or does, as the end of a sentence. */
  readonly message: string
}

/** A policy on the object or on one of its Gateways that has errors, and who rejects it. */
type InvalidPolicy = PolicyName & Invalidity

/** A policy that limits nothing on one of its targets, and why. */
type NotInForce = PolicyName & {
  readonly target: { readonly kind: TargetKind; readonly name: string }
  /** The Gateway of the request path; null where there is none. */
  readonly gateway: { readonly namespace: string; readonly name: string } | null
  readonly reason: Reason
  /** The end of a sentence. */
  readonly message: string
}

/** A route behind the Gateway of the query. */
export type AttachedRoute = {
  readonly kind: RouteKind
  readonly namespace: string
  readonly name: string
  readonly attachment: 'attached' | 'unknown'
  /** The number of limits that the route has itself. */
  readonly ownLimits: number
  /** True where they replace the limits of the Gateway. */
  readonly replacesGatewayLimits: boolean
}

/** The result of the query. Its JSON is a contract, version 1. */
export type EffectiveResult = {
  readonly version: 1
  readonly target: {
    readonly kind: TargetKind
    readonly namespace: string
    readonly name: string
    /** False where the object is not among the given manifests and only policies name it. */
    readonly found: boolean
    /** True for a route where every rule redirects: nginx responds before it evaluates limits. */
    readonly onlyRedirects: boolean
  }
  /** The world of the settings that the object belongs to; null where the settings define none. */
  readonly world: string | null
  readonly composition: Composition
  /** True where the given manifests are all that exists. */
  readonly closedWorld: boolean
  /** False where objects that are unknown, or not certain, may change the result. */
  readonly complete: boolean
  /** One for each Gateway that may accept the route; for a Gateway, one for itself. */
  readonly requestPaths: readonly GatewayPath[]
  /** Gateways that the route names and that do not accept it. */
  readonly rejectedBy: readonly GatewayRejection[]
  /**
   * Policies with errors. Those that the API server or nginx rejects are not applied; those with fields that the API
   * server drops are.
   */
  readonly invalidPolicies: readonly InvalidPolicy[]
  /** Policies on the object and on its Gateways that are certainly not in force there. */
  readonly notInForce: readonly NotInForce[]
  /** For a Gateway: the known routes behind it. */
  readonly routes: readonly AttachedRoute[]
  /** What of the given manifests is left out, although it may change the result; sorted by file and line. */
  readonly notJudged: readonly NotJudged[]
}

/** Where the object is searched for, and the settings by which its limits are found. */
export type EffectiveQueryOptions = FindObjectsOptions & { readonly settings: Settings }

/** What a query is answered from, and how. */
export type LimitsQueryOptions = EffectiveQueryOptions & QueryWorldOptions

/** The limits of an object of any system, by a query such as `HTTPRoute/shop/coffee` or `Proxy/orders`. */
export function queryLimits(
  query: string,
  sources: Sources,
  options: LimitsQueryOptions,
): QueryResult<EffectiveResult | EffectiveProxy> {
  if (isProxyQuery(query)) return queryEffectiveProxy(query, sources, options)
  const worlds = queryWorlds(sources, options)
  const result = queryEffective(query, worlds, options)
  return result.ok ? result : { ...result, notJudged: eachOnce(worlds.flatMap(({ notJudged }) => notJudged)) }
}

/** True for the limits of an API proxy. */
export const isOfProxy = (result: EffectiveResult | EffectiveProxy): result is EffectiveProxy =>
  result.target.kind === 'Proxy'

/** Runs a query such as `HTTPRoute/shop/coffee`. A failure has a `problem` of one line. */
export function queryEffective(
  query: string,
  worlds: readonly QueryWorld[],
  options: EffectiveQueryOptions,
): QueryResult<EffectiveResult> {
  const parsed = parseTargetQuery(query)
  if (!parsed.ok) return parsed
  const found = findTarget(parsed.value, worlds, options)
  return found.ok ? { ok: true, value: effectiveOn(found.value, options.settings) } : found
}

function effectiveOn(target: FoundTarget, settings: Settings): EffectiveResult {
  const { queryWorld, kind, namespace, name } = target
  const route = routeOf(target)
  const gateway = gatewayOf(target)
  const requestPaths = isRouteKind(kind) ? pathsOfRoute(target, route, settings) : [pathOfGateway(target, settings)]
  return {
    version: 1,
    target: {
      kind,
      namespace: namespaceName(namespace),
      name,
      found: route !== undefined || gateway !== undefined,
      onlyRedirects: route !== undefined && onlyRedirects(route),
    },
    world: queryWorld.name || null,
    composition: settings.composition,
    closedWorld: queryWorld.closedWorld,
    complete: requestPaths.every(({ complete }) => complete),
    requestPaths,
    rejectedBy: route ? rejectionsOf(route, queryWorld) : [],
    invalidPolicies: invalidOn(target, requestPaths),
    notInForce: notInForceOn(target, route, settings),
    routes: gateway ? routesBehind(gateway, queryWorld, settings) : [],
    notJudged: queryWorld.notJudged,
  }
}

function routeOf({ queryWorld: { world }, kind, namespace, name }: FoundTarget): RouteView | undefined {
  const found = isRouteKind(kind) ? world.routes.get(kind, namespace, name) : undefined
  return found?.state === 'found' ? found.value : undefined
}

function gatewayOf({ queryWorld: { world }, kind, namespace, name }: FoundTarget): GatewayView | undefined {
  const found = kind === 'Gateway' ? world.gateways.get(namespace, name) : undefined
  return found?.state === 'found' ? found.value : undefined
}

const limitContext = ({ kind, name, queryWorld }: FoundTarget, { platform, zoneNaming }: Settings): LimitContext => ({
  kind,
  self: `${kind}/${name}`,
  zoneNaming,
  platform: { ...keyPlatform(platform, queryWorld.world.variables), pageSize: platform.pageSize },
})

function pathsOfRoute(target: FoundTarget, route: RouteView | undefined, settings: Settings): readonly GatewayPath[] {
  const named = route ? effectiveLimits(route, target.queryWorld.world, settings) : []
  const parents = pathGateways(named)
  if (parents.length === 0) return [pathWithoutGateway(target, route, settings)]
  return parents.map(({ gateway, attachment, ...at }) => ({
    gateway: {
      namespace: namespaceName(at.namespace),
      name: at.name,
      found: gateway.state === 'found',
      isForeign: at.isForeign,
    },
    attachment: attachment.state === 'attached' ? 'attached' : 'unknown',
    listeners: listenersOf(attachment),
    ...describeRequestPath(at, limitContext(target, settings)),
  }))
}

/** What a route's own policies do where no Gateway accepts the route, or none is known. */
function pathWithoutGateway(target: FoundTarget, route: RouteView | undefined, settings: Settings): GatewayPath {
  const isUnserved = route !== undefined && servingOf(route, target.queryWorld.world).state !== 'unknown'
  const own = ownPath(target, settings)
  return {
    gateway: null,
    attachment: isUnserved ? 'rejected' : 'unknown',
    listeners: [],
    ...own,
    complete: own.complete && (isUnserved || isAbsent(target)),
  }
}

/** True where it is certain that the object does not exist. */
const isAbsent = ({ queryWorld: { world }, kind, namespace, name }: FoundTarget): boolean =>
  lookUpTarget(world, kind, namespace, name) === 'absent'

function pathOfGateway(target: FoundTarget, settings: Settings): GatewayPath {
  const gateway = gatewayOf(target)
  const listeners = (gateway?.listeners ?? []).map((listener) => describeListener(listener, [listener.hostname ?? '']))
  return {
    gateway: {
      namespace: namespaceName(target.namespace),
      name: target.name,
      found: gateway !== undefined,
      isForeign: ownerOfGateway(target, target.queryWorld.world) === 'foreign',
    },
    attachment: 'attached',
    listeners,
    ...ownPath(target, settings),
  }
}

/** The policies on the object alone. */
function ownPath(target: FoundTarget, settings: Settings): RequestPath {
  const { queryWorld, kind, namespace, name } = target
  const level = limitsOn({ kind, namespace, name }, queryWorld.world, settings.conflict)
  return describeRequestPath({ ...level, lifted: [] }, limitContext(target, settings))
}

const listenersOf = (attachment: Attachment): GatewayPath['listeners'] =>
  attachment.state !== 'attached'
    ? []
    : attachment.listeners.map(({ listener, hostnames }) => describeListener(listener, hostnames))

function describeListener({ name = '', port, set }: ListenerView, hostnames: readonly string[]): PathListener {
  const listenerSet = set ? { kind: set.kind, namespace: namespaceName(set.namespace), name: set.name ?? '' } : null
  return { name, port: port ?? null, hostnames, listenerSet }
}

const rejectionsOf = (route: RouteView, { world }: QueryWorld): readonly GatewayRejection[] =>
  parentGateways(route, world).flatMap(({ name, gateway, attachment, ...at }): readonly GatewayRejection[] => {
    const namespace = namespaceName(at.namespace)
    if (gateway.state === 'absent') return [{ namespace, name, reason: 'absent', message: 'does not exist' }]
    if (attachment.state !== 'rejected') return []
    return [{ namespace, name, reason: attachment.reason, message: whyDetached(attachment, route) }]
  })

function invalidOn(
  { queryWorld, kind, namespace, name }: FoundTarget,
  paths: readonly GatewayPath[],
): readonly InvalidPolicy[] {
  const gateways = paths.flatMap(({ gateway }) => (gateway ? [{ kind: 'Gateway', ...gateway }] : []))
  const objects = [{ kind: String(kind), namespace: namespaceName(namespace), name }, ...gateways]
  const isConcerned = ({ identity, targets }: PolicyView) =>
    (knownNamespace(identity.namespace) !== undefined || identity.namespace === namespace) &&
    targets.some((target) =>
      objects.some(
        (object) =>
          object.namespace === namespaceName(identity.namespace) &&
          object.kind === target.kind.value &&
          object.name === target.name.value,
      ),
    )
  return [...queryWorld.invalid].flatMap(([policy, invalidity]) =>
    isConcerned(policy) ? [{ ...policyName(policy), ...invalidity }] : [],
  )
}

/** Asks about each policy on the object, once for each path, and about those on its Gateways. */
function notInForceOn(
  { queryWorld, kind, namespace, name }: FoundTarget,
  route: RouteView | undefined,
  settings: Settings,
): readonly NotInForce[] {
  const context = forceContext(queryWorld, settings)
  const ask = (place: Place, home: string, gateway: GatewayName | undefined) =>
    queryWorld.world.policies.targeting(place.kind, home, place.name).items.flatMap((policy) => {
      const force = forceOf(policy, place, context)
      if (force.state !== 'not-in-force') return []
      const at = gateway ? { namespace: namespaceName(gateway.namespace), name: gateway.name } : null
      const target = { kind: place.kind, name: place.name }
      return [{ ...policyName(policy), target, gateway: at, reason: force.reason, message: force.words }]
    })
  if (kind === 'Gateway') return ask({ kind, name }, namespace, { namespace, name })
  const gateways = route ? pathGateways(effectiveLimits(route, queryWorld.world, settings)) : []
  if (gateways.length === 0) return ask({ kind, name }, namespace, undefined)
  return gateways.flatMap((gateway) => [
    ...ask({ kind: 'Gateway', name: gateway.name }, gateway.namespace ?? '', gateway),
    ...ask({ kind, name, gateway }, namespace, gateway),
  ])
}

/** The Gateways behind which a route may have limits. */
const pathGateways = (named: readonly EffectiveAt[]): readonly EffectiveAt[] =>
  named.filter(({ gateway }) => gateway.state !== 'absent')

function routesBehind(gateway: GatewayView, { world }: QueryWorld, settings: Settings): readonly AttachedRoute[] {
  const { items } = world.routes.attachedTo(gateway)
  return items.flatMap((route) => {
    const { kind, namespace, name = '' } = route.identity
    const here = effectiveLimits(route, world, settings).find(
      (at) => at.gateway.state === 'found' && at.gateway.value === gateway,
    )
    if (!here) return []
    return [
      {
        kind,
        namespace: namespaceName(namespace),
        name,
        attachment: here.attachment.state === 'attached' ? ('attached' as const) : ('unknown' as const),
        ownLimits: here.limits.filter(({ level }) => level === 'route').length,
        replacesGatewayLimits: here.lifted.length > 0,
      },
    ]
  })
}
