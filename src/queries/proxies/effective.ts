/**
 * `sluice effective Proxy/NAME`: the limits of an API proxy as they apply. The JSON of the result is a contract, version 1
 * (schemas/effective.schema.json): members may be added, none changes.
 */
import { publicationProblems } from '../../api-management/render/plan.ts'
import { eachOnce, type NotJudged, type Sources } from '../../project/source.ts'
import type { Settings } from '../../settings/settings.ts'
import { groupBy } from '../../text/group.ts'
import type { QueryResult } from '../find.ts'
import { type FoundProxy, findProxy, type Place, proxyWorlds, type Refusal } from './find.ts'
import { describeProxyLimits, type ProxyLimit } from './limit.ts'

/** The result of the query. Its JSON is a contract, version 1. */
export type EffectiveProxy = {
  readonly version: 1
  readonly target: {
    readonly kind: 'Proxy'
    /** Null for a body that names no proxy. */
    readonly name: string | null
    readonly hostname: string | null
    /** The version of the proxy; `v1` where the body has none. */
    readonly proxyVersion: string
    readonly place: Place
  }
  /** The world of the settings that the body belongs to; null where the settings define none. */
  readonly world: string | null
  /** All apply, in the order in which nginx evaluates them. All routes of the proxy share the budget of each. */
  readonly limits: readonly ProxyLimit[]
  /** The rate that one value of a key can reach in the long run. */
  readonly lowestRates: readonly LowestRate[]
  /** The number of zones, and their shared memory in bytes in each gateway. */
  readonly memory: { readonly zones: number; readonly bytes: number }
  /** Why the API refuses the body; null where it accepts it. The limits are then those of the values that it would accept. */
  readonly refusal: Refusal | null
  /** What keeps the body from becoming a configuration of nginx, beside the limits. */
  readonly problems: readonly { readonly pointer: string; readonly message: string; readonly remedy: string }[]
  /** What of the given bodies is left out; sorted by file and line. */
  readonly notJudged: readonly NotJudged[]
}

/** The lowest rate for one key. */
type LowestRate = Pick<ProxyLimit, 'policy' | 'index' | 'rateLimitBy' | 'rate' | 'requestsPerSecond'>

/** Where the proxy is looked for, and the nginx that its limits are for. */
export type ProxyQueryOptions = { readonly settings: Settings; readonly world: string | undefined }

/** Runs a query such as `Proxy/orders`. A failure has a `problem` of one line. */
export function queryEffectiveProxy(
  query: string,
  sources: Sources,
  { settings, world }: ProxyQueryOptions,
): QueryResult<EffectiveProxy> {
  const worlds = proxyWorlds(sources, settings)
  const found = findProxy(query, worlds, world)
  if (!found.ok) return { ...found, notJudged: eachOnce(worlds.flatMap(({ notJudged }) => notJudged)) }
  const { world: inWorld, proxy } = found.value
  return {
    ok: true,
    value: { ...effectiveOn(proxy, settings), world: inWorld.name || null, notJudged: inWorld.notJudged },
  }
}

function effectiveOn(proxy: FoundProxy, settings: Settings): Omit<EffectiveProxy, 'world' | 'notJudged'> {
  const limits = describeProxyLimits(proxy, settings)
  const { name, hostname, version, place, refusal, view } = proxy
  return {
    version: 1,
    target: { kind: 'Proxy', name, hostname, proxyVersion: version, place: place() },
    limits,
    lowestRates: lowestRates(limits),
    memory: { zones: limits.length, bytes: limits.reduce((sum, { zoneBytes }) => sum + zoneBytes, 0) },
    refusal: refusal() ?? null,
    problems: publicationProblems(view.object),
  }
}

const lowestRates = (limits: readonly ProxyLimit[]): readonly LowestRate[] =>
  [...groupBy(limits, ({ rateLimitBy }) => rateLimitBy).values()].flatMap((all) => {
    const [lowest] = [...all].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond)
    if (!lowest) return []
    const { policy, index, rateLimitBy, rate, requestsPerSecond } = lowest
    return [{ policy, index, rateLimitBy, rate, requestsPerSecond }]
  })
