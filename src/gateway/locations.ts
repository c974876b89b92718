/** Routes that share a location of a Gateway. Source: Gateway API, route rules; specification of RateLimitPolicy, targets. */
import { attachmentOf } from './attachment.ts'
import type { GatewayView, RouteView } from './attachments.ts'
import { type Location, locationsOf } from './matches.ts'
import type { NamespacesAround } from './neighbours.ts'

/** A location and the routes that answer there. */
export type SharedLocation = { readonly location: Location; readonly occupants: readonly RouteView[] }

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

/**
 * The locations of a route on a Gateway, with the routes that answer there, itself included. `routes` are those
 * that name the Gateway; who answers where is worked out once for each such list.
 */
export function locationsWithOccupants(
  route: RouteView,
  gateway: GatewayView,
  routes: readonly RouteView[],
  namespaces: NamespacesAround,
): readonly SharedLocation[] {
  const occupants = occupantsOf(routes, gateway, namespaces)
  return locationsOn(route, gateway, namespaces).map((location) => ({
    location,
    occupants: occupants.get(keyOf(location)) ?? [],
  }))
}

/** A location as people write it; `*` stands for every host. */
export const printLocation = ({ hostname, port, path }: Location): string => `${hostname || '*'}:${port}${path}`
