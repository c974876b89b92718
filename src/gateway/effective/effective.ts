/**
 * Which limits apply to a route, in order, and under whose settings. Source: specification of RateLimitPolicy,
 * "What the service does"; nginx, limit_req (inherited from an outer level only where the inner one has none).
 */

import type { ConflictMode } from '../conflicts/precedence.ts'
import type { Neighbours } from '../lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { LogLevel, PolicyView } from '../objects/policy.ts'
import { type ParentGateway, parentGateways } from '../routing/attachment.ts'
import { gatewayName, type Level, levelOn, type Placed, type PlacedLimit, type TargetName } from './level.ts'
import { isAtLeastAsTight, tightestByKey } from './tightness.ts'

/** `stack`: Gateway and route limits are both enforced. `inherit`: as nginx inherits directives. */
export type Composition = 'stack' | 'inherit'

/** A setting in force, and the policy that it is from; none for the product's default. */
export type Effective<Value> = { readonly value: Value; readonly policy: PolicyView | undefined }

/** The settings under which a limit works. */
export type EffectiveSettings = {
  readonly dryRun: Effective<boolean>
  readonly logLevel: Effective<LogLevel>
  readonly rejectCode: Effective<number>
}

/** A limit that applies, with where it was set and what it works under. */
export type EffectiveLimit = PlacedLimit & {
  readonly level: 'gateway' | 'route'
  readonly settings: EffectiveSettings
}

/** What applies to a route behind one of its Gateways. */
export type EffectiveAt = ParentGateway & {
  /** In the order in which nginx looks at them: the Gateway's, then the route's; each by precedence. */
  readonly limits: readonly EffectiveLimit[]
  /** Limits of the Gateway that the route's own lift, where directives are inherited. */
  readonly lifted: readonly PlacedLimit[]
  /** Policies on either that lost, or of which nobody can say. */
  readonly lost: Level['lost']
  /** False where something that nobody here has seen may change the answer. */
  readonly complete: boolean
}

export type EffectiveOptions = { readonly composition: Composition; readonly conflict: ConflictMode }

/** What applies to a route behind each Gateway that does not refuse it. */
export function effectiveLimits(
  route: RouteView,
  neighbours: Neighbours,
  { composition, conflict }: EffectiveOptions,
): readonly EffectiveAt[] {
  const { policies } = neighbours
  const isComplete = ({ kind, namespace, name }: TargetName) => policies.targeting(kind, namespace, name).complete
  const target = { ...route.identity, name: route.identity.name ?? '' }
  const own = levelOn(target, policies, conflict)
  const isOwnComplete = isComplete(target)
  const parents = parentGateways(route, neighbours).filter(({ attachment }) => attachment.state !== 'refused')
  return parents.map((parent) => {
    const outer = levelOn(gatewayName(parent), policies, conflict)
    return {
      ...parent,
      ...compose(outer, own, composition),
      lost: [...outer.lost, ...own.lost],
      complete: isOwnComplete && isComplete(gatewayName(parent)) && parent.attachment.state === 'attached',
    }
  })
}

/** What the policies on one target make by themselves: on a Gateway, or on a route of which no Gateway is in sight. */
export function limitsOn(
  target: TargetName,
  policies: Neighbours['policies'],
  conflict: ConflictMode,
): Pick<EffectiveAt, 'limits' | 'lost' | 'complete'> {
  const own = levelOn(target, policies, conflict)
  const [level, settings] = [target.kind === 'Gateway' ? ('gateway' as const) : ('route' as const), settingsOf(own)]
  return {
    limits: own.limits.map((limit) => ({ ...limit, level, settings })),
    lost: own.lost,
    complete: policies.targeting(target.kind, target.namespace, target.name).complete,
  }
}

/** True where a route's limits take the place of those of its Gateway. */
const replaces = (own: Level, composition: Composition): boolean => composition === 'inherit' && own.limits.length > 0

function compose(outer: Level, own: Level, composition: Composition): Pick<EffectiveAt, 'limits' | 'lifted'> {
  const location = locationSettings(outer, own, composition)
  const ofRoute = own.limits.map((limit) => ({ ...limit, level: 'route' as const, settings: location }))
  if (replaces(own, composition)) return { limits: ofRoute, lifted: outer.limits }
  const settings = composition === 'inherit' ? location : settingsOf(outer)
  const ofGateway = outer.limits.map((limit) => ({ ...limit, level: 'gateway' as const, settings }))
  return { limits: [...ofGateway, ...ofRoute], lifted: [] }
}

const inForce = <Value>(fallback: Value, ...placed: readonly (Placed<Value> | undefined)[]): Effective<Value> =>
  placed.find((setting) => setting !== undefined) ?? { value: fallback, policy: undefined }

/** What the product does where no policy says anything. */
const settingsOf = (...levels: readonly Level[]): EffectiveSettings => ({
  dryRun: inForce(false, ...levels.map(({ dryRun }) => dryRun)),
  logLevel: inForce('error', ...levels.map(({ logLevel }) => logLevel)),
  rejectCode: inForce(503, ...levels.map(({ rejectCode }) => rejectCode)),
})

/**
 * The settings at a route's location. Each is inherited from the Gateway where the route is silent. Where directives
 * are merely inherited, nothing is written for `dryRun: false`, so it does not end a dry run of the Gateway.
 */
function locationSettings(outer: Level, own: Level, composition: Composition): EffectiveSettings {
  const settings = settingsOf(own, outer)
  const cannotEnd = composition === 'inherit' && own.dryRun?.value === false && outer.dryRun?.value === true
  return cannotEnd ? { ...settings, dryRun: settingsOf(outer).dryRun } : settings
}

/** The limits of a Gateway that a route lifts and does not repeat, at least as tight, for the same key. */
export function liftedLimits(outer: Level, own: Level, composition: Composition): readonly PlacedLimit[] {
  if (!replaces(own, composition)) return []
  const repeated = tightestByKey(own.limits)
  return [...tightestByKey(outer.limits)].flatMap(([key, placed]) => {
    const again = repeated.get(key)
    return again && isAtLeastAsTight(again.limit, placed.limit) ? [] : [placed]
  })
}
