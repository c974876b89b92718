/** What a rule of a route does with a request: redirect it, or pass it to a backend. Source: Gateway API, filters and backendRefs; nginx, upstream. */

import { asList, asNumber, asObject, asString, isObject, type JsonObject, member } from '../../json/member.ts'
import { block, comment, directive, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { compareText } from '../../text/order.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { titleOf } from './files.ts'

/** What nginx does with a request. `notes` describe what is left out, and what else the reader should know. */
export type Action =
  | {
      readonly type: 'pass'
      readonly protocol: 'http' | 'grpc'
      /** Undefined where there is no backend: nginx responds with 500, once the limits have passed the request. */
      readonly upstream: string | undefined
      readonly notes: readonly string[]
    }
  /** nginx responds at once, before it checks limits. */
  | { readonly type: 'return'; readonly parameters: string; readonly notes: readonly string[] }

/** A rule as comments name it: `HTTPRoute shop/coffee, rule 0`. */
export const ruleTitle = (route: RouteView, rule: number): string => `${titleOf(route)}, rule ${rule}`

/** A text as a name of the configuration; names that the API server accepts stay as they are. */
export const plainName = (text: string): string => text.replace(/[^\w.-]+/g, '_')

/** The listener through which a request came, and the ports on which nginx listens, by the ports of the listeners. */
type ServedAt = { readonly port: number; readonly isTls: boolean; readonly listens: ReadonlyMap<number, number> }

/** The action of a rule of a route. */
export function actionOf(route: RouteView, index: number, upstreams: Upstreams, at: ServedAt): Action {
  const rule = route.rules[index] ?? {}
  const filters = (member(rule, '', 'filters', asList).value ?? []).filter(isObject)
  const typeOf = (filter: JsonObject) => member(filter, '', 'type', asString).value ?? 'without a type'
  const redirect = filters.find((filter) => typeOf(filter) === 'RequestRedirect')
  const others = filters.map(typeOf).filter((type) => type !== 'RequestRedirect')
  const notes = others.length === 0 ? [] : [`Not rendered: the filters ${[...new Set(others)].join(', ')}.`]
  if (redirect) return redirectOf(member(redirect, '', 'requestRedirect', asObject).value ?? {}, at, notes)
  const upstream = upstreams.of(rule, route.identity.namespace ?? '', ruleTitle(route, index))
  const protocol = route.identity.kind === 'GRPCRoute' ? 'grpc' : 'http'
  if ('problem' in upstream) {
    const why = `nginx responds with 500, because ${upstream.problem}. It checks limits before.`
    return { type: 'pass', protocol, upstream: undefined, notes: [...notes, why] }
  }
  return { type: 'pass', protocol, upstream: upstream.name, notes }
}

const HOST = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i
const DEFAULT_PORTS = { http: 80, https: 443 } as const

function redirectOf(filter: JsonObject, at: ServedAt, notes: readonly string[]): Action {
  const code = member(filter, '', 'statusCode', asNumber).value ?? 302
  const path = redirectPath(member(filter, '', 'path', asObject).value)
  const url = `${redirectOrigin(filter, at)}${path ?? '$request_uri'}`
  return {
    type: 'return',
    parameters: `${Number.isInteger(code) && code >= 300 && code < 400 ? code : 302} ${quoted(url)}`,
    notes: [
      ...notes,
      'A redirect: nginx responds before it checks limits, so no limit applies here.',
      ...(path === undefined ? ['Not rendered: the new path of the redirect.'] : []),
    ],
  }
}

/** Scheme, host and port. With another scheme the port is the default one of that scheme, else it stays the same. */
function redirectOrigin(filter: JsonObject, at: ServedAt): string {
  const hostname = member(filter, '', 'hostname', asString).value
  const requested = member(filter, '', 'scheme', asString).value
  const scheme = requested === 'http' || requested === 'https' ? requested : at.isTls ? 'https' : 'http'
  const standard = DEFAULT_PORTS[scheme]
  const own = requested === undefined ? at.port : standard
  const port = member(filter, '', 'port', asNumber).value ?? own
  const listened = at.listens.get(port) ?? port
  const host = hostname !== undefined && HOST.test(hostname) ? hostname : '$host'
  return `${scheme}://${host}${listened === standard ? '' : `:${listened}`}`
}

/** The path and arguments of a redirect; undefined where a directive cannot express them. */
function redirectPath(path: JsonObject | undefined): string | undefined {
  if (!path) return '$request_uri'
  const full = member(path, '', 'replaceFullPath', asString).value
  return full?.startsWith('/') && !full.includes('$') ? `${full}$is_args$args` : undefined
}

/** A Service to which a rule passes requests. */
type Backend = { readonly namespace: string; readonly name: string; readonly port: number; readonly weight: number }

/** Addresses of backends, by `[NAMESPACE/]SERVICE[:PORT]`. */
export type Addresses = Pick<ReadonlyMap<string, string>, 'get'>

/** Creates upstreams, each once. */
export type Upstreams = {
  /** The name of the upstream of a rule, or why it has none, as the end of a sentence. */
  of(rule: JsonObject, namespace: string, title: string): { readonly name: string } | { readonly problem: string }
  nodes(): readonly Node[]
  /** The backends so far by the names under which the user can give an address: `NAMESPACE/SERVICE:PORT`. */
  readonly backends: ReadonlySet<string>
  /** The names in `addresses` that were used. */
  readonly used: ReadonlySet<string>
  /** The backends without an address, and the ports on this machine that stand for them. */
  readonly local: ReadonlyMap<string, number>
}

/** Starts without upstreams; `addresses` come from the user. */
export function createUpstreams(addresses: Addresses): Upstreams {
  const upstreams = new Map<string, readonly Node[]>()
  const backends = new Set<string>()
  const used = new Set<string>()
  const local = new Map<string, number>()
  const addressOf = ({ namespace, name, port }: Backend): string => {
    const full = `${namespace}/${name}`
    backends.add(`${full}:${port}`)
    for (const key of [`${full}:${port}`, full, `${name}:${port}`, name]) {
      const address = addresses.get(key)
      if (address === undefined) continue
      used.add(key)
      return address
    }
    local.set(`${full}:${port}`, port)
    return `127.0.0.1:${port}`
  }
  return {
    backends,
    used,
    local,
    of(rule, namespace, title) {
      const refs = (member(rule, '', 'backendRefs', asList).value ?? []).filter(isObject)
      const all = refs.flatMap((ref) => readBackend(ref, namespace) ?? [])
      const [only, ...others] = all.filter(({ weight }) => weight > 0)
      if (!only)
        return { problem: refs.length === 0 ? 'it has no backend' : 'none of its backends is a Service with a weight' }
      const servers = [only, ...others].map((backend) => ({ backend, address: addressOf(backend) }))
      const name = others.length === 0 ? `${only.namespace}_${only.name}_${only.port}` : plainName(title)
      upstreams.set(name, [
        ...servers.map(({ backend }) => comment(`Service ${backend.namespace}/${backend.name}, port ${backend.port}`)),
        block(
          `upstream ${name}`,
          servers.map(({ backend, address }) =>
            directive(`server ${address}${others.length === 0 ? '' : ` weight=${backend.weight}`}`),
          ),
        ),
      ])
      return { name }
    },
    nodes: () => [...upstreams].sort(([a], [b]) => compareText(a, b)).flatMap(([, nodes]) => [SPACE, ...nodes]),
  }
}

const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/

function readBackend(ref: JsonObject, own: string): Backend | undefined {
  const kind = member(ref, '', 'kind', asString).value ?? 'Service'
  const group = member(ref, '', 'group', asString).value ?? ''
  const name = member(ref, '', 'name', asString).value ?? ''
  const namespace = member(ref, '', 'namespace', asString).value ?? own
  const port = member(ref, '', 'port', asNumber).value ?? 0
  const weight = member(ref, '', 'weight', asNumber).value ?? 1
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535
  if (kind !== 'Service' || group !== '' || !NAME.test(name) || !NAME.test(namespace) || !isPort) return undefined
  return { namespace, name, port, weight: Number.isInteger(weight) ? weight : 1 }
}
