/** Reads sources into the worlds that queries look at: their objects, lookups, and which of their policies are valid. */
import { RULES } from '../../rules/index.ts'
import { describeMessage } from '../engine/finding.ts'
import { createJudge } from '../engine/run.ts'
import { FAULTS, fabricTitle, hasFault } from '../fabric/releases.ts'
import type { ForceContext } from '../gateway/force/force.ts'
import { GATEWAY } from '../gateway/lookups/gateways.ts'
import type { GatewayLookups } from '../gateway/lookups/lookups.ts'
import { RATE_LIMIT_POLICY } from '../gateway/lookups/policies.ts'
import { GRPC_ROUTE, HTTP_ROUTE } from '../gateway/lookups/routes.ts'
import type { GatewayView, RouteView } from '../gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { routesThroughSets } from '../gateway/routing/faults.ts'
import { gatewaysOf } from '../gateway/routing/targets.ts'
import { apiRejection } from '../gateway/schema/acceptance.ts'
import type { Invalidity } from '../gateway/status/status.ts'
import { GATEWAY_SYSTEM } from '../gateway/system.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import { fullName } from '../kubernetes/metadata.ts'
import { leftOutOf } from '../project/left-out.ts'
import type { CollectedObjects, FoundObject } from '../project/objects.ts'
import type { NotJudged, Sources } from '../project/source.ts'
import { isFilledInLater } from '../project/templates.ts'
import { collectWorlds, isolatedWorld, objectsOf } from '../project/worlds.ts'
import type { Settings } from '../settings/settings.ts'
import { kindTable } from '../world/kinds.ts'
import { type KindRef, type ObjectView, viewOf } from '../world/objects.ts'
import { createWorld } from '../world/world.ts'

/** A policy and where it was found. */
export type FoundPolicy = FoundObject<PolicyView>

/** The objects of one world, by what they are to the gateway system. */
export type GatewayObjects = {
  readonly policies: readonly FoundPolicy[]
  readonly gateways: readonly GatewayView[]
  /** HTTPRoutes, then GRPCRoutes. */
  readonly routes: readonly RouteView[]
  /** True where some objects cannot be read or built, are templates, or have placeholders in their names. */
  readonly partial: boolean
  /** All objects as collected. */
  readonly collected: CollectedObjects
}

/** The objects of one world, and the lookups over them. */
export type NamedWorld = {
  /** The name in the settings; empty for sources that belong to no world. */
  readonly name: string
  readonly objects: GatewayObjects
  readonly world: GatewayLookups
  /** What of its objects is left out, and why. */
  readonly notJudged: readonly NotJudged[]
}

/** One world as a query looks at it. */
export type QueryWorld = NamedWorld & {
  /** The policies with errors that lint reports on each object alone, and who rejects them. */
  readonly invalid: ReadonlyMap<PolicyView, Invalidity>
  /** True where the sources are all that exists. */
  readonly closedWorld: boolean
}

/** How sources are read for queries. */
export type QueryWorldOptions = {
  readonly settings: Settings
  /** True where the sources are all that exists. */
  readonly closedWorld: boolean
}

const SYSTEMS = [GATEWAY_SYSTEM]

/** Reads sources into their worlds. */
export function queryWorlds(sources: Sources, options: QueryWorldOptions): readonly QueryWorld[] {
  const { settings, closedWorld } = options
  return namedWorlds(sources, options).map(({ world: lookups, ...named }) => {
    const { objects } = named
    const invalid = withoutZones(findInvalid(objects, settings), objects, lookups, settings)
    const isUnusable = (policy: PolicyView) => invalid.get(policy)?.rejectedBy === 'nginx'
    const world: GatewayLookups = { ...lookups, policies: { ...lookups.policies, isUnusable } }
    return { ...named, invalid, world, closedWorld: closedWorld && !objects.partial }
  })
}

/** Adds the policies of which the release writes no zones on any of their Gateways: nginx refuses a configuration with their limits. */
function withoutZones(
  invalid: ReadonlyMap<PolicyView, Invalidity>,
  objects: GatewayObjects,
  lookups: GatewayLookups,
  { fabricVersion, conflict }: Settings,
): ReadonlyMap<PolicyView, Invalidity> {
  if (!hasFault(fabricVersion, 'zoneOfListenerSet')) return invalid
  const message = `${fabricTitle(fabricVersion)} writes no zones of it, as its routes name only ListenerSets: ${FAULTS.zoneOfListenerSet.link}`
  const found = policiesOf(objects).flatMap(({ view }): [PolicyView, Invalidity][] => {
    const without = new Set(routesThroughSets(view, lookups, conflict).map(({ gateway }) => fullName(gateway)))
    const isWithout =
      without.size > 0 && gatewaysOf(view, lookups).every(({ identity }) => without.has(fullName(identity)))
    return isWithout && !invalid.has(view) ? [[view, { errors: 1, message, rejectedBy: 'nginx' }]] : []
  })
  return found.length === 0 ? invalid : new Map([...invalid, ...found])
}

