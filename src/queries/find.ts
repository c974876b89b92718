/** Finds the object or the Gateways that a query names: `HTTPRoute/coffee`, `Gateway/shop/edge`, `--gateway edge`. */
import { isRouteKind, TARGET_KINDS, type TargetKind } from '../gateway/objects/policy.ts'
import { gatewaysIn, type NamedGateway, titleOfGateway } from '../gateway/render/listeners.ts'
import { fullName, knownNamespace } from '../kubernetes/metadata.ts'
import { canBeLookedUp } from '../project/objects.ts'
import type { NotJudged } from '../project/source.ts'
import { nearest, nearestInAnyCase } from '../text/nearest.ts'
import type { NamedWorld, QueryWorld } from './query-world.ts'

/** The result of a query; where it fails, `problem` is a message of one line for the user. */
export type QueryResult<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `notJudged` is what was left out of the search, as far as the caller does not know it. */
  | { readonly ok: false; readonly problem: string; readonly notJudged?: readonly NotJudged[] }

/** `KIND/NAME` or `KIND/NAMESPACE/NAME`, parsed. */
export type TargetQuery = {
  readonly kind: TargetKind
  /** Undefined where the query does not name one. */
  readonly namespace: string | undefined
  readonly name: string
}

/** The object that a query names, and the world that it belongs to. */
export type FoundTarget = {
  readonly queryWorld: QueryWorld
  readonly kind: TargetKind
  /** For lookups; `knownNamespace` of it is for output. */
  readonly namespace: string
  readonly name: string
}

/** Where a query searches for objects. */
export type FindObjectsOptions = {
  /** The name of the world to search; undefined for all. */
  readonly world: string | undefined
  /** Preferred where the query names no namespace and several objects have the name. */
  readonly namespace: string | undefined
}

const failure = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

/** The kind of queries about API proxies. */
const PROXY_KIND = 'Proxy'

/** Parses a query. The case of the kind does not matter. */
export function parseTargetQuery(text: string): QueryResult<TargetQuery> {
  const [written = '', ...rest] = text.split('/')
  const [namespace, name] = rest.length === 2 ? rest : [undefined, rest[0]]
  if (rest.length === 0 || rest.length > 2 || !name || namespace === '')
    return failure(
      `"${text}" is not the name of an object; write KIND/NAME or KIND/NAMESPACE/NAME, such as HTTPRoute/shop/coffee`,
    )
  const kind = TARGET_KINDS.find((known) => known.toLowerCase() === written.toLowerCase())
  if (kind) return { ok: true, value: { kind, namespace, name } }
  const kinds = [...TARGET_KINDS, PROXY_KIND]
  const meant = nearestInAnyCase(written, kinds)
  const hint = meant ? `did you mean ${[meant, ...rest].join('/')}?` : `limits apply to ${kinds.join(', ')}`
  return failure(`unknown kind "${written}"; ${hint}`)
}

/** An object of some world that a query may name. */
type Candidate = Omit<FoundTarget, 'namespace'> & {
  readonly namespace: string | undefined
  /** False where no manifest is given and a policy only names it as its target. */
  readonly isFound: boolean
}

/** Finds the object that a query names. */
export function findTarget(
  query: TargetQuery,
  worlds: readonly QueryWorld[],
  { world, namespace }: FindObjectsOptions,
): QueryResult<FoundTarget> {
  const inWorld = worldsNamed(world, worlds)
  if (!inWorld.ok) return inWorld
  const all = inWorld.value.flatMap(candidatesIn)
  const named = all.filter(({ kind, name }) => kind === query.kind && name === query.name)
  const known = preferFound(named.filter((candidate) => candidate.namespace !== undefined))
  const matching = known.filter((candidate) => query.namespace === undefined || candidate.namespace === query.namespace)
  const preferred = matching.filter((candidate) => candidate.namespace === namespace)
  const chosen = query.namespace === undefined && preferred.length > 0 ? preferred : matching
  const [only, another] = chosen
  if (only?.namespace === undefined) return failure(notFound(query, named, all))
  if (another) return failure(severalFound(query, chosen))
  if (isDefinedTwice(only)) return failure(definedTwice(`${only.kind} ${fullName(only)}`))
  if (isOfSeveralClusters(only)) return failure(ofSeveralClusters(only))
  return { ok: true, value: { ...only, namespace: only.namespace } }
}

