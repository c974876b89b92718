/** What policies put into one context of nginx. Source: specification of RateLimitPolicy, "What the service does", 4 to 8. */

import type { ConflictMode } from '../conflicts/precedence.ts'
import { type Composition, type EffectiveSettings, effectiveLimits } from '../effective/effective.ts'
import { gatewayName, isHttpContextOnly, type Level, levelOn, type PlacedLimit } from '../effective/level.ts'
import type { Neighbours } from '../lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'
import { changedVariables } from './hops.ts'
import { directive, type Node } from './nodes.ts'
import { fileNamesOf, limitNodes, settingNodes, titleOf } from './policy-files.ts'

/** Directives that belong together, and where they come from. */
export type Block = {
  /** A comment that names the policy. */
  readonly title: string
  readonly nodes: readonly Node[]
  /** The file of the policy in which just these stand; undefined where there is none. */
  readonly file: string | undefined
}

/** Why the limits of a route stand behind an inner server: one location has only one dry run, log level and status. */
export type Hop = {
  /** The settings in which the route and the limits of its Gateway differ. */
  readonly differing: readonly SharedSetting[]
  /** The status with which the inner server rejects. */
  readonly rejectCode: number
  /** Variables of the route's keys that are not the client's behind the hop, with `$`. */
  readonly changed: readonly string[]
}

/** What stands in the locations of a route. */
export type RouteLimits = {
  readonly route: RouteView
  /** Empty where nothing stands, so that what stands at http holds. Where there is a hop, they are the inner location's. */
  readonly blocks: readonly Block[]
  readonly hop: Hop | undefined
  /** What a reader should know. */
  readonly notes: readonly string[]
}

/** A Gateway with what decides about limits behind it. */
export type Behind = {
  readonly gateway: { readonly namespace: string; readonly name: string }
  readonly neighbours: Neighbours
  readonly composition: Composition
  readonly conflict: ConflictMode
}

/** The policies of a level that have a word there, with all that they say. */
export const policyBlocks = ({ kept }: Level): readonly Block[] =>
  [...kept].filter((policy) => !isHttpContextOnly(policy)).flatMap(policyBlock)

function policyBlock(policy: PolicyView): readonly Block[] {
  const nodes = [...limitNodes(policy), ...settingNodes(policy)]
  return nodes.length === 0 ? [] : [{ title: titleOf(policy), nodes, file: fileNamesOf(policy).limits }]
}

/** What stands in the locations of a route behind a Gateway. */
export function routeLimits(route: RouteView, behind: Behind): RouteLimits {
  const { gateway, neighbours, composition, conflict } = behind
  const own = levelOn({ ...route.identity, name: route.identity.name ?? '' }, neighbours.policies, conflict)
  const blocks = policyBlocks(own)
  const placed = (standing: readonly Block[], hop?: Hop): RouteLimits => ({ route, blocks: standing, hop, notes: [] })
  if (blocks.length === 0 || composition === 'inherit') return placed(blocks)
  if (own.limits.length === 0) return { ...placed([]), notes: blocks.map(saysNothing) }
  const outer = levelOn(gatewayName(gateway), neighbours.policies, conflict)
  const settings = outer.limits.length === 0 ? undefined : settingsAt(route, behind)
  if (!settings) return placed(blocks)
  const differing = SHARED_SETTINGS.filter((name) => settings.gateway[name].value !== settings.route[name].value)
  if (differing.length === 0) return placed([...restated(outer.limits), ...blocks])
  const hop = { differing, rejectCode: settings.route.rejectCode.value, changed: changedVariables(own.limits) }
  return placed([...blocks, ...remaining(own, settings.route)], hop)
}

const saysNothing = ({ title }: Block): string =>
  `${title} sets something and limits nothing: its settings are for limits on the route itself, so nothing changes.`

/** The settings on either side, where both sides limit. */
function settingsAt(
  route: RouteView,
  { gateway, neighbours, composition, conflict }: Behind,
): { readonly gateway: EffectiveSettings; readonly route: EffectiveSettings } | undefined {
  const all = effectiveLimits(route, neighbours, { composition, conflict })
  const at = all.find(({ namespace, name }) => namespace === gateway.namespace && name === gateway.name)
  const settingsOn = (side: 'gateway' | 'route') => at?.limits.find(({ level }) => level === side)?.settings
  const [outer, inner] = [settingsOn('gateway'), settingsOn('route')]
  return outer && inner && { gateway: outer, route: inner }
}

/** The limits of a Gateway once more, without its settings, which are inherited. */
function restated(limits: readonly PlacedLimit[]): readonly Block[] {
  const policies = [...new Set(limits.map(({ policy }) => policy))]
  return policies.map((policy) => ({
    title: `${titleOf(policy)}, of the Gateway: restated, for nginx inherits limit_req only where nothing stands`,
    nodes: limitNodes(
      policy,
      limits.filter((placed) => placed.policy === policy).map(({ limit }) => limit),
    ),
    file: undefined,
  }))
}

/** The settings in force that the policies of a route do not write themselves: behind a hop nothing is to be inherited. */
function remaining(own: Level, { dryRun, logLevel, rejectCode }: EffectiveSettings): readonly Block[] {
  const nodes = [
    ...(own.dryRun?.value === true ? [] : [directive(`limit_req_dry_run ${dryRun.value ? 'on' : 'off'}`)]),
    ...(own.logLevel ? [] : [directive(`limit_req_log_level ${logLevel.value}`)]),
    ...(own.rejectCode ? [] : [directive(`limit_req_status ${rejectCode.value}`)]),
  ]
  if (nodes.length === 0) return []
  return [{ title: 'the settings in force that no policy of the route writes', nodes, file: undefined }]
}
