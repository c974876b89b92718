/** Builds a scenario: one version of policies and routes, ready to be simulated. */
import { type EffectiveLimit, effectiveLimits, limitsOn } from '../../gateway/effective/effective.ts'
import type { ListenerView, RouteView } from '../../gateway/objects/gateways-and-routes.ts'
import { isRouteKind, SHARED_SETTINGS } from '../../gateway/objects/policy.ts'
import type { Attachment } from '../../gateway/routing/attachment.ts'
import { type RouteRow, type RouteWithHostnames, routeRows } from '../../gateway/routing/matches.ts'
import { DEFAULT_ZONE_SIZE } from '../../limits/size.ts'
import { describeLimit, type LimitContext } from '../../queries/limit.ts'
import type { QueryWorld } from '../../queries/query-world.ts'
import {
  COMMON_LOCATIONS,
  type ListenerPort,
  type LocationRow,
  type PlannedLocation,
  type Scenario,
  type SimulatedLimit,
  type Stage,
} from '../core/plan.ts'
import { policyNotes } from '../report/notes.ts'
import type { SelectedTarget, Selection } from './select.ts'
import type { ScenarioOptions, Subject } from './subject.ts'

/** How the scenario of a Gateway is built. */
type GatewayScenarioOptions = ScenarioOptions & { readonly selection: Selection }

/** The routes, policies and Gateway of a selection. */
export const gatewaySubject = (queryWorld: QueryWorld, selection: Selection): Subject => ({
  system: 'gateway',
  gateway: selection.gateway,
  variables: queryWorld.world.variables,
  perClient: [],
  notJudged: queryWorld.notJudged,
  scenario: (options) => createScenario(queryWorld, { ...options, selection }),
  notes: (settings) => policyNotes(queryWorld, selection, settings),
})

/** A route behind the Gateway, with the limits that its requests meet. */
type ScenarioLimits = {
  readonly route: RouteView
  readonly limits: readonly EffectiveLimit[]
  readonly listeners: readonly ListenerView[]
  /** The hostnames under which it answers on a port; undefined is the port of a Gateway that is not known. */
  hostnames(port: number | undefined): readonly string[]
}

/** Builds the scenario of one version of the manifests. */
function createScenario(queryWorld: QueryWorld, options: GatewayScenarioOptions): Scenario {
  const limits = createLimitList(options)
  const { forced } = options.selection
  const composition = options.settings.composition
  if (forced) {
    const location = { route: forced, stages: stagesOf(forcedLimits(queryWorld, forced, options), limits) }
    return {
      composition,
      limits: limits.all,
      locations: [...COMMON_LOCATIONS, location],
      rows: [],
      ports: [],
      forced: COMMON_LOCATIONS.length,
    }
  }
  const behind = routesBehind(queryWorld, options)
  const locations: PlannedLocation[] = [...COMMON_LOCATIONS]
  const ports = portsOf([...listenersOf(queryWorld, options), ...behind.flatMap(({ listeners }) => listeners)])
  const rows = locationRows({ behind, ports, limits, locations })
  return { composition, limits: limits.all, locations, rows, ports, forced: undefined }
}

function listenersOf(
  { world }: QueryWorld,
  { selection: { gateway } }: GatewayScenarioOptions,
): readonly ListenerView[] {
  const found = gateway && world.gateways.get(gateway.namespace, gateway.name)
  return found?.state === 'found' ? found.value.listeners : []
}

/** The ports of listeners. The first listener of a port decides whether it is for HTTPS. */
function portsOf(listeners: readonly ListenerView[]): readonly ListenerPort[] {
  const ports = new Map<number, ListenerPort>()
  for (const { port, protocol } of listeners) {
    if (port === undefined || ports.has(port) || (protocol !== 'HTTP' && protocol !== 'HTTPS')) continue
    ports.set(port, { port, isTls: protocol === 'HTTPS' })
  }
  return [...ports.values()].sort((a, b) => Number(b.isTls) - Number(a.isTls) || a.port - b.port)
}

/** The limits of one location. Where Gateway and route differ in their settings, the Gateway's are an outer hop. */
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
  target: SelectedTarget,
  { settings, selection }: GatewayScenarioOptions,
): readonly EffectiveLimit[] {
  const { kind, namespace, name } = target
  const found = isRouteKind(kind) ? world.routes.get(kind, namespace, name) : undefined
  const behind = found?.state === 'found' ? effectiveLimits(found.value, world, settings) : []
  const { gateway } = selection
  const at = behind.find((one) => one.namespace === gateway?.namespace && one.name === gateway?.name)
  return (at ?? limitsOn(target, world, settings.conflict)).limits
}

function routesBehind(
  { world, objects }: QueryWorld,
  { settings, selection: { gateway } }: GatewayScenarioOptions,
): readonly ScenarioLimits[] {
  const routes = objects.routes.filter(({ identity: { kind, namespace, name } }) => {
    return name !== undefined && world.routes.get(kind, namespace, name).state === 'found'
  })
  return routes.flatMap((route): readonly ScenarioLimits[] => {
    if (!gateway) {
      const target = { ...route.identity, name: route.identity.name ?? '' }
      const { limits } = limitsOn(target, world, settings.conflict)
      return [{ route, limits, listeners: [], hostnames: () => ownHostnames(route) }]
    }
    const at = effectiveLimits(route, world, settings).find(
      (one) => one.namespace === gateway.namespace && one.name === gateway.name,
    )
    if (!at) return []
    const { limits, attachment } = at
    const listeners = attachment.state === 'attached' ? attachment.listeners.map(({ listener }) => listener) : []
    return [{ route, limits, listeners, hostnames: (port) => hostnamesOn(port, route, attachment) }]
  })
}