/** The worlds of a name; all where it is undefined. */
export function worldsNamed<World extends Pick<NamedWorld, 'name'>>(
  name: string | undefined,
  worlds: readonly World[],
): QueryResult<readonly World[]> {
  const value = worlds.filter((world) => name === undefined || world.name === name)
  if (value.length > 0 || name === undefined) return { ok: true, value }
  const names = worlds.map((world) => world.name).filter((known) => known !== '')
  const near = nearest(name, names)
  const others = names.length > 0 ? `the worlds of these files are ${names.join(', ')}` : 'these files belong to none'
  return failure(`unknown world "${name}"; ${near === undefined ? others : `did you mean "${near}"?`}`)
}

/** Prefers objects whose manifests are given to those that are only named. */
function preferFound(candidates: readonly Candidate[]): readonly Candidate[] {
  const found = candidates.filter(({ isFound }) => isFound)
  return found.length > 0 ? found : candidates
}

function candidatesIn(queryWorld: QueryWorld): readonly Candidate[] {
  const { gateways, routes, policies } = queryWorld.objects
  const candidates = new Map<string, Candidate>()
  const add = (candidate: Omit<Candidate, 'queryWorld'>) => {
    const key = `${candidate.kind}/${candidate.namespace ?? ''}/${candidate.name}`
    if (!candidates.has(key)) candidates.set(key, { ...candidate, queryWorld })
  }
  for (const { identity } of gateways)
    if (identity.name) add({ ...identity, kind: 'Gateway', name: identity.name, isFound: true })
  for (const { identity } of routes) if (identity.name) add({ ...identity, name: identity.name, isFound: true })
  for (const { view } of policies)
    for (const { kind, name } of view.namedTargets)
      add({ kind, namespace: view.identity.namespace, name, isFound: false })
  return [...candidates.values()]
}

/** True where several manifests define this object: which of them applies is unknown. */
function isDefinedTwice({ queryWorld: { objects, world }, kind, namespace, name, isFound }: Candidate): boolean {
  if (!isFound) return false
  const found = isRouteKind(kind) ? world.routes.get(kind, namespace, name) : world.gateways.get(namespace, name)
  return found.state !== 'found' && !objects.partial
}

/** True for an object that only policies name, which may mean several by it. */
function isOfSeveralClusters({ queryWorld: { objects, world }, kind, namespace, name, isFound }: Candidate): boolean {
  const mayBeApart = isFound ? undefined : world.definitions.mayBeApart()
  const views = objects.policies.map(({ view }) => view).filter(({ identity }) => identity.namespace === namespace)
  return (
    mayBeApart?.(views.filter((view) => view.namedTargets.some((to) => to.kind === kind && to.name === name))) ?? false
  )
}

const ofSeveralClusters = ({ kind, ...object }: Candidate): string =>
  `the policies on ${kind} ${fullName(object)} may be those of several clusters; pass only the paths that belong together`

const definedTwice = (object: string): string =>
  `${object} is defined more than once in these files; pass only the paths that belong together`

function severalFound({ kind, name }: TargetQuery, candidates: readonly Candidate[]): string {
  const known = candidates.flatMap(({ namespace }) => knownNamespace(namespace) ?? [])
  const objects = [...new Set(known.map((namespace) => `${kind}/${namespace}/${name}`))]
  if (known.length < candidates.length)
    return `${kind}/${name} is ambiguous: it is defined without a namespace, and again elsewhere; pass only the paths that belong together`
  if (objects.length > 1) return `${kind}/${name} is ambiguous; pick one of ${objects.join(', ')}`
  const worlds = candidates.map(({ queryWorld }) => queryWorld.name || 'files without a world')
  return `${objects[0]} is in several worlds: ${worlds.join(', ')}; pick one with --world NAME`
}

