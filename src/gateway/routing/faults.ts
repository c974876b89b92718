/**
 * What the known faults of releases of NGINX Gateway Fabric do to a policy. Source: the pull requests and issues in the
 * table of releases (`src/fabric/`); only what is certain of the objects at hand.
 */
import { type FabricVersion, hasFault } from '../../fabric/releases.ts'
import type { ConflictLookups } from '../conflicts/outcome.ts'
import type { ConflictMode } from '../conflicts/precedence.ts'
import { lookUpTarget } from '../lookups/lookups.ts'
import type { GatewayView, RouteView } from '../objects/gateways-and-routes.ts'
import type { NamedTarget, PolicyView } from '../objects/policy.ts'
import { attachmentOf, isServing, namesGateway, type ParentGateway, parentGateways } from './attachment.ts'
import { type Location, locationsOf, routeRows } from './matches.ts'
import {
  type AttachedRouteLookups,
  type AttachedTarget,
  attachedTargets,
  isTargetOf,
  routeTargets,
  type SharedLocation,
} from './targets.ts'

/**
 * The routes of a policy behind Gateways that none of its routes names, so that all come through ListenerSets: releases
 * with the fault `zoneOfListenerSet` write zones only for routes that name the Gateway.
 */
export function routesThroughSets(
  policy: PolicyView,
  lookups: AttachedRouteLookups & ConflictLookups,
  mode: ConflictMode,
): readonly AttachedTarget[] {
  if (policy.limits.length === 0 || !lookups.gateways.hasSets) return []
  const { namespace } = policy.identity
  if (policy.namedTargets.some(({ kind, name }) => lookUpTarget(lookups, kind, namespace, name) === 'unknown'))
    return []
  const routes = routeTargets(policy, lookups).map(({ route }) => route)
  return attachedTargets(policy, lookups, mode).filter(({ gateway }) => !routes.some((route) => names(route, gateway)))
}

const names = ({ parents, identity }: RouteView, { namespace, name }: ParentGateway): boolean =>
  parents.some(
    (parent) => namesGateway(parent) && parent.name === name && (parent.namespace ?? identity.namespace) === namespace,
  )

/** A target of a policy behind a Gateway on which other routes, that are no targets, are taken for its conflict. */
export type FalseConflict = NamedTarget & {
  readonly location: Location
  readonly others: readonly [RouteView, RouteView?]
}

/** The first other route that names one path twice: to releases with the fault `repeatedPath` it conflicts with every target. */
export const repeatedPaths = (policy: PolicyView, lookups: AttachedRouteLookups): readonly FalseConflict[] =>
  falseConflicts(policy, lookups, (others) => {
    for (const { route, locations } of others) {
      const paths = routeRows([{ route, hostnames: [''] }]).map(({ path }) => path.value)
      const twice = paths.find((path, index) => paths.indexOf(path) < index)
      const location = locations.find(({ path }) => path === twice)
      if (location) return { location, others: [route] }
    }
    return undefined
  })

/** Two other routes at one location: to releases with the fault `sharedByOthers` they conflict with every target. */
export const sharedByOthers = (policy: PolicyView, lookups: AttachedRouteLookups): readonly FalseConflict[] =>
  falseConflicts(policy, lookups, (others) => {
    const known = new Map<string, RouteView>()
    for (const { route, locations } of others)
      for (const location of locations) {
        const other = known.get(location.key)
        if (other && other !== route) return { location, others: [other, route] }
        known.set(location.key, route)
      }
    return undefined
  })

/** Another route that answers on two Gateways at one location: to releases with the fault `severalGateways` it conflicts with every target. */
export const onSeveralGateways = (policy: PolicyView, lookups: AttachedRouteLookups): readonly FalseConflict[] =>
  falseConflicts(policy, lookups, (others) => {
    for (const { route } of others) {
      const on = parentGateways(route, lookups).flatMap(({ gateway, isForeign }) =>
        gateway.state === 'found' && !isForeign ? [comparedOn(route, gateway.value, lookups)] : [],
      )
      const location = on.flat().find(({ key }) => on.filter((some) => some.some((one) => one.key === key)).length > 1)
      if (location) return { location, others: [route] }
    }
    return undefined
  })

/** True for a shared location that a release does not see as one, as the routes have other hostnames, too. */
export function isOverlooked(
  { route, other, on }: SharedLocation,
  lookups: AttachedRouteLookups,
  version: FabricVersion,
): boolean {
  if (!hasFault(version, 'partialOverlap')) return false
  const keys = new Set(comparedOn(route, on, lookups).map(({ key }) => key))
  return !comparedOn(other, on, lookups).some(({ key }) => keys.has(key))
}

/** A location, and what releases compare: all hostnames of a route on a listener together, with the port and the path. */
type ComparedLocation = Location & { readonly key: string }

type Other = { readonly route: RouteView; readonly locations: readonly ComparedLocation[] }

function falseConflicts(
  policy: PolicyView,
  lookups: AttachedRouteLookups,
  find: (others: readonly Other[]) => Omit<FalseConflict, keyof NamedTarget> | undefined,
): readonly FalseConflict[] {
  const isTargeted = isTargetOf(policy)
  return routeTargets(policy, lookups).flatMap(({ route, ...target }) => {
    for (const parent of parentGateways(route, lookups)) {
      if (!isServing(parent) || parent.gateway.state !== 'found') continue
      const gateway = parent.gateway.value
      const others = lookups.routes.attachedTo(gateway).items.filter((other) => !isTargeted(other))
      const found = find(others.map((other) => ({ route: other, locations: comparedOn(other, gateway, lookups) })))
      if (found) return [{ ...target, ...found }]
    }
    return []
  })
}

function comparedOn(
  route: RouteView,
  gateway: GatewayView,
  { namespaces }: AttachedRouteLookups,
): readonly ComparedLocation[] {
  const attachment = attachmentOf(route, gateway, namespaces)
  if (attachment.state !== 'attached') return []
  return attachment.listeners.flatMap((listener) =>
    locationsOf(route, [listener]).map((location) => ({
      ...location,
      key: JSON.stringify([listener.hostnames, location.port, location.path]),
    })),
  )
}
