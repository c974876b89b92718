/**
 * The API proxies of sources, and the one that a query names: `Proxy/orders`, or where the name is not enough
 * `Proxy/orders@v2`, `Proxy/api.example.com/orders`, `Proxy/api.example.com/orders@v2`. A body of policies alone has no
 * name, and is called by its file.
 */
import { RULES } from '../../../rules/index.ts'
import { type PolicySet, type ProxyView, readProxy } from '../../api-management/proxy.ts'
import { API_MANAGEMENT_SYSTEM } from '../../api-management/system.ts'
import { describeMessage } from '../../engine/finding.ts'
import { createJudge } from '../../engine/run.ts'
import { asObject, asString, memberOrNull } from '../../json/member.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { leftOutOf } from '../../project/left-out.ts'
import type { Origin } from '../../project/objects.ts'
import { fileOf, type NotJudged, readingOf, type Sources } from '../../project/source.ts'
import { isFilledInLater } from '../../project/templates.ts'
import { collectWorlds, objectsOf } from '../../project/worlds.ts'
import type { Settings } from '../../settings/settings.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { nearest } from '../../text/nearest.ts'
import { lazily } from '../../world/cache.ts'
import { kindTable } from '../../world/kinds.ts'
import { viewOf } from '../../world/objects.ts'
import { type BaseLookups, createWorld } from '../../world/world.ts'
import { createLineIndex, createLocator } from '../../yaml/locate.ts'
import { listNames, type QueryResult, worldsNamed } from '../find.ts'

/** Where a value is written. */
export type Place = {
  readonly file: string
  /** Counts from 1; null in an object without a text. */
  readonly line: number | null
}

/** `proxies/orders.yaml:12` */
export const printPlace = ({ file, line }: Place): string => (line === null ? file : `${file}:${line}`)

/** A proxy of the sources. */
export type FoundProxy = {
  readonly view: ProxyView
  /** The policies that apply: those of `proxyConfig`, if it has any. */
  readonly set: PolicySet | undefined
  /** Null for a body that names no proxy. */
  readonly name: string | null
  readonly hostname: string | null
  readonly version: string
  /** Where its body begins. */
  readonly place: () => Place
  /** The same for the same hostname, name and version; `[0-9a-f]+`. */
  readonly id: string
  /** What the API refuses of it; undefined where it accepts it. */
  readonly refusal: () => Refusal | undefined
  /** Where the value at a pointer is written; for an absent one, where it would be. */
  placeOf(pointer: string): Place
}

/** The errors of a body: their number, and the message of the first. */
export type Refusal = { readonly errors: number; readonly message: string }

/** The proxies of one world of the settings. */
export type ProxyWorld = {
  /** Empty for sources that belong to no world. */
  readonly name: string
  readonly proxies: readonly FoundProxy[]
  /** What of its bodies is left out, and why. */
  readonly notJudged: readonly NotJudged[]
}

const SYSTEMS = [API_MANAGEMENT_SYSTEM]
const PROXY = { kind: 'Proxy', read: readProxy } as const

/** Reads the bodies of sources. Kustomizations build none, so they are not built. */
export function proxyWorlds(given: Sources, settings: Settings): readonly ProxyWorld[] {
  const { sources, texts } = readingOf(given)
  const written = sources.filter((source) => !('builds' in source && source.builds))
  const { worlds } = collectWorlds({ sources: written, texts }, kindTable(SYSTEMS, apiNames(settings.apiGroups)))
  return [...worlds].map(([name, collected]) => {
    const byKind = objectsOf(collected, { closed: false })
    const refusalOf = createRefusals(createWorld(SYSTEMS, byKind).lookups, settings)
    return {
      name,
      proxies: (collected.byKind.get(PROXY.kind) ?? []).flatMap(({ view: any, origin }) => {
        const view = viewOf(any, PROXY)
        return view ? [foundProxy(view, origin, refusalOf)] : []
      }),
      notJudged: leftOutOf(collected, byKind),
    }
  })
}

type RefusalOf = (view: ProxyView) => Refusal | undefined

function foundProxy(view: ProxyView, origin: Origin, refusalOf: RefusalOf): FoundProxy {
  const { object } = view
  const placeOf = createPlaceOf(origin)
  const config = memberOrNull(object, '', 'proxyConfig', asObject)
  const hostname = memberOrNull(config.value, config.pointer, 'hostname', asString).value ?? null
  const name = view.identity.name ?? null
  const version = asString(object.version ?? null) ?? 'v1'
  const named = JSON.stringify([hostname, name ?? [fileOf(origin.source), origin.document.start], version])
  return {
    view,
    set: view.sets.at(-1),
    name,
    hostname,
    version,
    place: () => placeOf(''),
    id: fingerprint(named),
    refusal: lazily(() => refusalOf(view)),
    placeOf,
  }
}

