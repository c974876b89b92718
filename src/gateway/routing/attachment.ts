/** Whether a Gateway accepts a route. Source: Gateway API, `parentRefs` of a route, `allowedRoutes` and `hostname` of a listener. */

import { type Identity, knownNamespace, mayShareNamespace } from '../../kubernetes/metadata.ts'
import { selectorMatches } from '../../kubernetes/selector.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from '../../world/lookup.ts'
import type { GatewayLookups, GatewayName, NamespaceLookup } from '../lookups/lookups.ts'
import {
  type AllowedNamespaces,
  type GatewayView,
  LISTENER_SET_KINDS,
  type ListenerSetKind,
  type ListenerView,
  type ParentView,
  type RouteView,
} from '../objects/gateways-and-routes.ts'

/** The hostname that stands for every host. */
export const ANY_HOST = ''

/**
 * The hostnames under which a route answers on a listener; {@link ANY_HOST} where neither has one. Empty where they have
 * none in common. `*.shop.example` covers every name with that ending, at any depth, but not `shop.example` itself.
 */
export function commonHostnames(listener: string | undefined, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener || ANY_HOST]
  if (!listener) return [...new Set(route)]
  return [...new Set(route.flatMap((hostname) => narrower(listener, hostname) ?? []))]
}

/** The more specific of two hostnames, or undefined where no host matches both. */
function narrower(a: string, b: string): string | undefined {
  if (a === b || covers(a, b)) return b
  return covers(b, a) ? a : undefined
}

const covers = (wide: string, narrow: string): boolean => wide.startsWith('*.') && narrow.endsWith(wide.slice(1))

/** Why a Gateway has no listener for a route; a later reason means that the route came closer to being accepted. */
const REJECTION_REASONS = ['not-named', 'listener-set', 'section', 'port', 'kind', 'namespace', 'hostname'] as const
/** Why a Gateway has no listener for a route. */
export type RejectionReason = (typeof REJECTION_REASONS)[number]

/** A listener that accepts a route, and the hostnames under which it does; an empty string stands for every host. */
export type AttachedListener = { readonly listener: ListenerView; readonly hostnames: readonly string[] }

/** Whether a Gateway accepts a route. */
export type Attachment =
  | { readonly state: 'attached'; readonly listeners: readonly AttachedListener[] }
  /** No listener accepts it: the reason of the listener that came closest, and the parent reference that names it. */
  | { readonly state: 'rejected'; readonly reason: RejectionReason; readonly parent: ParentView | undefined }
  | { readonly state: 'unknown' }

/** True for an entry of `parentRefs` that names a Gateway, not a Service or a ListenerSet. */
export const namesGateway = ({ group, kind }: ParentView): boolean =>
  kind === 'Gateway' && (group === undefined || group.startsWith('gateway.networking.'))

/**
 * The kind of ListenerSet that an entry of `parentRefs` names; undefined where it names something else. Without a group it
 * is that of the Gateway API, where an XListenerSet is not.
 */
export function listenerSetKind({ group, kind }: ParentView): ListenerSetKind | undefined {
  if (group === undefined) return kind === 'ListenerSet' ? kind : undefined
  return group.startsWith('gateway.networking.') ? LISTENER_SET_KINDS.find((known) => known === kind) : undefined
}

/** Whether a parent reference of a route of namespace `own` names a Gateway, or a ListenerSet that adds to it. */
const leadsTo = (parent: ParentView, own: string | undefined, { identity, sets = [] }: GatewayView): boolean =>
  namesOne(parent, own, [identity, ...sets])

/** True where a parent reference also names a ListenerSet that a Gateway does not allow. */
export const isFor = (parent: ParentView, own: string | undefined, gateway: GatewayView): boolean =>
  leadsTo(parent, own, gateway) || namesOne(parent, own, gateway.refusedSets ?? [])

function namesOne(parent: ParentView, own: string | undefined, objects: readonly Identity[]): boolean {
  const kind = namesGateway(parent) ? 'Gateway' : listenerSetKind(parent)
  const namespace = parent.namespace ?? own
  return objects.some((one) => one.kind === kind && one.name === parent.name && one.namespace === namespace)
}

