/**
 * Which limits apply to a route, in order, and with which settings. Source: specification of RateLimitPolicy, "What the
 * service does"; nginx, limit_req (inherited from an outer level only where the inner level has none).
 */

import { isAtLeastAsTight } from '../../nginx/bucket.ts'
import type { LogLevel } from '../../nginx/responses.ts'
import type { ConflictMode } from '../conflicts/precedence.ts'
import { isOutOfSight, stateOfTarget } from '../force/owner.ts'
import type { GatewayLookups } from '../lookups/lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type PlacedLimit, type PolicyView } from '../objects/policy.ts'
import { mayBeServed, type ParentGateway, parentGateways, servingOf } from '../routing/attachment.ts'
import { gatewayName, type Level, levelOn, type Placed, type TargetName } from './level.ts'

/** `stack`: the limits of Gateway and route are both enforced. `inherit`: as nginx inherits directives. */
export type Composition = 'stack' | 'inherit'

/** How limits compose, and when policies conflict. */
export type EffectiveModes = { readonly composition: Composition; readonly conflict: ConflictMode }

/** A setting in effect, and the policy that sets it; undefined for the default of the product. */
export type Effective<Value> = { readonly value: Value; readonly policy: PolicyView | undefined }

/** The settings that apply to a limit. */
export type EffectiveSettings = {
  readonly dryRun: Effective<boolean>
  readonly logLevel: Effective<LogLevel>
  readonly rejectCode: Effective<number>
}

/** A limit that applies, on which level it was set, and the settings that apply to it. */
export type EffectiveLimit = PlacedLimit & {
  readonly level: 'gateway' | 'route'
  readonly settings: EffectiveSettings
}

/** What applies to a route behind one of its Gateways. */
export type EffectiveAt = ParentGateway & {
  /** In the order in which nginx checks them: those of the Gateway, then those of the route; each by precedence. */
  readonly limits: readonly EffectiveLimit[]
  /** Limits of the Gateway that those of the route replace, where directives are inherited. */
  readonly lifted: readonly PlacedLimit[]
  /** Policies on either level that are rejected, or whose outcome is undetermined. */
  readonly notAccepted: Level['notAccepted']
  /** False where objects that are not known could change the result. */
  readonly complete: boolean
}

/** What applies to a route behind each Gateway that does not reject it: nothing behind one of another controller. */
export function effectiveLimits(
  route: RouteView,
  lookups: GatewayLookups,
  { composition, conflict }: EffectiveModes,
): readonly EffectiveAt[] {
  const { policies } = lookups
  const isComplete = ({ kind, namespace, name }: TargetName) => policies.targeting(kind, namespace, name).complete
  const target = { ...route.identity, name: route.identity.name ?? '' }
  const own = levelOn(target, lookups, conflict)
  const isOwnComplete = isComplete(target)
  const parents = parentGateways(route, lookups).filter(({ attachment }) => attachment.state !== 'rejected')
  return parents.map((parent) => {
    if (parent.isForeign) return { ...parent, limits: [], lifted: [], notAccepted: [], complete: true }
    const outer = levelOn(gatewayName(parent), lookups, conflict)
    return {
      ...parent,
      ...compose(outer, own, composition),
      notAccepted: [...outer.notAccepted, ...own.notAccepted],
      complete: isOwnComplete && isComplete(gatewayName(parent)) && parent.attachment.state === 'attached',
    }
  })
}

/**
 * What the policies on one target define alone: on a Gateway, or on a route whose Gateways are not known. Nothing where the
 * target certainly does not exist, or no Gateway serves the route.
 */
export function limitsOn(
  target: TargetName,
  lookups: GatewayLookups,
  conflict: ConflictMode,
): Pick<EffectiveAt, 'limits' | 'notAccepted' | 'complete'> {
  const { kind, namespace, name } = target
  const route = isRouteKind(kind) ? lookups.routes.get(kind, namespace, name) : undefined
  const isUnserved = route?.state === 'found' && !mayBeServed(servingOf(route.value, lookups))
  const own = levelOn(target, lookups, conflict)
  if (isUnserved || isOutOfSight(stateOfTarget(lookups, kind, namespace, name)))
    return { limits: [], notAccepted: own.notAccepted, complete: true }
  const [level, settings] = [target.kind === 'Gateway' ? ('gateway' as const) : ('route' as const), settingsOf(own)]
  return {
    limits: own.limits.map((limit) => ({ ...limit, level, settings })),
    notAccepted: own.notAccepted,
    complete: lookups.policies.targeting(target.kind, target.namespace, target.name).complete,
  }
}

/** True where the limits of a route replace those of its Gateway. */
const replaces = (own: Level, composition: Composition): boolean => composition === 'inherit' && own.limits.length > 0

function compose(outer: Level, own: Level, composition: Composition): Pick<EffectiveAt, 'limits' | 'lifted'> {
  const location = locationSettings(outer, own, composition)
  const ofRoute = own.limits.map((limit) => ({ ...limit, level: 'route' as const, settings: location }))
  if (replaces(own, composition)) return { limits: ofRoute, lifted: outer.limits }
  const settings = composition === 'inherit' ? location : settingsOf(outer)
  const ofGateway = outer.limits.map((limit) => ({ ...limit, level: 'gateway' as const, settings }))
  return { limits: [...ofGateway, ...ofRoute], lifted: [] }
}

const firstOf = <Value>(fallback: Value, ...placed: readonly (Placed<Value> | undefined)[]): Effective<Value> =>
  placed.find((setting) => setting !== undefined) ?? { value: fallback, policy: undefined }

/** Each setting from the first level that sets it, else the default of the product. */
const settingsOf = (...levels: readonly Level[]): EffectiveSettings => ({
  dryRun: firstOf(false, ...levels.map(({ dryRun }) => dryRun)),
  logLevel: firstOf('error', ...levels.map(({ logLevel }) => logLevel)),
  rejectCode: firstOf(503, ...levels.map(({ rejectCode }) => rejectCode)),
})

/**
 * The settings at the location of a route. A setting that the route does not have is inherited from the Gateway. With
 * composition `inherit` no directive is written for `dryRun: false`, so it does not end a dry run of the Gateway.
 */
function locationSettings(outer: Level, own: Level, composition: Composition): EffectiveSettings {
  const settings = settingsOf(own, outer)
  const cannotEnd = composition === 'inherit' && own.dryRun?.value === false && outer.dryRun?.value === true
  return cannotEnd ? { ...settings, dryRun: settingsOf(outer).dryRun } : settings
}

/** The limits of a Gateway that a route replaces without repeating them for the same key, at least as tight. None is enforced in a dry run. */
export function liftedLimits(outer: Level, own: Level, composition: Composition): readonly PlacedLimit[] {
  if (!replaces(own, composition) || outer.dryRun?.value === true) return []
  const repeated = own.tightest()
  return [...outer.tightest()].flatMap(([key, placed]) => {
    const again = repeated.get(key)
    return again && isAtLeastAsTight(again.limit, placed.limit) ? [] : [placed]
  })
}