/** A body is parsed for its places once. */
function createPlaceOf({ source, document, base }: Origin): (pointer: string) => Place {
  const file = fileOf(source)
  if ('object' in source) return () => ({ file, line: null })
  const { text } = source
  const found = lazily(() => ({ lineOf: createLineIndex(text), locate: createLocator(text, document) }))
  return (pointer) => {
    const { lineOf, locate } = found()
    return { file, line: lineOf(locate(base + pointer).start).line }
  }
}

/** Severities in the settings do not count: they do not change what the API accepts. */
function createRefusals(lookups: BaseLookups, settings: Settings): RefusalOf {
  const judge = createJudge({ rules: RULES, settings: { ...settings, rules: {}, ruleset: undefined } })
  const rules = new Map(RULES.map((rule) => [rule.id, rule]))
  return (view) => {
    const { object, identity } = view
    const findings = judge({ kind: 'Proxy', view, object, identity, world: { lookups } })
    const errors = findings.filter(({ severity, pointer }) => severity === 'error' && !isFilledInLater(view, pointer))
    const [first] = errors
    const rule = first && rules.get(first.rule)
    return first && rule ? { errors: errors.length, message: describeMessage(rule, first).message } : undefined
  }
}

/** True for a query that is about a proxy, whatever its name is. */
export const isProxyQuery = (text: string): boolean => PREFIX.test(text)

const PREFIX = /^proxy\//i

/** Every text that names a proxy, the shortest first; the last is the most exact. */
function namesOf({ name, hostname, version, place }: FoundProxy): readonly string[] {
  if (name === null) return [place().file, `${place().file}:${place().line ?? 1}`]
  const names = [name, `${name}@${version}`]
  return hostname === null ? names : [...names, ...names.map((one) => `${hostname}/${one}`)]
}

/** A proxy as messages name it. */
export const titleOfProxy = (proxy: FoundProxy): string => `Proxy/${namesOf(proxy)[0]}`

const fullTitle = (proxy: FoundProxy): string => `Proxy/${namesOf(proxy).at(-1)}`

/** A proxy and the world that it belongs to. */
export type FoundProxyIn = { readonly world: ProxyWorld; readonly proxy: FoundProxy }

/** Finds the proxy that a query names. Where it names several, the problem has names that tell them apart. */
export function findProxy(
  text: string,
  worlds: readonly ProxyWorld[],
  worldName: string | undefined,
): QueryResult<FoundProxyIn> {
  const inWorld = worldsNamed(worldName, worlds)
  if (!inWorld.ok) return inWorld
  const all = inWorld.value.flatMap((world) => world.proxies.map((proxy) => ({ world, proxy })))
  const written = text.replace(PREFIX, '')
  const found = all.filter(({ proxy }) => namesOf(proxy).includes(written))
  const [only, another] = found
  if (only && !another) return { ok: true, value: only }
  return { ok: false, problem: only ? severalFound(written, found) : notFound(written, all) }
}

function severalFound(written: string, found: readonly FoundProxyIn[]): string {
  const names = [...new Set(found.map(({ proxy }) => fullTitle(proxy)))]
  if (names.length === found.length) return `Proxy/${written} is ambiguous; pick one of ${listNames(names)}`
  const worlds = [...new Set(found.map(({ world }) => world.name || 'files without a world'))]
  if (worlds.length === found.length)
    return `Proxy/${written} is in several worlds: ${worlds.join(', ')}; pick one with --world NAME`
  const places = found.map(({ proxy: { place } }) => printPlace(place()))
  return `Proxy/${written} is defined more than once, in ${listNames(places)}; pass only the paths that belong together`
}

function notFound(written: string, all: readonly FoundProxyIn[]): string {
  if (all.length === 0)
    return `Proxy/${written} was not found; these files contain no API proxy with rate limit policies`
  const near = nearest(
    written,
    all.flatMap(({ proxy }) => namesOf(proxy)),
  )
  const known = listNames([...new Set(all.map(({ proxy }) => titleOfProxy(proxy)))])
  return `Proxy/${written} was not found; ${near === undefined ? `these files contain ${known}` : `did you mean Proxy/${near}?`}`
}
