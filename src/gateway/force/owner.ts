/** Which Gateways and routes belong to the controller that is judged. Source: Gateway API, GatewayClass. */
import { type FabricVersion, knowsListenerSet } from '../../fabric/releases.ts'
import type { Identity } from '../../kubernetes/metadata.ts'
import { cachedBy } from '../../world/cache.ts'
import type { Namespace } from '../../world/identities.ts'
import { ABSENT, found, type Lookup } from '../../world/lookup.ts'
import {
  type AttachmentLookups,
  type GatewayLookups,
  type GatewayName,
  type Gateways,
  lookUpTarget,
} from '../lookups/lookups.ts'
import type { GatewayView, ParentView, RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type NamedTarget, type TargetKind } from '../objects/policy.ts'
import { gatewayBehind, listenerSetKind, namesGateway, servingOf } from '../routing/attachment.ts'

/** Whose Gateways count as own, and what their controller knows. */
export type Ownership = {
  /** The `controllerName` in the classes of own Gateways; undefined: every NGINX Gateway Fabric. */
  readonly gatewayController: string | undefined
  /** True where also a Gateway without a class counts as own: manifests often come without that of the controller. */
  readonly ownsClassless: boolean
  /** The release of the controller. */
  readonly fabricVersion: FabricVersion
}

/** Every NGINX Gateway Fabric of a release. */
export const anyOwner = (fabricVersion: FabricVersion): Ownership => ({
  gatewayController: undefined,
  ownsClassless: true,
  fabricVersion,
})

/** What a reference leads to: an own Gateway, that of another controller (or a way that the own one does not know), none, or one that is not known. */
export type Owner = 'own' | 'foreign' | 'absent' | 'unknown'

type Lookups = Pick<GatewayLookups, 'gateways' | 'routes'>

/** The lookups of one controller: the Gateways of all others are foreign. */
export const ownedBy = <Some extends Pick<GatewayLookups, 'gateways'>>(lookups: Some, own: Ownership): Some =>
  own.gatewayController === undefined && own.ownsClassless && !lookups.gateways.hasSets
    ? lookups
    : { ...lookups, gateways: gatewaysOwnedBy(lookups.gateways, own) }

/** The same lookups each time: what is derived from lookups is kept beside them. */
function gatewaysOwnedBy(gateways: Gateways, { gatewayController, ownsClassless, fabricVersion }: Ownership): Gateways {
  const known = ownedGateways(gateways)
  const key = JSON.stringify([gatewayController, ownsClassless, fabricVersion])
  const owned = known.get(key) ?? {
    ...gateways,
    ...(gateways.hasSets ? { get: getAs(fabricVersion, gateways) } : {}),
    ownerOf(gateway) {
      const owner = gateways.ownerOf(gateway)
      const controller = gateways.controllerOf(gateway)
      if (controller.state !== 'found') return ownsClassless ? 'unknown' : 'foreign'
      return gatewayController === undefined ? owner : controller.value === gatewayController ? 'own' : 'foreign'
    },
  }
  known.set(key, owned)
  return owned
}

/** Gateways without the listeners of ListenerSets that a release does not know. */
function getAs(version: FabricVersion, { get }: Gateways): Gateways['get'] {
  const knows = ({ kind }: Pick<Identity, 'kind'>) => knowsListenerSet(version, kind)
  const known = cachedBy((gateway: GatewayView): GatewayView => {
    const { listeners, sets = [], refusedSets = [] } = gateway
    if (sets.every(knows) && refusedSets.every(knows)) return gateway
    return {
      ...gateway,
      listeners: listeners.filter(({ set }) => !set || knows(set)),
      sets: sets.filter(knows),
      refusedSets: [...refusedSets, ...sets.filter((set) => !knows(set))],
      knownTo: version,
    }
  })
  return (namespace, name) => {
    const gateway = get(namespace, name)
    return gateway.state === 'found' ? found(known(gateway.value)) : gateway
  }
}

const ownedGateways = cachedBy((_gateways: Gateways) => new Map<string, Gateways>())