/** Whether a Gateway accepts a route; `namespaces` knows the labels that a listener may select by. */
export function attachmentOf(route: RouteView, gateway: GatewayView, namespaces: NamespaceLookup): Attachment {
  const own = route.identity.namespace
  if (own === undefined || gateway.identity.namespace === undefined) return UNKNOWN
  const parents = route.parents.filter((parent) => leadsTo(parent, own, gateway))
  if (parents.length === 0) {
    if (mayBeNamed(route, gateway)) return UNKNOWN
    const parent = route.parents.find((one) => isFor(one, own, gateway))
    return { state: 'rejected', reason: parent ? 'listener-set' : 'not-named', parent }
  }
  const candidates = parents.flatMap((parent) =>
    gateway.listeners
      .filter(({ set }) => isOn(parent, own, set))
      .map((listener) => ({ route, own, gateway, parent, listener })),
  )
  /** A Gateway without listeners of its own may get them from an object that is not known. */
  if (candidates.length === 0) return UNKNOWN
  const results = candidates.map((candidate) => attachTo(candidate, namespaces))
  const listeners = results.filter((result) => typeof result === 'object' && 'hostnames' in result)
  if (listeners.length > 0) return { state: 'attached', listeners }
  if (results.includes('unknown')) return UNKNOWN
  const rejections = results.filter((result) => typeof result === 'object' && 'reason' in result)
  const closeness = ({ reason }: Rejection) => REJECTION_REASONS.indexOf(reason)
  const closest = rejections.reduce((best, one) => (closeness(one) > closeness(best) ? one : best))
  return { state: 'rejected', ...closest }
}

/** True where a parent reference has the name of a Gateway, and it is not known whether it means this one. */
const mayBeNamed = ({ parents, identity }: RouteView, { identity: { namespace, name } }: GatewayView): boolean =>
  parents.some(
    (parent) =>
      namesGateway(parent) &&
      parent.name === name &&
      mayShareNamespace(parent.namespace ?? identity.namespace, namespace),
  )

/** A reference to a Gateway means its own listeners, one to a ListenerSet those of the set. */
const isOn = (parent: ParentView, own: string, set: ListenerView['set']): boolean =>
  set
    ? set.kind === parent.kind && set.name === parent.name && set.namespace === (parent.namespace ?? own)
    : namesGateway(parent)

type Candidate = {
  readonly route: RouteView
  readonly own: string
  readonly gateway: GatewayView
  readonly parent: ParentView
  readonly listener: ListenerView
}

type Rejection = { readonly reason: RejectionReason; readonly parent: ParentView }

/** Whether one listener accepts a route that names its Gateway in one parent reference. */
function attachTo(candidate: Candidate, namespaces: NamespaceLookup): AttachedListener | Rejection | 'unknown' {
  const { route, parent, listener } = candidate
  if (parent.sectionName !== undefined && parent.sectionName !== listener.name) return { reason: 'section', parent }
  if (parent.port !== undefined && parent.port !== listener.port) return { reason: 'port', parent }
  const kind = allowsKind(listener, route.identity.kind)
  if (kind === false) return { reason: 'kind', parent }
  const namespace = allowsNamespace(candidate, namespaces)
  if (namespace === false) return { reason: 'namespace', parent }
  const hostnames = commonHostnames(listener.hostname, route.hostnames)
  if (hostnames.length === 0) return { reason: 'hostname', parent }
  return kind && namespace && !listener.isUncertain ? { listener, hostnames } : 'unknown'
}

function allowsKind({ kinds, protocol }: ListenerView, kind: string): boolean | undefined {
  if (kinds && kinds.length > 0) return kinds.includes(kind)
  if (protocol === 'HTTP' || protocol === 'HTTPS') return true
  return protocol === 'TCP' || protocol === 'UDP' || protocol === 'TLS' ? false : undefined
}

const allowsNamespace = ({ own, gateway, listener }: Candidate, namespaces: NamespaceLookup): boolean | undefined =>
  isAllowed(listener, own, (listener.set ?? gateway.identity).namespace, namespaces)

