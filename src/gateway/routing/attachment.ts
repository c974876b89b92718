/** Whether a Gateway accepts a route. Source: Gateway API, `parentRefs` of a route, `allowedRoutes` and `hostname` of a listener. */

import { type FabricVersion, knowsListenerSet } from '../../fabric/releases.ts'
import { type Identity, knownNamespace, mayShareNamespace } from '../../kubernetes/metadata.ts'
import { selectorMatches } from '../../kubernetes/selector.ts'
import { groupBy } from '../../text/group.ts'
import { cachedBy } from '../../world/cache.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from '../../world/lookup.ts'
import type { AttachmentLookups, GatewayLookups, GatewayName, NamespaceLookup } from '../lookups/lookups.ts'
import {
  type AllowedNamespaces,
  type GatewayView,
  LISTENER_SET_KINDS,
  type ListenerSetKind,
  type ListenerView,
  type ParentView,
  type RouteView,
} from '../objects/gateways-and-routes.ts'
import { commonHostnames } from './hostnames.ts'

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
  | {
      readonly state: 'rejected'
      readonly reason: RejectionReason
      readonly parent: ParentView | undefined
      /** The release that does not know the ListenerSet. */
      readonly knownTo?: FabricVersion | undefined
    }
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

/** True where a parent reference also names a ListenerSet that a Gateway does not allow. */
export const isFor = (parent: ParentView, own: string | undefined, gateway: GatewayView): boolean => {
  const key = parentKey(parent, own)
  return [gateway.identity, ...(gateway.sets ?? []), ...(gateway.refusedSets ?? [])].some((one) => keyOf(one) === key)
}

type Named = { readonly [Member in keyof Identity]: Identity[Member] | undefined }

const keyOf = ({ kind, namespace, name }: Named): string => JSON.stringify([kind, namespace, name])

/** The key of the Gateway or ListenerSet that a parent reference of a route of namespace `own` names. */
const parentKey = (parent: ParentView, own: string | undefined): string =>
  keyOf({
    kind: namesGateway(parent) ? 'Gateway' : listenerSetKind(parent),
    namespace: parent.namespace ?? own,
    name: parent.name,
  })

/** The parent references of a route by what they name, each once, with their positions. */
const parentsByName = cachedBy(({ identity, parents }: RouteView) => {
  const distinct = new Map<string, { readonly key: string; readonly parent: ParentView; readonly position: number }>()
  for (const [position, parent] of parents.entries()) {
    const key = parentKey(parent, identity.namespace)
    const all = JSON.stringify([key, parent.sectionName, parent.port])
    if (!distinct.has(all)) distinct.set(all, { key, parent, position })
  }
  return groupBy(distinct.values(), ({ key }) => key)
})

/** The parent references of a route that name a Gateway, or a ListenerSet that adds to it. */
function parentsFor(route: RouteView, { identity, sets = [] }: GatewayView): readonly ParentView[] {
  const byName = parentsByName(route)
  const named = [identity, ...sets].flatMap((one) => byName.get(keyOf(one)) ?? [])
  return named.sort((a, b) => a.position - b.position).map(({ parent }) => parent)
}

type Section = Pick<ParentView, 'sectionName' | 'port'>

const sectionKey = (owner: string, { sectionName, port }: Section): string => JSON.stringify([owner, sectionName, port])

/** The listeners of a Gateway and its sets, by every way in which a parent reference may name them. */
const listenersBySection = cachedBy((gateway: GatewayView) => {
  const entries = gateway.listeners.flatMap((listener) => {
    const owner = keyOf(listener.set ?? gateway.identity)
    const { name: sectionName, port } = listener
    const sections: readonly Section[] = [
      { sectionName: undefined, port: undefined },
      ...(sectionName === undefined ? [] : [{ sectionName, port: undefined }]),
      ...(port === undefined ? [] : [{ sectionName: undefined, port }]),
      ...(sectionName === undefined || port === undefined ? [] : [{ sectionName, port }]),
    ]
    return sections.map((section) => ({ key: sectionKey(owner, section), listener }))
  })
  return groupBy(entries, ({ key }) => key)
})

