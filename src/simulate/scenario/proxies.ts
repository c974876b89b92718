/** API proxies in a simulation: each has its own limits, which all of its routes share. Source: nginx, location. */
import { appliedTogether, CONSUMER } from '../../api-management/mapping.ts'
import { planOf } from '../../api-management/render/plan.ts'
import { keyParts } from '../../limits/key.ts'
import type { Sources } from '../../project/source.ts'
import type { QueryResult } from '../../queries/find.ts'
import {
  type FoundProxy,
  findProxy,
  isProxyQuery,
  type ProxyWorld,
  printPlace,
  proxyWorlds,
  titleOfProxy,
} from '../../queries/proxies/find.ts'
import { describeProxyLimits, type ProxyLimit } from '../../queries/proxies/limit.ts'
import { trafficRows } from '../../queries/proxies/traffic.ts'
import type { Settings } from '../../settings/settings.ts'
import {
  COMMON_LOCATIONS,
  type LocationRow,
  type PlannedLocation,
  type Scenario,
  type SimulatedLimit,
} from '../core/plan.ts'
import { important, type Note } from '../report/notes.ts'
import type { SelectionQuery } from './select.ts'
import type { ScenarioOptions, Subject } from './subject.ts'

const consumer = CONSUMER.slice(1)

/** What the configuration of proxies defines. */
const VARIABLES: Subject['variables'] = { defined: new Set([consumer]), isOpen: false, modules: new Set() }

/** True for a query that is about proxies and nothing else. */
export const isAboutProxies = ({ route }: SelectionQuery): boolean => route !== undefined && isProxyQuery(route)

/**
 * Finds the proxies that a query selects: the one that it names, else all, so that each request goes to the one that
 * answers it. A problem is one line.
 */
export function selectProxies(
  sources: Sources,
  query: SelectionQuery,
  settings: Settings,
): QueryResult<Subject | undefined> {
  const worlds = proxyWorlds(sources, settings)
  if (query.route !== undefined) {
    const found = findProxy(query.route, worlds, query.world)
    return found.ok ? { ok: true, value: subjectOf(found.value.world, found.value.proxy) } : found
  }
  const inWorld = worlds.filter(({ name, proxies }) => proxies.length > 0 && (query.world ?? name) === name)
  const [world, another] = inWorld
  if (another)
    return {
      ok: false,
      problem: `there are several worlds; select one with --world: ${inWorld.map(({ name }) => name).join(', ')}`,
    }
  const [only, second] = world?.proxies ?? []
  return { ok: true, value: world && subjectOf(world, query.anywhere && !second ? only : undefined) }
}

function subjectOf(world: ProxyWorld, forced: FoundProxy | undefined): Subject {
  const proxies = forced ? [forced] : world.proxies
  return {
    system: 'api-management',
    gateway: undefined,
    variables: VARIABLES,
    perClient: [consumer],
    notJudged: world.notJudged,
    scenario: (options) => createProxyScenario(proxies, forced !== undefined, options),
    notes: () => proxies.flatMap((proxy) => notesOn(proxy, forced !== undefined)),
  }
}

function notesOn(proxy: FoundProxy, isForced: boolean): readonly Note[] {
  const { plan, problems } = planOf(proxy.view.object)
  const refusal = proxy.refusal()
  const [problem] = isForced ? [] : problems
  const title = titleOfProxy(proxy)
  return [
    ...(refusal
      ? [important(`the API refuses ${title}; its limits without errors are simulated: ${refusal.message}`)]
      : []),
    ...(problem
      ? [important(`${title} cannot be published, so no request goes there: ${problem.pointer}: ${problem.message}`)]
      : []),
    ...(plan.keys
      ? [
          important(
            `${title} answers requests without a valid key with 401 before it looks at limits; here every request counts as one with a key`,
          ),
        ]
      : []),
  ]
}

function createProxyScenario(proxies: readonly FoundProxy[], isForced: boolean, options: ScenarioOptions): Scenario {
  const limits: SimulatedLimit[] = []
  const locations: PlannedLocation[] = [...COMMON_LOCATIONS]
  const rows: LocationRow[] = []
  for (const [index, proxy] of proxies.entries()) {
    const applied = appliedTogether(describeProxyLimits(proxy, options.settings))
    const own = applied.limits.map((limit) => simulatedLimit(limit, proxy, options))
    const positions = own.map((limit) => limits.push(limit) - 1)
    const stages = positions.length > 0 ? [{ limits: positions, dryRun: applied.dryRun }] : []
    const location = locations.push({ route: nameOf(proxy), stages }) - 1
    rows.push(...rowsOf(proxy).map((row) => ({ ...row, route: index, rule: 0, location })))
  }
  const forced = isForced ? COMMON_LOCATIONS.length : undefined
  const { composition } = options.settings
  return { composition, limits, locations, rows: isForced ? [] : rows, ports: [], forced }
}

const nameOf = ({ name, hostname, version, place }: FoundProxy) => ({
  kind: 'Proxy',
  namespace: hostname ?? '',
  name: name === null ? printPlace(place()) : version === 'v1' ? name : `${name}@${version}`,
})

/** Where a proxy answers: the base path, and the service of gRPC. One that cannot be published answers nowhere. */
function rowsOf({ view }: FoundProxy): readonly Omit<LocationRow, 'location' | 'route' | 'rule'>[] {
  const { plan, problems } = planOf(view.object)
  if (problems.length > 0) return []
  const paths = [
    ...(plan.base === undefined ? [] : [plan.base || '/']),
    ...(plan.grpc ? [`/${plan.grpc.service}/`] : []),
  ]
  return trafficRows({ hostname: plan.hostname ?? '', paths })
}

function simulatedLimit(
  limit: ProxyLimit,
  proxy: FoundProxy,
  { expressions, addNote }: ScenarioOptions,
): SimulatedLimit {
  const { namespace, name } = nameOf(proxy)
  const { index, zone, zoneBytes, zoneMaxKeys, key, rate, requestsPerSecond, burst, delay, noDelay } = limit
  const parts = keyParts(key)
  const expression = expressions.of(parts)
  const simulated: SimulatedLimit = {
    policy: { namespace, name: `${name} rate-limit[${limit.policy}]` },
    index,
    zone,
    zoneBytes,
    zoneMaxKeys,
    key,
    parts,
    rate,
    requestsPerSecond,
    thousandths: Math.round(requestsPerSecond * 1000),
    burst,
    delay,
    noDelay,
    rejectCode: codeOf(limit, proxy),
    dryRun: limit.dryRun,
    expression: 'number' in expression ? expression.number : undefined,
  }
  if ('unknown' in expression) addNote({ type: 'unknown-variables', limit: simulated, unknown: expression.unknown })
  return simulated
}

/** The code of the proxy's traffic; null where it takes both HTTP and gRPC, and their codes differ. */
function codeOf({ returnCode, grpcStatusCode }: ProxyLimit, { view }: FoundProxy): number | null {
  const { base, grpc, backends } = planOf(view.object).plan
  const protocols = new Set([
    ...(grpc ? ['grpc'] : []),
    ...(base === undefined ? [] : backends.length === 0 ? ['http'] : backends.map(({ protocol }) => protocol)),
  ])
  const codes = new Set([...protocols].map((protocol) => (protocol === 'grpc' ? grpcStatusCode : returnCode)))
  const [code, another] = codes
  return code === undefined || another !== undefined ? null : code
}