/** Whether objects of the namespace `own` are allowed by an object of the namespace `home`; undefined where unknown. */
export function isAllowed(
  { from, selector }: AllowedNamespaces,
  own: string,
  home: string | undefined,
  namespaces: NamespaceLookup,
): boolean | undefined {
  if (from === 'All') return true
  if (from === 'None') return false
  if (from === 'Same') return mayShareNamespace(own, home) ? undefined : own === home
  if (from !== 'Selector' || !selector || knownNamespace(own) === undefined) return undefined
  const labels = namespaces.labels(own)
  return selectorMatches(selector, own, labels.state === 'found' ? labels.value : undefined)
}

/** A Gateway that a route names, and whether it accepts the route. */
export type ParentGateway = {
  readonly namespace: string | undefined
  readonly name: string
  readonly gateway: Lookup<GatewayView>
  /** Never rejected as `not-named`; `unknown` where the Gateway is not found. */
  readonly attachment: Attachment
}

/** The Gateways that a route names, each once. */
export function parentGateways(
  route: RouteView,
  { gateways, namespaces }: Pick<GatewayLookups, 'gateways' | 'namespaces'>,
): readonly ParentGateway[] {
  const parents = new Map<string, ParentGateway>()
  for (const parent of route.parents) {
    const behind = gatewayBehind(parent, route, gateways)
    if (behind.state !== 'found') continue
    const { namespace, name } = behind.value
    if (parents.has(`${namespace}/${name}`)) continue
    const gateway = gateways.get(namespace, name)
    const attachment = gateway.state === 'found' ? attachmentOf(route, gateway.value, namespaces) : UNKNOWN
    parents.set(`${namespace}/${name}`, { namespace, name, gateway, attachment })
  }
  return [...parents.values()]
}

/** The Gateway that a parent of a route names, itself or through a ListenerSet; absent where there is no such set. */
export function gatewayBehind(
  parent: ParentView,
  { identity }: RouteView,
  gateways: GatewayLookups['gateways'],
): Lookup<GatewayName> {
  const { name, namespace = identity.namespace } = parent
  const isGateway = namesGateway(parent)
  const kind = listenerSetKind(parent)
  if (name === undefined) return isGateway ? ABSENT : UNKNOWN
  if (isGateway) return found({ namespace, name })
  return kind ? gateways.behindSet(kind, namespace, name) : UNKNOWN
}

/** Whether any Gateway serves a route. */
export type RouteServing =
  | { readonly state: 'served' }
  /** It names no Gateway, and nothing else that could lead to one. */
  | { readonly state: 'orphan' }
  /** No Gateway that it names exists. */
  | { readonly state: 'absent'; readonly gateway: ParentGateway }
  /** The ListenerSet that it names does not exist. */
  | { readonly state: 'no-set'; readonly set: ParentView }
  /** Every Gateway that exists rejects it. */
  | (Extract<Attachment, { state: 'rejected' }> & { readonly gateway: ParentGateway })
  | { readonly state: 'unknown' }

/** Finds out whether any Gateway serves a route. */
export function servingOf(route: RouteView, lookups: Pick<GatewayLookups, 'gateways' | 'namespaces'>): RouteServing {
  const gateways = parentGateways(route, lookups)
  if (gateways.some(({ attachment }) => attachment.state === 'attached')) return { state: 'served' }
  /** A Service is a parent within a mesh; any other kind (a ListenerSet that is not known) may lead to a Gateway. */
  const others = route.parents.filter(({ kind }) => kind !== 'Service')
  const stateBehind = (parent: ParentView) => gatewayBehind(parent, route, lookups.gateways).state
  const leadsNowhere = gateways.every(
    ({ gateway, attachment }) => gateway.state === 'absent' || attachment.state === 'rejected',
  )
  if (!leadsNowhere || others.some((parent) => stateBehind(parent) === 'unknown')) return { state: 'unknown' }
  for (const gateway of gateways) if (gateway.attachment.state === 'rejected') return { ...gateway.attachment, gateway }
  const [first] = gateways
  if (first) return { state: 'absent', gateway: first }
  const set = others.find((parent) => listenerSetKind(parent) && stateBehind(parent) === 'absent')
  return set ? { state: 'no-set', set } : { state: 'orphan' }
}
