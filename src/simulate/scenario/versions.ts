/** Finds in sources which system, and which versions of its objects, are simulated. */
import { eachOnce, type Reading, readingOf, type Sources, withNamesOnly } from '../../project/source.ts'
import type { QueryResult } from '../../queries/find.ts'
import { type QueryWorld, queryWorlds } from '../../queries/query-world.ts'
import type { Settings } from '../../settings/settings.ts'
import { important } from '../report/notes.ts'
import { isAboutProxies, selectProxies } from './proxies.ts'
import { gatewaySubject } from './scenario.ts'
import { type SelectionQuery, sameWorld, select } from './select.ts'
import type { Subject } from './subject.ts'

/** Manifests, and which of their limits are simulated. */
export type SimulationQuery = SelectionQuery & {
  readonly sources: Sources
  /** The version to compare with, and its name in messages. */
  readonly old: { readonly sources: Sources; readonly name: string } | undefined
  /** True where the sources are all there is. */
  readonly closedWorld: boolean
  readonly settings: Settings
}

/** A query whose sources have been read: both versions have one reading. */
type ReadQuery = SimulationQuery & {
  readonly sources: Reading
  readonly old: { readonly sources: Reading; readonly name: string } | undefined
}

function read({ sources: given, old, ...query }: SimulationQuery): ReadQuery {
  const sources = readingOf(given)
  return { ...query, sources, old: old && { ...old, sources: readingOf(old.sources, sources.texts) } }
}

/** The version that is reported, and the one to compare with. */
type Versions = { readonly current: Subject; readonly old: Subject | undefined }

/**
 * Finds the versions. Where sources have objects of both systems and the query names none of them, those of Gateways are
 * simulated.
 */
export function selectVersions(asked: SimulationQuery): QueryResult<Versions> {
  const query = read(asked)
  if (isAboutProxies(query)) return query.gateway === undefined ? (proxyVersions(query) ?? NONE) : NO_GATEWAY
  const worlds = queryWorlds(withNamesOnly(query.sources), query)
  const isOpen = query.route === undefined && query.gateway === undefined
  const proxies = isOpen ? proxyVersions(query) : undefined
  if (proxies && worlds.every(isEmpty)) return proxies
  const versions = gatewayVersions(worlds, query)
  if (!versions.ok || !proxies) return versions
  const { current, old } = versions.value
  return {
    ok: true,
    value: { current: { ...current, notes: (settings) => [...current.notes(settings), LEFT_OUT] }, old },
  }
}

const NONE = { ok: false, problem: 'these files contain no API proxy with rate limit policies' } as const

const NO_GATEWAY = {
  ok: false,
  problem: 'an API proxy is behind no Gateway; use --route Proxy/NAME without --gateway',
} as const

const LEFT_OUT = important(
  'the API proxies of these files are left out; pass only their paths, or choose one with --route Proxy/NAME',
)

const isEmpty = ({ objects: { policies, gateways, routes } }: QueryWorld): boolean =>
  policies.length + gateways.length + routes.length === 0

/** Undefined where there is no proxy. */
function proxyVersions(query: ReadQuery): QueryResult<Versions> | undefined {
  const current = selectProxies(query.sources, query, query.settings)
  if (!current.ok) return current
  if (!current.value) return undefined
  if (!query.old) return { ok: true, value: { current: current.value, old: undefined } }
  const old = selectProxies(query.old.sources, query, query.settings)
  if (old.ok && old.value) return { ok: true, value: { current: current.value, old: old.value } }
  const problem = old.ok ? 'found no API proxy with rate limit policies' : old.problem
  return { ok: false, problem: `${query.old.name}: ${problem}`, notJudged: current.value.notJudged }
}

function gatewayVersions(worlds: readonly QueryWorld[], query: ReadQuery): QueryResult<Versions> {
  const { settings, closedWorld } = query
  const selected = select(worlds, query, settings)
  if (!selected.ok) return { ...selected, notJudged: eachOnce(worlds.flatMap(({ notJudged }) => notJudged)) }
  const { queryWorld, selection } = selected.value
  const current = gatewaySubject(queryWorld, selection)
  if (!query.old) return { ok: true, value: { current, old: undefined } }
  const old = sameWorld(queryWorlds(withNamesOnly(query.old.sources), { settings, closedWorld }), queryWorld)
  if (old) return { ok: true, value: { current, old: gatewaySubject(old, selection) } }
  const world = queryWorld.name ? ` of the world ${queryWorld.name}` : ''
  return { ok: false, problem: `${query.old.name}: found no manifest${world}`, notJudged: queryWorld.notJudged }
}