function notFound(query: TargetQuery, named: readonly Candidate[], all: readonly Candidate[]): string {
  const { kind, name, namespace } = query
  const written = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  const [elsewhere] = named.filter((candidate) => knownNamespace(candidate.namespace) !== undefined)
  if (named.length > 0 && !elsewhere)
    return `the namespace of ${kind} ${name} is unknown; set it with --namespace ${namespace ?? 'NS'}`
  const found = all.filter((candidate) => candidate.isFound && candidate.kind === kind)
  return `${written} was not found; ${suggestion(query, elsewhere, all) ?? overview(kind, found)}`
}

function suggestion(
  query: TargetQuery,
  elsewhere: Candidate | undefined,
  all: readonly Candidate[],
): string | undefined {
  const { kind, name } = query
  const otherKind = all.find((candidate) => candidate.isFound && candidate.name === name)
  const names = all.filter((candidate) => candidate.kind === kind).map((candidate) => candidate.name)
  const near = nearest(name, names)
  const meant = elsewhere ?? otherKind ?? all.find((candidate) => candidate.kind === kind && candidate.name === near)
  return meant && `did you mean ${meant.kind}/${fullName(meant)}?`
}

/** How many names a message lists. */
const MAX_NAMES = 5

/** Names in a message: the first few, and how many more there are. */
export const listNames = (names: readonly string[]): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
    : names.join(', ')

function overview(kind: TargetKind, found: readonly Candidate[]): string {
  if (found.length === 0) return `these files contain no ${kind}`
  return `these files contain ${listNames([...new Set(found.map(fullName))])}`
}

/** Which Gateways a query is about. */
export type GatewayQuery = FindObjectsOptions & {
  /** `[NAMESPACE/]NAME`; undefined for all that exist. */
  readonly gateway: string | undefined
  /** True where the query may be about several Gateways. */
  readonly several: boolean
}

/** A Gateway and the world that it belongs to. */
type FoundGateway<World> = { readonly queryWorld: World; readonly gateway: NamedGateway }

/** The Gateways of a query, and those that other objects only name and that the query does not. */
export type FoundGateways<World> = {
  readonly chosen: readonly FoundGateway<World>[]
  readonly others: readonly NamedGateway[]
}

/** Finds the Gateways of a query. */
export function findGateways<World extends NamedWorld>(
  worlds: readonly World[],
  query: GatewayQuery,
): QueryResult<FoundGateways<World>> {
  const inWorld = worldsNamed(query.world, worlds)
  if (!inWorld.ok) return inWorld
  const all = inWorld.value.flatMap((queryWorld) =>
    gatewaysIn(gatewayObjects(queryWorld)).map((gateway) => ({ queryWorld, gateway: withSets(gateway, queryWorld) })),
  )
  const withoutNamespace = inWorld.value
    .flatMap(({ objects }) => objects.gateways)
    .flatMap(({ identity: { namespace, name } }) => (namespace || name === undefined ? [] : [name]))
  const found =
    query.gateway === undefined
      ? chooseAll(all, query, withoutNamespace)
      : chooseNamed(query.gateway, all, query, withoutNamespace)
  const twice = found.ok ? found.value.chosen.find(isGatewayDefinedTwice) : undefined
  return twice ? failure(definedTwice(titleOfGateway(twice.gateway))) : found
}

/** The Gateway with the listeners that its ListenerSets add. */
function withSets(gateway: NamedGateway, { world }: NamedWorld): NamedGateway {
  const known = gateway.view && world.gateways.get(gateway.namespace, gateway.name)
  return known?.state === 'found' ? { ...gateway, view: known.value } : gateway
}

