/** Questions about manifests: the limits of a route, the status of policies, the configuration of nginx. */

import type { NotJudged, Source } from '../project/source.ts'
import { type EffectiveResult, queryLimits, type TargetKind } from '../queries/effective.ts'
import { worldsNamed } from '../queries/find.ts'
import type { EffectiveProxy } from '../queries/proxies/effective.ts'
import type { RenderedProxies } from '../queries/proxies/render.ts'
import { queryWorlds } from '../queries/query-world.ts'
import { queryRender, type RenderedGateway } from '../queries/render.ts'
import { BACKEND_ADDRESS, BACKEND_NAME, listenAddress, SOCKET_FOLDER } from '../queries/render-values.ts'
import { CONTROLLER_NAME, kubernetesTime, queryStatus, type StatusResult } from '../queries/status.ts'
import type { Settings } from '../settings/settings.ts'
import { boolean, count, type Members, object, pattern, problemsOf, record, string, value } from './check.ts'
import { INPUT_OPTIONS, type InputOptions, readInput } from './input.ts'
import { failure, failureOf, guarded, type Result, success, withOptionNames } from './result.ts'

/** Where an object is looked for. */
export type QueryOptions = InputOptions & {
  /** The name of a world of the sources, where they belong to several. */
  readonly world?: string | undefined
}

/** Checks {@link QueryOptions}. */
export const QUERY_OPTIONS = { ...INPUT_OPTIONS, world: string } as const satisfies Members<keyof QueryOptions>

/**
 * Every limit that applies to requests to an object, such as `HTTPRoute/coffee`, `Gateway/shop/edge`, or the API proxy
 * `Proxy/orders` with another form of the value. The JSON of the value is that of `sluice effective --format json`.
 */
export function effective(
  sources: readonly Source[],
  target: `Proxy/${string}`,
  options?: QueryOptions,
): Result<EffectiveProxy>
export function effective(
  sources: readonly Source[],
  target: `${TargetKind}/${string}`,
  options?: QueryOptions,
): Result<EffectiveResult>
export function effective(
  sources: readonly Source[],
  target: string,
  options?: QueryOptions,
): Result<EffectiveResult | EffectiveProxy>
export function effective(
  sources: readonly Source[],
  target: string,
  options?: QueryOptions,
): Result<EffectiveResult | EffectiveProxy> {
  return guarded(() => {
    const wrong = problemsOf(string, target, 'target')
    const input = readInput(sources, options, QUERY_OPTIONS)
    if (!input.ok) return failure(...wrong, ...input.problems)
    if (wrong.length > 0) return failure(...wrong)
    const result = queryLimits(target, input.value, { ...input.value, world: options?.world })
    return result.ok ? success(result.value) : failureOf(result.problem, result.notJudged)
  })
}

/** What statuses depend on beside the manifests. */
export type StatusOptions = QueryOptions & {
  /** Default: the name in the specification. */
  readonly controllerName?: string | undefined
  /** The time of new conditions, RFC 3339: `2026-01-31T12:00:00Z`. Default: that of the clock. */
  readonly now?: string | undefined
}

const STATUS_OPTIONS = {
  ...QUERY_OPTIONS,
  controllerName: pattern('a name such as "example.com/gateway-controller"', CONTROLLER_NAME),
  now: value(
    'a time such as "2026-01-31T12:00:00Z"',
    (given) => typeof given === 'string' && kubernetesTime(given) !== undefined,
  ),
} as const satisfies Members<keyof StatusOptions>

/** The status that a controller would write to policies and to their targets, world by world. */
export function status(sources: readonly Source[], options?: StatusOptions): Result<readonly StatusResult[]> {
  return guarded(() => {
    const input = readInput(sources, options, STATUS_OPTIONS)
    if (!input.ok) return input
    const { settings } = input.value
    const worlds = worldsNamed(options?.world, queryWorlds(input.value, input.value))
    if (!worlds.ok) return failureOf(worlds.problem)
    const now = kubernetesTime(options?.now ?? new Date().toISOString()) ?? ''
    const query = { settings, controllerName: options?.controllerName, now }
    return success(worlds.value.map((world) => queryStatus(world, query)))
  })
}

/** The files of a certificate. */
export type CertificatePaths = { readonly certificate: string; readonly key: string }

