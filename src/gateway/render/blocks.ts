/** The directives of policies in one context of nginx. Source: specification of RateLimitPolicy, "What the service does", 4 to 8. */

import type { ZoneNaming } from '../../limits/zone.ts'
import { directive } from '../../nginx/nodes.ts'
import type { ConflictMode } from '../conflicts/precedence.ts'
import { type Composition, type EffectiveSettings, effectiveLimits } from '../effective/effective.ts'
import { gatewayName, isHttpContextOnly, type Level, levelOn } from '../effective/level.ts'
import type { GatewayLookups } from '../lookups/lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { type PlacedLimit, type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'
import { fileNamesOf, limitNodes, settingNodes, titleOf } from './files.ts'
import { changedVariables } from './hops.ts'
import type { Block } from './policy-blocks.ts'

/**
 * Why the limits of a route are in an inner server: a location has only one dry run, one log level and one status for
 * all of its limits.
 */
export type Hop = {
  /** The settings in which the route and the limits of its Gateway differ. */
  readonly differing: readonly SharedSetting[]
  /** The status with which the inner server rejects. */
  readonly rejectCode: number
  /** Variables in the keys of the route that have another value behind the hop, with `$`. */
  readonly changed: readonly string[]
}

/** The directives in the locations of a route. */
export type RouteLimits = {
  readonly route: RouteView
  /** Empty where the directives at http apply. With a hop, they belong to the location of the inner server. */
  readonly blocks: readonly Block[]
  readonly hop: Hop | undefined
  /** What the reader of the configuration should know. */
  readonly notes: readonly string[]
}

/** A Gateway, and what decides about the limits behind it. */
type GatewayContext = {
  readonly gateway: { readonly namespace: string; readonly name: string }
  readonly lookups: GatewayLookups
  readonly composition: Composition
  readonly conflict: ConflictMode
  readonly zoneNaming: ZoneNaming
}

/** The directives of the accepted policies on one level. */
export const policyBlocks = ({ accepted }: Level, naming: ZoneNaming): readonly Block[] =>
  [...accepted].filter((policy) => !isHttpContextOnly(policy)).flatMap((policy) => policyBlock(policy, naming))

function policyBlock(policy: PolicyView, naming: ZoneNaming): readonly Block[] {
  const nodes = [...limitNodes(policy, naming), ...settingNodes(policy)]
  return nodes.length === 0 ? [] : [{ title: titleOf(policy), nodes, file: fileNamesOf(policy).limits }]
}

/** The directives in the locations of a route behind a Gateway. */
export function routeLimits(route: RouteView, context: GatewayContext): RouteLimits {
  const { gateway, lookups, composition, conflict, zoneNaming } = context
  const own = levelOn({ ...route.identity, name: route.identity.name ?? '' }, lookups, conflict)
  const ofRoute = policyBlocks(own, zoneNaming)
  const withBlocks = (blocks: readonly Block[], hop?: Hop): RouteLimits => ({ route, blocks, hop, notes: [] })
  if (ofRoute.length === 0 || composition === 'inherit') return withBlocks(ofRoute)
  if (own.limits.length === 0) return { ...withBlocks([]), notes: ofRoute.map(noEffectNote) }
  const outer = levelOn(gatewayName(gateway), lookups, conflict)
  const settings = outer.limits.length === 0 ? undefined : settingsAt(route, context)
  if (!settings) return withBlocks(ofRoute)
  const differing = SHARED_SETTINGS.filter((name) => settings.gateway[name].value !== settings.route[name].value)
  if (differing.length === 0) return withBlocks([...restated(outer.limits, zoneNaming), ...ofRoute])
  const hop = { differing, rejectCode: settings.route.rejectCode.value, changed: changedVariables(own.limits) }
  return withBlocks([...ofRoute, ...remaining(own, settings.route)], hop)
}

const noEffectNote = ({ title }: Block): string =>
  `${title} has settings but no limits. Settings apply only to limits on the route itself, so they have no effect.`

/** The settings on both levels; undefined unless both have limits. */
function settingsAt(
  route: RouteView,
  { gateway, lookups, composition, conflict }: GatewayContext,
): { readonly gateway: EffectiveSettings; readonly route: EffectiveSettings } | undefined {
  const all = effectiveLimits(route, lookups, { composition, conflict })
  const at = all.find(({ namespace, name }) => namespace === gateway.namespace && name === gateway.name)
  const settingsOn = (side: 'gateway' | 'route') => at?.limits.find(({ level }) => level === side)?.settings
  const [outer, inner] = [settingsOn('gateway'), settingsOn('route')]
  return outer && inner && { gateway: outer, route: inner }
}

/** The limits of a Gateway again, without its settings, which are inherited. */
function restated(limits: readonly PlacedLimit[], naming: ZoneNaming): readonly Block[] {
  const policies = [...new Set(limits.map(({ policy }) => policy))]
  return policies.map((policy) => ({
    title: `${titleOf(policy)}, of the Gateway: repeated, because a location with limit_req inherits no limit_req`,
    nodes: limitNodes(
      policy,
      naming,
      limits.filter((placed) => placed.policy === policy).map(({ limit }) => limit),
    ),
    file: undefined,
  }))
}

/** The settings in effect that the policies of a route do not write themselves: behind a hop nothing may be inherited. */
function remaining(own: Level, { dryRun, logLevel, rejectCode }: EffectiveSettings): readonly Block[] {
  const nodes = [
    ...(own.dryRun?.value === true ? [] : [directive(`limit_req_dry_run ${dryRun.value ? 'on' : 'off'}`)]),
    ...(own.logLevel ? [] : [directive(`limit_req_log_level ${logLevel.value}`)]),
    ...(own.rejectCode ? [] : [directive(`limit_req_status ${rejectCode.value}`)]),
  ]
  if (nodes.length === 0) return []
  return [{ title: 'settings in effect that no policy of the route writes', nodes, file: undefined }]
}
