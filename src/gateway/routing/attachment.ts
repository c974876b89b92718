/** Whether a Gateway takes a route. Source: Gateway API, `parentRefs` of a route and `allowedRoutes` of a listener. */

import { selectorMatches } from '../../kubernetes/selector.ts'
import type { Lookup, NamespacesAround, Neighbours } from '../lookups.ts'
import type { GatewayView, ListenerView, ParentView, RouteView } from '../objects/gateways-and-routes.ts'
import { commonHostnames } from './hostnames.ts'

/** Why a Gateway has no listener for a route, in the order in which one gets nearer to being taken. */
export const REFUSALS = ['not-named', 'section', 'port', 'kind', 'namespace', 'hostname'] as const
export type Refusal = (typeof REFUSALS)[number]

/** A listener that takes a route, and the hostnames under which it does; an empty text stands for every host. */
export type Via = { readonly listener: ListenerView; readonly hostnames: readonly string[] }

export type Attachment =
  | { readonly state: 'attached'; readonly via: readonly Via[] }
  /** No listener takes it: the reason of the one that came nearest, and the parent reference that asked it. */
  | { readonly state: 'refused'; readonly reason: Refusal; readonly parent: ParentView | undefined }
  | { readonly state: 'unknown' }

const UNKNOWN = { state: 'unknown' } as const

/** True for an entry of `parentRefs` that names a Gateway (and no Service, no ListenerSet). */
export const namesGateway = ({ group, kind }: ParentView): boolean =>
  kind === 'Gateway' && (group === undefined || group.startsWith('gateway.networking.'))

/** Says whether a Gateway takes a route; `namespaces` knows the labels that a listener may ask for. */
export function attachmentOf(route: RouteView, gateway: GatewayView, namespaces: NamespacesAround): Attachment {
  const own = route.identity.namespace
  if (own === undefined || gateway.identity.namespace === undefined) return UNKNOWN
  const parents = route.parents.filter(
    (parent) =>
      namesGateway(parent) &&
      parent.name === gateway.identity.name &&
      (parent.namespace ?? own) === gateway.identity.namespace,
  )
  if (parents.length === 0) return { state: 'refused', reason: 'not-named', parent: undefined }
  /** Listeners may come from elsewhere (a ListenerSet) where a Gateway has none of its own. */
  if (gateway.listeners.length === 0) return UNKNOWN
  const verdicts = parents.flatMap((parent) =>
    gateway.listeners.map((listener) => verdictOf({ route, own, gateway, parent, listener }, namespaces)),
  )
  const via = verdicts.filter((verdict) => typeof verdict === 'object' && 'hostnames' in verdict)
  if (via.length > 0) return { state: 'attached', via }
  if (verdicts.includes('unknown')) return UNKNOWN
  const refusals = verdicts.filter((verdict) => typeof verdict === 'object' && 'reason' in verdict)
  const nearness = ({ reason }: { reason: Refusal }) => REFUSALS.indexOf(reason)
  const nearest = refusals.reduce((best, one) => (nearness(one) > nearness(best) ? one : best))
  return { state: 'refused', ...nearest }
}

type Candidate = {
  readonly route: RouteView
  readonly own: string
  readonly gateway: GatewayView
  readonly parent: ParentView
  readonly listener: ListenerView
}

type Refused = { readonly reason: Refusal; readonly parent: ParentView }

/** What one listener says to a route that names its Gateway through one parent reference. */
function verdictOf(candidate: Candidate, namespaces: NamespacesAround): Via | Refused | 'unknown' {
  const { route, parent, listener } = candidate
  if (parent.sectionName !== undefined && parent.sectionName !== listener.name) return { reason: 'section', parent }
  if (parent.port !== undefined && parent.port !== listener.port) return { reason: 'port', parent }
  const kind = admitsKind(listener, route.identity.kind)
  if (kind === false) return { reason: 'kind', parent }
  const namespace = admitsNamespace(candidate, namespaces)
  if (namespace === false) return { reason: 'namespace', parent }
  const hostnames = commonHostnames(listener.hostname, route.hostnames)
  if (hostnames.length === 0) return { reason: 'hostname', parent }
  return kind && namespace ? { listener, hostnames } : 'unknown'
}

function admitsKind({ kinds, protocol }: ListenerView, kind: string): boolean | undefined {
  if (kinds && kinds.length > 0) return kinds.includes(kind)
  if (protocol === 'HTTP' || protocol === 'HTTPS') return true
  return protocol === 'TCP' || protocol === 'UDP' || protocol === 'TLS' ? false : undefined
}

function admitsNamespace({ own, gateway, listener }: Candidate, namespaces: NamespacesAround): boolean | undefined {
  const { from, selector } = listener
  if (from === 'All') return true
  if (from === 'None') return false
  if (from === 'Same') return own === gateway.identity.namespace
  if (from !== 'Selector' || !selector) return undefined
  const labels = namespaces.labels(own)
  return selectorMatches(selector, own, labels.state === 'found' ? labels.value : undefined)
}

/** A Gateway that a route names, and what it says to the route. */
export type ParentGateway = {
  readonly namespace: string | undefined
  readonly name: string
  readonly gateway: Lookup<GatewayView>
  /** `refused` with reason `not-named` nowhere here; `unknown` where the Gateway is not found. */
  readonly attachment: Attachment
}

/** The Gateways that a route names, each once. */
export function parentGateways(
  route: RouteView,
  { gateways, namespaces }: Pick<Neighbours, 'gateways' | 'namespaces'>,
) {
  const named = new Map<string, ParentGateway>()
  for (const parent of route.parents) {
    const { name, namespace = route.identity.namespace } = parent
    if (!namesGateway(parent) || name === undefined || named.has(`${namespace}/${name}`)) continue
    const gateway = gateways.get(namespace, name)
    const attachment = gateway.state === 'found' ? attachmentOf(route, gateway.value, namespaces) : UNKNOWN
    named.set(`${namespace}/${name}`, { namespace, name, gateway, attachment })
  }
  return [...named.values()]
}