/** What is rendered, and how. All but `gateway` and `files` are about a whole configuration: `complete`. */
export type RenderOptions = QueryOptions & {
  /** `[NAMESPACE/]NAME`. Default: every Gateway of the manifests. */
  readonly gateway?: string | undefined
  /** True for two files for each policy, and others that include them. Default: one file. */
  readonly files?: boolean | undefined
  /** True for a whole nginx.conf instead of the directives of each context. */
  readonly complete?: boolean | undefined
  /** The address to listen on. Default: all. */
  readonly listen?: string | undefined
  /** The ports to listen on, by the port of the listener: `{ 443: 8443 }`. */
  readonly port?: Readonly<Record<string, number>> | undefined
  /** Added to the ports that `port` does not name. */
  readonly portOffset?: number | undefined
  /** Addresses of backends: `{ 'shop/tea:80': '127.0.0.1:9001' }`. */
  readonly upstream?: Readonly<Record<string, string>> | undefined
  /** Certificates by hostname or name of the listener. Default: one that is thrown away. */
  readonly certificates?: Readonly<Record<string, CertificatePaths>> | undefined
  /** The folder of internal sockets. Default: `/var/run`. */
  readonly socketDir?: string | undefined
}

const portNumber = count(1, 65_535)
const path = value('a path without line breaks', (given) => typeof given === 'string' && /^[^\r\n\0]+$/.test(given))

const RENDER_OPTIONS = {
  ...QUERY_OPTIONS,
  gateway: string,
  files: boolean,
  complete: boolean,
  listen: value(
    'an address without a port, such as "127.0.0.1"',
    (given) => typeof given === 'string' && listenAddress(given) !== undefined,
  ),
  port: record(pattern('the number of a port', /^\d{1,5}$/), portNumber),
  portOffset: count(-65_535, 65_535),
  upstream: record(
    pattern('a backend such as "shop/tea:80"', BACKEND_NAME),
    pattern('an address such as "127.0.0.1:9001"', BACKEND_ADDRESS),
  ),
  certificates: record(string, object({ certificate: path, key: path }, ['certificate', 'key'])),
  socketDir: pattern('a path of letters, digits and -._+@', SOCKET_FOLDER),
} as const satisfies Members<keyof RenderOptions>

/** The nginx configuration of one Gateway. */
export type RenderedConfiguration = Pick<RenderedGateway, 'world' | 'namespace' | 'name' | 'found' | 'files'>

/** What {@link render} returns. */
export type RenderResult = {
  readonly composition: Settings['composition']
  readonly gateways: readonly RenderedConfiguration[]
  /** The API proxies, one configuration for each world that has some. */
  readonly apiManagement: readonly RenderedProxies[]
  /** What was left out or assumed, and what nginx rejects, each in one line. */
  readonly notes: readonly string[]
  /** What of the given manifests is left out, although it may change the configuration; sorted by file and line. */
  readonly notJudged: readonly NotJudged[]
}

/** The nginx configuration of Gateways with their routes and policies, and of API proxies. */
export function render(sources: readonly Source[], options?: RenderOptions): Result<RenderResult> {
  return guarded(() => {
    const input = readInput(sources, options, RENDER_OPTIONS)
    if (!input.ok) return input
    const { settings, closedWorld, namespace } = input.value
    const { gateway, world, complete = false, files = false } = options ?? {}
    const result = queryRender(input.value, {
      settings,
      closedWorld,
      namespace,
      gateway,
      world,
      several: true,
      how: { complete, files, ...placesOf(options) },
    })
    if (!result.ok) return failureOf(result.problem, result.notJudged)
    const { gateways, apiManagement, notes, notJudged } = result.value
    const loops = gateways.flatMap((one) => one.loops.map(loopNote))
    return success({
      composition: settings.composition,
      gateways: gateways.map(({ loops: _, ...one }) => one),
      apiManagement,
      notes: [...notes.map(withOptionNames), ...loops],
      notJudged,
    })
  })
}

/** A backend without an address is assumed on this machine, where it may be the address of nginx itself. */
const loopNote = (backend: string): string =>
  `the address of ${backend} would be that of this nginx itself; set it with upstream`

const placesOf = ({ listen, port, portOffset, upstream, certificates, socketDir }: RenderOptions = {}) => ({
  address: listenAddress(listen ?? '') ?? '',
  ports: new Map(Object.entries(port ?? {}).map(([from, to]) => [Number(from), to])),
  portOffset: portOffset ?? 0,
  addresses: new Map(Object.entries(upstream ?? {})),
  certificates: certificates && new Map(Object.entries(certificates)),
  socketDir: socketDir ?? '/var/run',
})
