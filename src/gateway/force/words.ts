/** Why a Gateway does not take a route, in words: the one table for findings, reports and configurations. */
import { fabricTitle } from '../../fabric/releases.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { listenerSetKind, type RejectionReason, type RouteServing } from '../routing/attachment.ts'

type Rejected = Pick<Extract<RouteServing, { state: 'rejected' }>, 'reason' | 'parent' | 'knownTo'>

type Words = (has: string, rejected: Rejected, route: Pick<RouteView, 'identity'>, hostnames: string) => string

const WORDS: Readonly<Record<RejectionReason, Words>> = {
  'not-named': () => 'is not named by the route',
  'listener-set': (_, { parent, knownTo }) =>
    knownTo
      ? `has no listener of ${parent?.kind} "${parent?.name}": ${fabricTitle(knownTo)} does not know this kind`
      : `does not allow ${parent?.kind} "${parent?.name}" to add listeners`,
  section: (has, { parent }) => `${has} named "${parent?.sectionName}"`,
  port: (has, { parent }) => `${has} on port ${parent?.port}`,
  kind: (has, _, { identity }) => `${has} that allows kind ${identity.kind}`,
  namespace: (has, _, { identity }) => `${has} that allows routes from namespace "${identity.namespace}"`,
  hostname: (has, _rejected, _route, hostnames) => `${has} for ${hostnames}`,
}

/** The end of a sentence that begins with the Gateway: `has no listener named "https"`. `list` joins hostnames. */
export function whyDetached(
  rejected: Rejected,
  route: RouteView,
  list: (items: readonly string[]) => string = (items) => items.join(', '),
): string {
  const { reason, parent } = rejected
  const isSet = parent !== undefined && listenerSetKind(parent) !== undefined
  const has = isSet ? `has no listener of ${parent.kind} "${parent.name}"` : 'has no listener'
  return WORDS[reason](has, rejected, route, list(route.hostnames))
}
