/** Routes that share a location of a Gateway. Source: Gateway API, route rules; specification of RateLimitPolicy, targets. */

import type { NamespacesAround } from '../lookups.ts'
import type { GatewayView, RouteView } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { attachmentOf, parentGateways } from './attachment.ts'
import { type Location, locationsOf } from './matches.ts'
import { type RoutesAround, type RouteTarget, routeTargets } from './route-targets.ts'

const keyOf = ({ hostname, port, path }: Location): string => `${hostname}\n${port}\n${path}`

const locationsOn = (route: RouteView, gateway: GatewayView, namespaces: NamespacesAround): readonly Location[] => {
  const attachment = attachmentOf(route, gateway, namespaces)
  return attachment.state === 'attached' ? locationsOf(route, attachment.via) : []
}

/** Who answers where on one Gateway. */
type Occupants = ReadonlyMap<string, readonly RouteView[]>

const occupancies = new WeakMap<readonly RouteView[], Occupants>()

function occupantsOf(routes: readonly RouteView[], gateway: GatewayView, namespaces: NamespacesAround): Occupants {
  const known = occupancies.get(routes)
  if (known) return known
  const occupants = new Map<string, RouteView[]>()
  for (const route of routes)
    for (const key of new Set(locationsOn(route, gateway, namespaces).map(keyOf))) {
      const others = occupants.get(key)
      if (others) others.push(route)
      else occupants.set(key, [route])
    }
  occupancies.set(routes, occupants)
  return occupants
}

/** A target of a policy that answers where a route answers that is no target. */
export type SharedLocation = RouteTarget & {
  readonly gateway: string
  readonly location: Location
  readonly other: RouteView
}

/** What finds the routes that name a Gateway. */
type RoutesOnGateways = RoutesAround & {
  readonly routes: { attachedTo(gateway: GatewayView): { readonly items: readonly RouteView[] } }
}

/** The first such location of each target. Routes of another kind but of a target's own name pass for targets, as the product has it. */
export function sharedLocations(policy: PolicyView, around: RoutesOnGateways): readonly SharedLocation[] {
  const targets = routeTargets(policy, around)
  if (targets.length === 0) return []
  const { namespace } = policy.identity
  const targeted = new Set(policy.namedTargets.map(({ name }) => name))
  const isTargeted = ({ identity }: RouteView) => identity.namespace === namespace && targeted.has(identity.name ?? '')
  return targets.flatMap((found) => {
    for (const { gateway } of parentGateways(found.route, around)) {
      if (gateway.state !== 'found') continue
      const occupants = occupantsOf(around.routes.attachedTo(gateway.value).items, gateway.value, around.namespaces)
      for (const location of locationsOn(found.route, gateway.value, around.namespaces)) {
        const other = occupants.get(keyOf(location))?.find((route) => !isTargeted(route))
        if (other) return [{ ...found, gateway: gateway.value.identity.name ?? '', location, other }]
      }
    }
    return []
  })
}
