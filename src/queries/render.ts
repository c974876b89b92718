/** `sluice render`: the nginx configuration of the Gateways of a query. */

import type { GatewayLookups } from '../gateway/lookups/lookups.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { titleOf } from '../gateway/render/files.ts'
import { type NamedGateway, titleOfGateway } from '../gateway/render/listeners.ts'
import { type Rendered, type RenderOptions, renderGateway } from '../gateway/render/render.ts'
import { describeInvalidity } from '../gateway/status/status.ts'
import { TWICE } from '../project/left-out.ts'
import { eachOnce, type NotJudged, readingOf, type Sources, withNamesOnly } from '../project/source.ts'
import type { Settings } from '../settings/settings.ts'
import { nearest } from '../text/nearest.ts'
import { findGateways, type GatewayQuery, listNames, type QueryResult } from './find.ts'
import { proxyWorlds } from './proxies/find.ts'
import { type RenderedProxies, renderProxyWorld } from './proxies/render.ts'
import { findInvalid, type NamedWorld, namedWorlds, type QueryWorldOptions } from './query-world.ts'

/** Which Gateways to render, and how. */
export type RenderQuery = GatewayQuery & {
  readonly settings: Settings
  /** True where the sources are all that exists. */
  readonly closedWorld: boolean
  /** How to render; what the settings decide is taken from them. */
  readonly how: Omit<RenderOptions, keyof DecidedOptions | 'addresses'> & {
    /** Addresses of backends, by `[NAMESPACE/]SERVICE[:PORT]`. */
    readonly addresses: ReadonlyMap<string, string>
  }
}

/** What is not chosen with a query. */
type DecidedOptions = Pick<
  RenderOptions,
  'composition' | 'conflict' | 'zoneNaming' | 'fabricVersion' | 'nginxVersion' | 'plus' | 'defined'
>

/** The configuration of one Gateway. */
export type RenderedGateway = Pick<Rendered, 'files' | 'loops'> & {
  /** The world that it belongs to; empty where the settings define none. */
  readonly world: string
  readonly namespace: string
  readonly name: string
  /** False where its manifest is not given and other objects only name it. */
  readonly found: boolean
}

/** The rendered Gateways of a query. */
export type RenderResult = {
  readonly gateways: readonly RenderedGateway[]
  /** The API proxies, one configuration for each world that has some. */
  readonly apiManagement: readonly RenderedProxies[]
  /** What was left out, and what nginx rejects, each in one line. */
  readonly notes: readonly string[]
  /** What of the given manifests is left out, although it may change the configuration; sorted by file and line. */
  readonly notJudged: readonly NotJudged[]
}

/**
 * Renders the Gateways of a query, and the API proxies where it names no Gateway. They are configurations of different
 * nginx: where only one can be printed, a problem says how to choose.
 */
export function queryRender(sources: Sources, query: RenderQuery): QueryResult<RenderResult> {
  const reading = readingOf(sources)
  const proxies = query.gateway === undefined ? renderBodies(reading, query) : NO_BODIES
  if (!proxies.ok) return proxies
  const { rendered } = proxies.value
  const worlds = worldsWithNames(reading, query)
  if (rendered.length === 0) return renderGateways(worlds, query)
  const { addresses } = query.how
  const used = new Set(rendered.flatMap((one) => one.used))
  const rest = new Map([...addresses].filter(([name]) => !used.has(name)))
  const areAlone = [...worlds.keys()].every(
    ({ objects: { gateways, routes, policies } }) => gateways.length + routes.length + policies.length === 0,
  )
  if (!areAlone && !query.several) return { ok: false, problem: BOTH }
  const around = areAlone
    ? withoutGateways(query, rendered, rest)
    : renderGateways(worlds, { ...query, how: { ...query.how, addresses: rest } })
  if (!around.ok) return around
  const { gateways, notes, notJudged } = around.value
  return {
    ok: true,
    value: {
      gateways,
      apiManagement: rendered.map(({ world, files }) => ({ world, files })),
      notes: [...notes, ...rendered.flatMap((one) => one.notes)],
      notJudged: eachOnce([...notJudged, ...proxies.value.notJudged]),
    },
  }
}

const BOTH =
  'these files contain both Gateways and API proxies, which are configurations of different nginx; pick a Gateway with --gateway, pass only the paths of the proxies, or write all with --dir'

type Bodies = {
  readonly rendered: readonly ReturnType<typeof renderProxyWorld>[]
  readonly notJudged: readonly NotJudged[]
}

const NO_BODIES: QueryResult<Bodies> = { ok: true, value: { rendered: [], notJudged: [] } }

/** The port of proxies, unless --port and --port-offset change it. */
const PROXY_PORT = 80

