/** Which Gateways and routes belong to the controller whose status is written. Source: Gateway API, GatewayClass. */
import type { Identity } from '../../kubernetes/metadata.ts'
import type { Lookup } from '../../world/lookup.ts'
import type { GatewayLookups, GatewayName } from '../lookups/lookups.ts'
import type { ParentView, RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type NamedTarget, type PolicyView } from '../objects/policy.ts'
import { gatewayBehind, listenerSetKind, namesGateway } from '../routing/attachment.ts'

/** Whose Gateways count as own. */
export type Ownership = {
  /** The `controllerName` in the classes of own Gateways. */
  readonly gatewayController: string
  /** True where also a Gateway without a class counts as own: manifests often come without that of the controller. */
  readonly ownsClassless: boolean
}

/** What a reference leads to: an own Gateway, that of another controller, none, or one that is not known. */
export type Owner = 'own' | 'foreign' | 'absent' | 'unknown'

type Lookups = Pick<GatewayLookups, 'gateways' | 'routes'>

/** Whose Gateway it is that a name leads to. */
export function ownerOfGateway(
  { namespace, name = '' }: Pick<Identity, 'namespace' | 'name'>,
  { gateways }: Pick<Lookups, 'gateways'>,
  own: Ownership,
): Owner {
  const gateway = gateways.get(namespace, name)
  if (gateway.state !== 'found') return gateway.state
  const controller = gateways.controllerOf(gateway.value)
  if (controller.state === 'found') return controller.value === own.gatewayController ? 'own' : 'foreign'
  return own.ownsClassless ? 'own' : 'foreign'
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
  own: Ownership,
): Owner | undefined {
  const gateway = parentGateway(parent, route, lookups)
  return gateway?.state === 'found' ? ownerOfGateway(gateway.value, lookups, own) : gateway?.state
}

/** True for a Gateway that belongs to another controller, and for a route all of whose Gateways do. */
export function isForeign(
  target: NamedTarget | undefined,
  { identity: { namespace } }: PolicyView,
  lookups: Lookups,
  own: Ownership,
): boolean {
  if (!target) return false
  const { kind, name } = target
  if (!isRouteKind(kind)) return ownerOfGateway({ namespace, name }, lookups, own) === 'foreign'
  const route = lookups.routes.get(kind, namespace, name)
  if (route.state !== 'found') return false
  const owners = route.value.parents.flatMap((parent) => ownerOfParent(parent, route.value, lookups, own) ?? [])
  return owners.length > 0 && owners.every((owner) => owner === 'foreign')
}
