/** One version of policies and routes as it is simulated. */

import { type EffectiveLimit, effectiveLimits, limitsOn } from '../../gateway/effective/effective.ts'
import type { RouteView } from '../../gateway/objects/gateways-and-routes.ts'
import { isRouteKind, SHARED_SETTINGS, type TargetKind } from '../../gateway/objects/policy.ts'
import type { Attachment } from '../../gateway/routing/attachment.ts'
import { type AttachedRoute, type RouteRow, routeRows } from '../../gateway/routing/matches.ts'
import type { QueryWorld } from '../../queries/query-world.ts'
import type { Settings } from '../../settings/settings.ts'
import { COMMON_PLACES, type Place, type PlacedRow, type Scenario, type Stage } from '../core/plan.ts'
import type { Note } from '../report/notes.ts'
import type { Expressions } from './expressions.ts'
import { createLimitList, type LimitList } from './limit-list.ts'

/** An object by its name. */
export type ObjectName = { readonly kind: TargetKind; readonly namespace: string; readonly name: string }

/** What the user means. */
export type Selection = {
  /** The Gateway whose traffic it is; undefined where none is in sight. */
  readonly gateway: { readonly namespace: string; readonly name: string } | undefined
  /** The object that every request meets. */
  readonly forced: ObjectName | undefined
}

export type ScenarioOptions = {
  readonly settings: Settings
  readonly selection: Selection
  readonly expressions: Expressions
  note(note: Note): void
}

/** A route behind the Gateway, with the limits that requests to it meet. */
type Behind = {
  readonly route: RouteView
  readonly hostnames: readonly string[]
  readonly limits: readonly EffectiveLimit[]
}

/** Makes a scenario of a world; what cannot be simulated is noted. */
export function createScenario(sight: QueryWorld, options: ScenarioOptions): Scenario {
  const limits = createLimitList(options.settings.platform.pageSize, options.expressions, options.note)
  const { forced } = options.selection
  const composition = options.settings.composition
  if (forced) {
    const place = { route: forced, stages: stagesOf(forcedLimits(sight, forced, options), limits) }
    return {
      composition,
      limits: limits.all,
      places: [...COMMON_PLACES, place],
      rows: [],
      forced: COMMON_PLACES.length,
    }
  }
  const behind = routesBehind(sight, options)
  const places: Place[] = [...COMMON_PLACES]
  const rows = placeRows(behind, limits, places)
  return { composition, limits: limits.all, places, rows, forced: undefined }
}

/** Limits of one location; where Gateway and route differ in their settings, those of the Gateway are an outer hop's. */
function stagesOf(effective: readonly EffectiveLimit[], list: LimitList): readonly Stage[] {
  const sides = (['gateway', 'route'] as const).map((side) => effective.filter(({ level }) => level === side))
  const [[outer] = [], [inner] = []] = sides
  const differ =
    outer && inner && SHARED_SETTINGS.some((name) => outer.settings[name].value !== inner.settings[name].value)
  const groups = differ ? sides : [effective]
  return groups.flatMap((group) => {
    const [first] = group
    return first ? [{ limits: group.map((limit) => list.add(limit)), dryRun: first.settings.dryRun.value }] : []
  })
}

function forcedLimits(
  { world }: QueryWorld,
  target: ObjectName,
  { settings, selection }: ScenarioOptions,
): readonly EffectiveLimit[] {
  const { kind, namespace, name } = target
  const found = isRouteKind(kind) ? world.routes.get(kind, namespace, name) : undefined
  const behind = found?.state === 'found' ? effectiveLimits(found.value, world, settings) : []
  const { gateway } = selection
  const at = behind.find((one) => one.namespace === gateway?.namespace && one.name === gateway?.name)
  return (at ?? limitsOn(target, world.policies, settings.conflict)).limits
}

function routesBehind(
  { world, objects }: QueryWorld,
  { settings, selection: { gateway } }: ScenarioOptions,
): readonly Behind[] {
  const routes = objects.routes.filter(({ identity: { kind, namespace, name } }) => {
    return name !== undefined && world.routes.get(kind, namespace, name).state === 'found'
  })
  return routes.flatMap((route): readonly Behind[] => {
    if (!gateway) {
      const target = { ...route.identity, name: route.identity.name ?? '' }
      return [
        { route, hostnames: ownHostnames(route), limits: limitsOn(target, world.policies, settings.conflict).limits },
      ]
    }
    const at = effectiveLimits(route, world, settings).find(
      (one) => one.namespace === gateway.namespace && one.name === gateway.name,
    )
    return at ? [{ route, hostnames: hostnamesOf(route, at.attachment), limits: at.limits }] : []
  })
}

const ownHostnames = ({ hostnames }: RouteView): readonly string[] => (hostnames.length > 0 ? hostnames : [''])

const hostnamesOf = (route: RouteView, attachment: Attachment): readonly string[] =>
  attachment.state === 'attached'
    ? [...new Set(attachment.listeners.flatMap(({ hostnames }) => hostnames))]
    : ownHostnames(route)

/** Each route gets a place; rules that redirect lead to one without limits. */
function placeRows(behind: readonly Behind[], limits: LimitList, places: Place[]): readonly PlacedRow[] {
  const attached: readonly AttachedRoute[] = behind
  const limited: number[] = []
  const free: (number | undefined)[] = []
  for (const [index, { route, limits: effective }] of behind.entries()) {
    limited[index] = places.push({ route: nameOf(route), stages: stagesOf(effective, limits) }) - 1
  }
  return routeRows(attached).map((row) => {
    const route = behind[row.route]?.route
    if (row.redirects && free[row.route] === undefined && route)
      free[row.route] = places.push({ route: nameOf(route), stages: [] }) - 1
    const place = (row.redirects ? free[row.route] : limited[row.route]) ?? 0
    return { ...wholeMethod(row, route), place }
  })
}

const nameOf = ({ identity: { kind, namespace = '', name = '' } }: RouteView): ObjectName => ({ kind, namespace, name })

/** A pattern for a gRPC method is for all of its path; one for an HTTP path is for its beginning. */
function wholeMethod(row: RouteRow, route: RouteView | undefined): RouteRow {
  if (route?.identity.kind !== 'GRPCRoute' || row.path.type !== 'RegularExpression') return row
  return { ...row, path: { ...row.path, value: `(?:${row.path.value})$` } }
}