const ownHostnames = ({ hostnames }: RouteView): readonly string[] => (hostnames.length > 0 ? hostnames : [''])

/** A route of which it is not known whether a listener accepts it is taken to answer on every port. */
function hostnamesOn(port: number | undefined, route: RouteView, attachment: Attachment): readonly string[] {
  if (attachment.state !== 'attached') return ownHostnames(route)
  const here = attachment.listeners.filter(({ listener }) => port === undefined || listener.port === port)
  return [...new Set(here.flatMap(({ hostnames }) => hostnames))]
}

type RowParts = {
  readonly behind: readonly ScenarioLimits[]
  readonly ports: readonly ListenerPort[]
  readonly limits: LimitList
  /** Gets a location for each route. */
  readonly locations: PlannedLocation[]
}

/** The matches of the routes on each port; rules that redirect lead to a location without limits. */
function locationRows({ behind, ports, limits, locations }: RowParts): readonly LocationRow[] {
  const limited: number[] = []
  const redirected: (number | undefined)[] = []
  const guessed: (number | undefined)[] = []
  for (const [index, { route, limits: effective }] of behind.entries()) {
    limited[index] = locations.push({ route: nameOf(route), stages: stagesOf(effective, limits) }) - 1
  }
  const rowsOn = (port: number | undefined): readonly LocationRow[] => {
    const here: readonly RouteWithHostnames[] = behind.map(({ route, hostnames }) => ({
      route,
      hostnames: hostnames(port),
    }))
    return routeRows(here).map((row) => {
      const route = behind[row.route]?.route
      if (row.redirects && redirected[row.route] === undefined && route)
        redirected[row.route] = locations.push({ route: nameOf(route), stages: [] }) - 1
      const location = (row.redirects ? redirected[row.route] : limited[row.route]) ?? 0
      if (port === undefined) return { ...wholeMethod(row, route), location }
      const known = locations[location] ?? { route: undefined, stages: [] }
      guessed[location] ??= locations.push({ ...known, isGuess: true }) - 1
      return { ...wholeMethod(row, route), location, port, guessed: guessed[location] }
    })
  }
  return ports.length === 0 ? rowsOn(undefined) : ports.flatMap(({ port }) => rowsOn(port))
}

const nameOf = ({ identity: { kind, namespace = '', name = '' } }: RouteView): SelectedTarget => ({
  kind,
  namespace,
  name,
})

/** A pattern for a gRPC method matches the whole path; one for an HTTP path matches its beginning. */
function wholeMethod(row: RouteRow, route: RouteView | undefined): RouteRow {
  if (route?.identity.kind !== 'GRPCRoute' || row.path.type !== 'RegularExpression') return row
  return { ...row, path: { ...row.path, value: `(?:${row.path.value})$` } }
}

/** The limits of a scenario, each once: its zone is shared by all targets of its policy. */
type LimitList = {
  /** Returns the position of the limit. */
  add(limit: EffectiveLimit): number
  readonly all: readonly SimulatedLimit[]
}

function createLimitList({ platform, settings, expressions, addNote }: ScenarioOptions): LimitList {
  const all: SimulatedLimit[] = []
  const positions = new Map<EffectiveLimit['limit'], number>()
  /** `kind` and `self` are for members of the description that are not used here. */
  const context = {
    platform: { ...platform, pageSize: settings.platform.pageSize },
    zoneNaming: settings.zoneNaming,
    kind: 'Gateway',
    self: '',
  } as const
  return {
    add(effective) {
      const known = positions.get(effective.limit)
      const before = known === undefined ? undefined : all[known]
      if (known !== undefined && before) {
        all[known] = withSettings(before, effective.settings)
        return known
      }
      const expression = expressions.of(effective.limit.key.value?.parts ?? [])
      const limit: SimulatedLimit = {
        ...simulatedLimit(effective, context),
        expression: 'number' in expression ? expression.number : undefined,
      }
      if ('unknown' in expression) addNote({ type: 'unknown-variables', limit, unknown: expression.unknown })
      const position = all.push(limit) - 1
      positions.set(effective.limit, position)
      return position
    },
    all,
  }
}

/** A limit that is used under further settings: what differs has no single value. */
const withSettings = (limit: SimulatedLimit, { rejectCode, dryRun }: EffectiveLimit['settings']): SimulatedLimit => ({
  ...limit,
  rejectCode: limit.rejectCode === rejectCode.value ? limit.rejectCode : null,
  dryRun: limit.dryRun === dryRun.value ? limit.dryRun : null,
})

/** A zone without a valid size is simulated with the default size. */
function simulatedLimit(effective: EffectiveLimit, context: LimitContext): Omit<SimulatedLimit, 'expression'> {
  const { limit } = effective
  const { policy, index, zone, zoneBytes, zoneMaxKeys, key, rate, ...rest } = describeLimit(effective, context)
  const { requestsPerSecond, burst, delay, noDelay, rejectCode, dryRun } = rest
  return {
    policy,
    index,
    zone,
    zoneBytes: zoneBytes ?? DEFAULT_ZONE_SIZE.bytes,
    zoneMaxKeys,
    key,
    parts: limit.key.value?.parts ?? [],
    rate,
    requestsPerSecond,
    thousandths: limit.rate.value?.thousandths ?? 0,
    burst,
    delay,
    noDelay,
    rejectCode,
    dryRun,
  }
}