/**
 * What comes of a parent reference: of each listener that has its name and port, and one rejection for those that have not.
 * A reference to a Gateway means its own listeners, one to a ListenerSet those of the set.
 */
function attachParent(
  { route, own, gateway, parent }: Omit<Candidate, 'listener'>,
  namespaces: NamespaceLookup,
): readonly AttachResult[] {
  const owner = parentKey(parent, own)
  const { sectionName, port } = parent
  const at = (section: Section) => listenersBySection(gateway).get(sectionKey(owner, section)) ?? []
  const [all, named] = [at({ sectionName: undefined, port: undefined }), at({ sectionName, port: undefined })]
  const meant = at({ sectionName, port })
  const missed = meant.length < named.length ? 'port' : named.length < all.length ? 'section' : undefined
  return [
    ...(missed ? [{ reason: missed, parent } as const] : []),
    ...meant.map(({ listener }) => attachTo({ route, own, gateway, parent, listener }, namespaces)),
  ]
}

/** Whether a Gateway accepts a route; `namespaces` knows the labels that a listener may select by. */
export function attachmentOf(route: RouteView, gateway: GatewayView, namespaces: NamespaceLookup): Attachment {
  const own = route.identity.namespace
  if (own === undefined || gateway.identity.namespace === undefined) return UNKNOWN
  const parents = parentsFor(route, gateway)
  if (parents.length === 0) {
    if (mayBeNamed(route, gateway)) return UNKNOWN
    const [parent] = parentsFor(route, { ...gateway, sets: gateway.refusedSets ?? [] })
    if (!parent) return { state: 'rejected', reason: 'not-named', parent }
    const { knownTo } = gateway
    const isKnown = knownTo === undefined || knowsListenerSet(knownTo, parent.kind ?? '')
    return { state: 'rejected', reason: 'listener-set', parent, ...(isKnown ? {} : { knownTo }) }
  }
  const results = parents.flatMap((parent) => attachParent({ route, own, gateway, parent }, namespaces))
  /** A Gateway without listeners of its own may get them from an object that is not known. */
  if (results.length === 0) return UNKNOWN
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

type Candidate = {
  readonly route: RouteView
  readonly own: string
  readonly gateway: GatewayView
  readonly parent: ParentView
  readonly listener: ListenerView
}

type Rejection = { readonly reason: RejectionReason; readonly parent: ParentView }

type AttachResult = AttachedListener | Rejection | 'unknown'

/** Whether a listener that a parent reference names accepts a route. */
function attachTo(candidate: Candidate, namespaces: NamespaceLookup): AttachResult {
  const { route, parent, listener } = candidate
  const kind = allowsKind(listener, route.identity.kind)
  if (kind === false) return { reason: 'kind', parent }
  const namespace = allowsNamespace(candidate, namespaces)
  if (namespace === false) return { reason: 'namespace', parent }
  const hostnames = commonHostnames(listener.hostname, route.hostnames)
  if (hostnames.length === 0) return { reason: 'hostname', parent }
  return kind && namespace && !listener.isUncertain ? { listener, hostnames } : 'unknown'
}

function allowsKind({ kinds, protocol }: ListenerView, kind: string): boolean | undefined {
  // A listener whose kinds do not fit its protocol takes none of them.
  if (protocol === 'TCP' || protocol === 'UDP' || protocol === 'TLS') return false
  if (kinds && kinds.length > 0) return kinds.includes(kind)
  return protocol === 'HTTP' || protocol === 'HTTPS' ? true : undefined
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

const NO_LABELS: NamespaceLookup = { labels: () => UNKNOWN }

/** The labels on which it depends what is allowed: the same object for all namespaces where nothing selects by labels. */
export const labelsFor = (allowing: readonly AllowedNamespaces[], namespaces: NamespaceLookup): NamespaceLookup =>
  allowing.some(({ from }) => from === 'Selector') ? namespaces : NO_LABELS

/** A Gateway that a route names, and whether it accepts the route. */
export type ParentGateway = {
  readonly namespace: string | undefined
  readonly name: string
  readonly gateway: Lookup<GatewayView>
  /** Never rejected as `not-named`; `unknown` where the Gateway is not found. */
  readonly attachment: Attachment
  /** True where the Gateway certainly belongs to another controller: no policy is in force there. */
  readonly isForeign: boolean
}

/** The Gateways that a route names, each once. */
export function parentGateways(
  route: RouteView,
  { gateways, namespaces }: AttachmentLookups,
): readonly ParentGateway[] {
  const parents = new Map<string, ParentGateway>()
  for (const parent of route.parents) {
    const behind = gatewayBehind(parent, route, gateways)
    if (behind.state !== 'found') continue
    const { namespace, name } = behind.value
    if (parents.has(`${namespace}/${name}`)) continue
    const gateway = gateways.get(namespace, name)
    const attachment = gateway.state === 'found' ? attachmentOf(route, gateway.value, namespaces) : UNKNOWN
    const isForeign = gateway.state === 'found' && gateways.ownerOf(gateway.value) === 'foreign'
    parents.set(`${namespace}/${name}`, { namespace, name, gateway, attachment, isForeign })
  }
  return [...parents.values()]
}

/** True for a Gateway that certainly takes the route, and may be ours. */
export const isServing = ({ attachment, isForeign }: ParentGateway): boolean =>
  attachment.state === 'attached' && !isForeign

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

/** Whether any Gateway of ours serves a route. */
export type RouteServing =
  | { readonly state: 'served' }
  /** Only Gateways of other controllers do, of which this is the first. */
  | { readonly state: 'foreign'; readonly gateway: ParentGateway }
  /** It names no Gateway, and nothing else that could lead to one. */
  | { readonly state: 'orphan' }
  /** No Gateway that it names exists. */
  | { readonly state: 'absent'; readonly gateway: ParentGateway }
  /** The ListenerSet that it names does not exist. */
  | { readonly state: 'no-set'; readonly set: ParentView }
  /** Every Gateway that exists rejects it. */
  | (Extract<Attachment, { state: 'rejected' }> & { readonly gateway: ParentGateway })
  | { readonly state: 'unknown' }

/** False where certainly none does. */
export const mayBeServed = ({ state }: RouteServing): boolean => state === 'served' || state === 'unknown'

/** Finds out whether any Gateway of ours serves a route. */
export function servingOf(route: RouteView, lookups: AttachmentLookups): RouteServing {
  const gateways = parentGateways(route, lookups)
  if (gateways.some(isServing)) return { state: 'served' }
  /** A Service is a parent within a mesh; any other kind (a ListenerSet that is not known) may lead to a Gateway. */
  const others = route.parents.filter(({ kind }) => kind !== 'Service')
  const stateBehind = (parent: ParentView) => gatewayBehind(parent, route, lookups.gateways).state
  const leadsNowhere = gateways.every(
    ({ gateway, attachment, isForeign }) => isForeign || gateway.state === 'absent' || attachment.state === 'rejected',
  )
  if (!leadsNowhere || others.some((parent) => stateBehind(parent) === 'unknown')) return { state: 'unknown' }
  const foreign = gateways.filter(({ isForeign }) => isForeign)
  const accepting = foreign.find(({ attachment }) => attachment.state !== 'rejected')
  const another = accepting ?? (foreign.length === gateways.length ? foreign[0] : undefined)
  if (another) return { state: 'foreign', gateway: another }
  for (const gateway of gateways) if (gateway.attachment.state === 'rejected') return { ...gateway.attachment, gateway }
  const [first] = gateways
  if (first) return { state: 'absent', gateway: first }
  const set = others.find((parent) => listenerSetKind(parent) && stateBehind(parent) === 'absent')
  return set ? { state: 'no-set', set } : { state: 'orphan' }
}
