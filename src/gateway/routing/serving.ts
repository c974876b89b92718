/** Whether any Gateway serves a route. */

import type { Neighbours } from '../lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { type Attachment, namesGateway, type ParentGateway, parentGateways } from './attachment.ts'

export type Serving =
  | { readonly state: 'served' }
  /** It names no Gateway, and nothing else that could lead to one. */
  | { readonly state: 'orphan' }
  /** No Gateway that it names exists. */
  | { readonly state: 'absent'; readonly gateway: ParentGateway }
  /** Every Gateway that exists refuses it. */
  | (Extract<Attachment, { state: 'refused' }> & { readonly gateway: ParentGateway })
  | { readonly state: 'unknown' }

/** Says whether any Gateway serves a route. */
export function servingOf(route: RouteView, around: Pick<Neighbours, 'gateways' | 'namespaces'>): Serving {
  const gateways = parentGateways(route, around)
  if (gateways.some(({ attachment }) => attachment.state === 'attached')) return { state: 'served' }
  /** A Service is a parent within a mesh; any other kind (a ListenerSet) may lead to a Gateway. */
  const leadsElsewhere = route.parents.some((parent) => !namesGateway(parent) && parent.kind !== 'Service')
  const leadsNowhere = gateways.every(
    ({ gateway, attachment }) => gateway.state === 'absent' || attachment.state === 'refused',
  )
  if (leadsElsewhere || !leadsNowhere) return { state: 'unknown' }
  const [first] = gateways
  if (!first) return { state: 'orphan' }
  for (const gateway of gateways) if (gateway.attachment.state === 'refused') return { ...gateway.attachment, gateway }
  return { state: 'absent', gateway: first }
}