/** Whose Gateway it is that a name leads to. One of an unknown class counts as own. */
export function ownerOfGateway(
  { namespace, name = '' }: Pick<Identity, 'namespace' | 'name'>,
  { gateways }: Pick<Lookups, 'gateways'>,
): Owner {
  const gateway = gateways.get(namespace, name)
  if (gateway.state !== 'found') return gateway.state
  return gateways.ownerOf(gateway.value) === 'foreign' ? 'foreign' : 'own'
}

/** The Gateway of a parent reference; undefined for a reference to something else, such as a Service. */
export function parentGateway(
  parent: ParentView,
  route: RouteView,
  { gateways }: Pick<Lookups, 'gateways'>,
): Lookup<GatewayName> | undefined {
  if (parent.name === undefined || !(namesGateway(parent) || listenerSetKind(parent))) return undefined
  return gatewayBehind(parent, route, gateways)
}

/** Whose Gateway a parent reference leads to; undefined where it does not name one. */
export function ownerOfParent(
  parent: ParentView,
  route: RouteView,
  lookups: Pick<Lookups, 'gateways'>,
): Owner | undefined {
  const gateway = parentGateway(parent, route, lookups)
  if (gateway?.state !== 'found') return gateway?.state
  return isUnknownSet(parent, gateway.value, lookups) ? 'foreign' : ownerOfGateway(gateway.value, lookups)
}

/** True for a reference to a ListenerSet of a kind that the release does not know: its controller does not see it. */
function isUnknownSet(parent: ParentView, { namespace, name }: GatewayName, { gateways }: Pick<Lookups, 'gateways'>) {
  const kind = listenerSetKind(parent)
  const gateway = kind ? gateways.get(namespace, name) : ABSENT
  if (!kind || gateway.state !== 'found' || gateway.value.knownTo === undefined) return false
  return !knowsListenerSet(gateway.value.knownTo, kind)
}

/**
 * What the controller sees of a target: nothing of one that is absent, of a Gateway of another controller, and of a route
 * that names only such Gateways, or ListenerSets that the release does not know; policies on it are neither in force nor in
 * conflict there.
 */
export function stateOfTarget(
  lookups: Lookups,
  kind: TargetKind,
  namespace: Namespace,
  name: string,
): 'found' | 'absent' | 'unknown' | 'foreign' {
  const state = lookUpTarget(lookups, kind, namespace, name)
  if (state !== 'found') return state
  if (!isRouteKind(kind)) return ownerOfGateway({ namespace, name }, lookups) === 'foreign' ? 'foreign' : state
  const route = lookups.routes.get(kind, namespace, name)
  return route.state === 'found' && isForeignRoute(route.value, lookups) ? 'foreign' : state
}

/** True for a route whose references all lead to other controllers. */
function isForeignRoute(route: RouteView, lookups: Pick<Lookups, 'gateways'>): boolean {
  const owners = route.parents.flatMap((parent) => ownerOfParent(parent, route, lookups) ?? [])
  return owners.length > 0 && owners.every((owner) => owner === 'foreign')
}

/**
 * The Gateway of another controller that a target is, or by which alone a route is served; undefined where a Gateway of ours
 * serves it, or that is not known.
 */
export function foreignGateway(
  { kind, name }: Pick<NamedTarget, 'kind' | 'name'>,
  namespace: Namespace,
  lookups: AttachmentLookups & Pick<Lookups, 'routes'>,
): GatewayView | undefined {
  const { gateways, routes } = lookups
  if (!isRouteKind(kind)) return foreign(gateways.get(namespace, name), gateways)
  const route = routes.get(kind, namespace, name)
  const serving = route.state === 'found' ? servingOf(route.value, lookups) : undefined
  return serving?.state === 'foreign' ? foreign(serving.gateway.gateway, gateways) : undefined
}

const foreign = (gateway: Lookup<GatewayView>, { ownerOf }: Gateways): GatewayView | undefined =>
  gateway.state === 'found' && ownerOf(gateway.value) === 'foreign' ? gateway.value : undefined

/** True where the controller certainly does not see a target. */
export const isOutOfSight = (state: ReturnType<typeof stateOfTarget>): boolean =>
  state === 'absent' || state === 'foreign'