/** Reads sources into worlds with all of their policies, valid or not. */
export function namedWorlds(sources: Sources, { settings, closedWorld }: QueryWorldOptions): readonly NamedWorld[] {
  const { worlds, ownWorlds } = collectWorlds(sources, kindTable(SYSTEMS, apiNames(settings.apiGroups)))
  return [...worlds].map(([world, collected]) => {
    const objects = gatewayObjects(collected)
    // The world of a kustomization needs a name only where there are others.
    const name = worlds.size === 1 && ownWorlds.has(world) ? '' : world
    const byKind = objectsOf(collected, { closed: closedWorld })
    const { lookups } = createWorld(SYSTEMS, byKind).forRelease(settings.fabricVersion)
    return { name, objects, world: lookups, notJudged: leftOutOf(collected, byKind) }
  })
}

function gatewayObjects(collected: CollectedObjects): GatewayObjects {
  const { byKind, partial } = collected
  const viewsOf = <View extends ObjectView>(kind: KindRef<View>): readonly View[] =>
    (byKind.get(kind.kind) ?? []).flatMap(({ view }) => viewOf(view, kind) ?? [])
  const policies = (byKind.get(RATE_LIMIT_POLICY.kind) ?? []).flatMap((found): FoundPolicy[] => {
    const view = viewOf(found.view, RATE_LIMIT_POLICY)
    return view ? [{ ...found, view }] : []
  })
  return {
    policies,
    gateways: viewsOf(GATEWAY),
    routes: [...viewsOf(HTTP_ROUTE), ...viewsOf(GRPC_ROUTE)],
    partial,
    collected,
  }
}

/** Lookups that find no object by its name; variables that SnippetsFilters define are known all the same. */
export const isolatedLookups = ({ collected }: GatewayObjects, names: ApiNames): GatewayLookups =>
  isolatedWorld(SYSTEMS, kindTable(SYSTEMS, names), collected).lookups

/**
 * Those of some policies, or of all, that have errors on their own. Severities in the settings do not count here: they do
 * not change what the API server and nginx accept.
 */
export function findInvalid(
  objects: GatewayObjects,
  settings: Settings,
  policies: Iterable<PolicyView> = policiesOf(objects).map(({ view }) => view),
): ReadonlyMap<PolicyView, Invalidity> {
  const judge = judgeAlone(isolatedLookups(objects, apiNames(settings.apiGroups)), settings)
  return new Map(
    [...policies].flatMap((view) => {
      const invalidity = judge(view)
      return invalidity ? [[view, invalidity]] : []
    }),
  )
}

/** Judges policies one by one, each alone: `lookups` find no object by its name. The errors of a policy, where it has any. */
export function judgeAlone(
  lookups: GatewayLookups,
  settings: Settings,
): (policy: PolicyView) => Invalidity | undefined {
  const judge = createJudge({ rules: RULES, settings: { ...settings, rules: {}, ruleset: undefined } })
  const rules = new Map(RULES.map((rule) => [rule.id, rule]))
  return (view) => {
    const { object, identity } = view
    const findings = judge({ kind: 'RateLimitPolicy', view, object, identity, world: { lookups } })
    const errors = findings.filter(({ severity, pointer }) => severity === 'error' && !isFilledInLater(view, pointer))
    const reason = apiRejection(view)
    const first = errors.find(({ rule }) => !DROPPED_FIELDS.has(rule)) ?? errors[0]
    const rule = first && rules.get(first.rule)
    const message = first && rule ? describeMessage(rule, first).message : reason
    if (message === undefined) return undefined
    const isDropped = errors.every(({ rule: id }) => DROPPED_FIELDS.has(id))
    const rejectedBy = reason !== undefined ? 'api-server' : isDropped ? 'strict-client' : 'nginx'
    return { errors: Math.max(1, errors.length), message, rejectedBy }
  }
}

/** Rules whose errors are about fields that the API server drops, unless the client asks for strict validation. */
const DROPPED_FIELDS: ReadonlySet<string> = new Set(['gateway/unknown-field', 'gateway/target-namespace'])

/** What decides whether policies of a world are in force. */
export const forceContext = (
  { world, invalid }: QueryWorld,
  { conflict }: Pick<Settings, 'conflict'>,
): ForceContext => ({
  ...world,
  conflict,
  invalidity: (policy) => invalid.get(policy),
})

/** The policies of a known API version. */
export const policiesOf = ({ policies }: GatewayObjects): readonly FoundPolicy[] =>
  policies.filter(({ known }) => known)