const isGatewayDefinedTwice = ({ queryWorld, gateway: { namespace, name, view } }: FoundGateway<NamedWorld>): boolean =>
  view !== undefined && queryWorld.world.gateways.get(namespace, name).state !== 'found'

const noNamespace = (name: string): string => `Gateway ${name} has no namespace; set one with --namespace NS`

const gatewayObjects = ({ objects }: NamedWorld) => ({
  ...objects,
  policies: objects.policies.filter(canBeLookedUp).map(({ view }) => view),
})

function chooseAll<World extends NamedWorld>(
  all: readonly FoundGateway<World>[],
  { several }: GatewayQuery,
  withoutNamespace: readonly string[],
): QueryResult<FoundGateways<World>> {
  const found = all.filter(({ gateway }) => gateway.view)
  const chosen = found.length > 0 ? found : all
  const [first] = withoutNamespace
  if (chosen.length === 0)
    return failure(
      first === undefined
        ? 'no Gateway was found, and no object refers to one; pass the paths of its manifests too'
        : noNamespace(first),
    )
  if (chosen.length > 1 && !several)
    return failure(`${severalGateways(chosen)}; pick one with --gateway, or write all with --dir`)
  const others = found.length > 0 ? all.filter(({ gateway }) => !gateway.view).map(({ gateway }) => gateway) : []
  return { ok: true, value: { chosen, others } }
}

/** Chooses one by `[NAMESPACE/]NAME`. One whose manifest is given comes before one that is only named. */
function chooseNamed<World extends NamedWorld>(
  text: string,
  all: readonly FoundGateway<World>[],
  query: GatewayQuery,
  withoutNamespace: readonly string[],
): QueryResult<FoundGateways<World>> {
  const [first = '', second, more] = text.split('/')
  const [namespace, name] = second === undefined ? [undefined, first] : [first, second]
  if (name === '' || namespace === '' || more !== undefined)
    return failure(`--gateway must be [NS/]NAME, such as shop/storefront; got "${text}"`)
  const named = all.filter(({ gateway }) => gateway.name === name)
  const matching = named.filter(({ gateway }) => namespace === undefined || gateway.namespace === namespace)
  const found = matching.filter(({ gateway }) => gateway.view)
  const pool = found.length > 0 ? found : matching
  const preferred = pool.filter(({ gateway }) => gateway.namespace === query.namespace)
  const chosen = namespace === undefined && preferred.length > 0 ? preferred : pool
  if (chosen.length === 1) return { ok: true, value: { chosen, others: [] } }
  if (chosen.length > 1) return failure(`${severalGateways(chosen)}; ${howToPick(chosen)}`)
  if (withoutNamespace[0] === name) return failure(noNamespace(name))
  return failure(gatewayNotFound(text, named.length > 0 ? named : all))
}

function gatewayNotFound(text: string, candidates: readonly FoundGateway<NamedWorld>[]): string {
  const full = [...new Set(candidates.map(({ gateway }) => `${gateway.namespace}/${gateway.name}`))]
  const names = candidates.flatMap(({ gateway }) => [`${gateway.namespace}/${gateway.name}`, gateway.name])
  const meant = nearest(text, names)
  const known = full.length === 0 ? 'these files name none' : `these files name ${listNames(full)}`
  return `Gateway "${text}" was not found; ${meant === undefined ? known : `did you mean ${meant}?`}`
}

const severalGateways = (found: readonly FoundGateway<NamedWorld>[]): string =>
  `there are several Gateways: ${listNames(
    found.map(
      ({ queryWorld, gateway: { namespace, name } }) =>
        `${namespace}/${name}${queryWorld.name ? ` in ${queryWorld.name}` : ''}`,
    ),
  )}`

function howToPick(found: readonly FoundGateway<NamedWorld>[]): string {
  const titles = new Set(found.map(({ gateway }) => titleOfGateway(gateway)))
  return titles.size > 1 ? 'pick one with --gateway NS/NAME' : 'pick one with --world NAME'
}