function renderBodies(sources: Sources, { settings, how, world, several }: RenderQuery): QueryResult<Bodies> {
  const all = proxyWorlds(sources, settings).filter(({ proxies }) => proxies.length > 0)
  const worlds = all.filter(({ name }) => world === undefined || name === world)
  if (worlds.length > 1 && !several)
    return {
      ok: false,
      problem: `there are API proxies in several worlds: ${worlds.map(({ name }) => name || 'files without a world').join(', ')}; pick one with --world, or write all with --dir`,
    }
  const { complete, files, address, ports, portOffset, addresses } = how
  const port = ports.get(PROXY_PORT) ?? PROXY_PORT + portOffset
  const site = { nginxVersion: settings.platform.nginxVersion, address, port }
  const rendered = worlds.map((one) => renderProxyWorld(one, { complete, files, addresses, site }))
  return { ok: true, value: { rendered, notJudged: worlds.flatMap(({ notJudged }) => notJudged) } }
}

/** What there is beside proxies where the sources have nothing of Gateways. */
function withoutGateways(
  { how }: RenderQuery,
  rendered: Bodies['rendered'],
  addresses: ReadonlyMap<string, string>,
): QueryResult<Omit<RenderResult, 'apiManagement'>> {
  const [unused] = addresses.keys()
  const backends = [...new Set(rendered.flatMap((one) => one.backends))]
  if (unused !== undefined) {
    const meant = nearest(unused, backends)
    const known = backends.length === 0 ? 'there are no backends' : `the backends are ${listNames(backends)}`
    return {
      ok: false,
      problem: `--upstream ${unused}: no API proxy has such a backend; ${meant === undefined ? known : `did you mean ${meant}?`}`,
    }
  }
  if (how.certificates)
    return { ok: false, problem: '--tls-dir is for the listeners of Gateways; these files have none' }
  return { ok: true, value: { gateways: [], notes: [], notJudged: [] } }
}

/** Renders the Gateways of a query. */
function renderGateways(worlds: WorldsWithNames, query: RenderQuery): QueryResult<RenderResult> {
  const { settings, how } = query
  const found = findGateways([...worlds.keys()], query)
  const notJudgedIn = (some: Iterable<NamedWorld>) => eachOnce([...some].flatMap(({ notJudged }) => notJudged))
  if (!found.ok) return { ...found, notJudged: notJudgedIn(worlds.keys()) }
  const { chosen, others } = found.value
  const rendered = chosen.map(({ queryWorld, gateway }) => ({
    queryWorld,
    gateway,
    ...renderIn(queryWorld, gateway, query),
  }))
  const problem = rendered.flatMap(({ gateway, problems }) =>
    problems.map((text) => `${titleOfGateway(gateway)}: ${text}`),
  )[0]
  const failure = problem ?? unusedUpstream(how.addresses, rendered)
  const notJudged = notJudgedIn(rendered.map(({ queryWorld }) => queryWorld))
  if (failure !== undefined) return { ok: false, problem: failure, notJudged }
  return {
    ok: true,
    value: {
      gateways: rendered.map(({ queryWorld, gateway: { namespace, name, view }, files, loops }) => ({
        world: queryWorld.name,
        namespace,
        name,
        found: view !== undefined,
        files,
        loops,
      })),
      apiManagement: [],
      notes: [
        ...(rendered.some(({ queryWorld }) => worlds.get(queryWorld) === 'assumed') ? [ASSUMED] : []),
        ...rendered.flatMap(({ queryWorld, gateway }) => omissions(queryWorld, gateway)),
        ...new Set(rendered.flatMap(({ queryWorld, policies }) => rejections(queryWorld, policies, settings))),
        ...others.map(
          (gateway) =>
            `${titleOfGateway(gateway)} is named by other objects, but its manifest was not found; render it with --gateway`,
        ),
      ],
      notJudged,
    },
  }
}

/** Where kubectl puts objects that name no namespace, unless its context names one. */
const DEFAULT_NAMESPACE = 'default'

const ASSUMED = `no object names a namespace, so all are rendered as those of "${DEFAULT_NAMESPACE}"; --namespace sets another one`

type WorldsWithNames = ReadonlyMap<NamedWorld, 'named' | 'assumed'>

/**
 * The worlds of the sources, and how the namespaces in them are known. Where no object of a world names one, it is assumed;
 * beside objects that do name one, the others may be anywhere.
 */
export function worldsWithNames(sources: Sources, options: QueryWorldOptions): WorldsWithNames {
  const reading = readingOf(sources)
  const asWritten = namedWorlds(withNamesOnly(reading), options)
  /** Objects of the whole cluster, such as a GatewayClass, have none anyway. */
  const isNameless = ({ objects }: NamedWorld) =>
    [...objects.collected.byKind.values()].flat().every(({ view }) => !view.identity.namespace)
  if (!asWritten.some(isNameless)) return new Map(asWritten.map((world) => [world, 'named']))
  const inDefault = namedWorlds(withNamesOnly(reading, DEFAULT_NAMESPACE), options)
  return new Map(
    asWritten.map((world, index) => {
      const assumed = isNameless(world) ? inDefault[index] : undefined
      return assumed ? [assumed, 'assumed'] : [world, 'named']
    }),
  )
}

const renderIn = ({ world }: NamedWorld, gateway: NamedGateway, { settings, how }: RenderQuery): Rendered =>
  renderGateway(gateway, world, { ...how, ...renderSettings(world, settings) })

/** What the settings and the snippets of a world decide about its configuration. */
export function renderSettings({ variables }: Pick<GatewayLookups, 'variables'>, settings: Settings): DecidedOptions {
  const { composition, conflict, zoneNaming, fabricVersion, platform } = settings
  const { defined, isOpen } = variables
  const configured = platform.variables.map((name) => name.replace(/^\$/, '').toLowerCase())
  return {
    composition,
    conflict,
    zoneNaming,
    fabricVersion,
    nginxVersion: platform.nginxVersion,
    plus: platform.plus,
    defined: { has: (name: string) => isOpen || defined.has(name) || configured.includes(name) },
  }
}

/** A message about an `--upstream` that names no backend, which is most likely misspelt; undefined where all are used. */
function unusedUpstream(
  addresses: ReadonlyMap<string, string>,
  rendered: readonly Pick<Rendered, 'backends' | 'used'>[],
): string | undefined {
  const used = new Set(rendered.flatMap((one) => [...one.used]))
  const unused = [...addresses.keys()].find((name) => !used.has(name))
  if (unused === undefined) return undefined
  const backends = rendered.flatMap((one) => [...one.backends]).sort()
  const meant = nearest(unused, backends.flatMap(spellings))
  const known = backends.length === 0 ? 'there are no backends' : `the backends are ${backends.join(', ')}`
  return `--upstream ${unused}: no route has such a backend; ${meant === undefined ? known : `did you mean ${meant}?`}`
}

/** Every way to name a backend `NAMESPACE/SERVICE:PORT`. */
function spellings(full: string): readonly string[] {
  const withoutPort = full.slice(0, full.lastIndexOf(':'))
  return [withoutPort, full].flatMap((name) => [name.slice(name.indexOf('/') + 1), name])
}

/** Objects that seem to belong to a Gateway or its routes and that are left out, each in one line. */
function omissions({ objects, world }: NamedWorld, gateway: NamedGateway): readonly string[] {
  const routes = objects.routes.filter(({ parents }) => parents.some(({ name }) => name === gateway.name))
  const targets = new Set([
    `Gateway/${gateway.name}`,
    ...routes.map(({ identity: { kind, name } }) => `${kind}/${name}`),
  ])
  const isConcerned = (policy: PolicyView) =>
    policy.targets.some(({ kind, name }) => targets.has(`${kind.value}/${name.value}`))
  const ofPolicies = objects.policies.flatMap(({ view, origin, known }) => {
    const why = known ? whyOmitted(view, isDefinedTwice(view, world)) : 'its apiVersion is not supported'
    return why === undefined || !isConcerned(view)
      ? []
      : [`${origin.source.file}: ${titleOf(view)} is left out: ${why}`]
  })
  const ofRoutes = routes.flatMap((route) => {
    const { kind, namespace, name = '' } = route.identity
    const why = whyOmitted(route, world.routes.get(kind, namespace, name).state !== 'found')
    return why === undefined ? [] : [`${titleOf(route)} is left out: ${why}`]
  })
  return [...new Set([...(objects.partial ? [PARTIAL] : []), ...ofRoutes, ...ofPolicies])]
}

/** Policies that are rendered as they are, though nginx or a strict client rejects them, each in one line. */
const rejections = ({ objects }: NamedWorld, policies: readonly PolicyView[], settings: Settings): readonly string[] =>
  [...findInvalid(objects, settings, policies)].map(
    ([policy, invalidity]) => `${titleOf(policy)} is rendered as it is, but ${describeInvalidity(invalidity)}`,
  )

const PARTIAL =
  'some objects are left out: they cannot be read or built, are templates, or have placeholders in their names; sluice lint says which'

function whyOmitted({ identity }: Pick<PolicyView, 'identity'>, isDouble: boolean): string | undefined {
  if (identity.namespace === undefined) return 'it has no namespace; set one with --namespace'
  if (identity.name === undefined) return 'it has no name'
  return isDouble ? TWICE : undefined
}

/** A policy that cannot be found by its own target shares its identity with another. */
function isDefinedTwice(policy: PolicyView, { policies }: NamedWorld['world']): boolean {
  const [target] = policy.namedTargets
  if (!target || policy.identity.name === undefined) return false
  return !policies.targeting(target.kind, policy.identity.namespace, target.name).items.includes(policy)
}
