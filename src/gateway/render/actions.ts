/** What a rule of a route does with a request, as far as nginx renders it here. Source: Gateway API, filters and backendRefs. */

import { asList, asNumber, asObject, asText, isObject, type JsonObject, member } from '../../json/member.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { Upstreams } from './backends.ts'
import { quoted } from './nodes.ts'
import { titleOf } from './policy-files.ts'

/** What happens to a request. `notes` say what is left out, or what a reader should know. */
export type Action =
  | {
      readonly type: 'pass'
      readonly protocol: 'http' | 'grpc'
      readonly upstream: string
      readonly notes: readonly string[]
    }
  /** nginx answers at once, before it looks at limits. */
  | { readonly type: 'return'; readonly parameters: string; readonly notes: readonly string[] }

/** A rule as comments name it. */
export const ruleTitle = (route: RouteView, rule: number): string => `${titleOf(route)}, rule ${rule}`

/** Where a request came in, and where its Gateway listens: by the listener's own port, the one that is listened on. */
export type ServedAt = { readonly port: number; readonly isTls: boolean; readonly listens: ReadonlyMap<number, number> }

/** Says what a rule of a route does. */
export function actionOf(route: RouteView, index: number, upstreams: Upstreams, at: ServedAt): Action {
  const rule = route.rules[index] ?? {}
  const filters = (member(rule, '', 'filters', asList).value ?? []).filter(isObject)
  const typeOf = (filter: JsonObject) => member(filter, '', 'type', asText).value ?? 'without a type'
  const redirect = filters.find((filter) => typeOf(filter) === 'RequestRedirect')
  const others = filters.map(typeOf).filter((type) => type !== 'RequestRedirect')
  const notes = others.length === 0 ? [] : [`Not rendered: the filters ${[...new Set(others)].join(', ')}.`]
  if (redirect) return redirectOf(member(redirect, '', 'requestRedirect', asObject).value ?? {}, at, notes)
  const upstream = upstreams.of(rule, route.identity.namespace ?? '', ruleTitle(route, index))
  if ('problem' in upstream) {
    const why = `nginx answers 500, as ${upstream.problem}; it does so before it looks at limits.`
    return { type: 'return', parameters: '500', notes: [...notes, why] }
  }
  const protocol = route.identity.kind === 'GRPCRoute' ? 'grpc' : 'http'
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
      'A redirect: nginx answers it before it looks at limits, so none of them holds here.',
      ...(path === undefined ? ['Not rendered: the other path of the redirect.'] : []),
    ],
  }
}

/** Scheme, host and port. Another scheme means its own port, else the port stays. */
function redirectOrigin(filter: JsonObject, at: ServedAt): string {
  const hostname = member(filter, '', 'hostname', asText).value
  const scheme = member(filter, '', 'scheme', asText).value
  const spoken = scheme === 'http' || scheme === 'https' ? scheme : at.isTls ? 'https' : 'http'
  const standard = DEFAULT_PORTS[spoken]
  const own = scheme === undefined ? at.port : standard
  const port = member(filter, '', 'port', asNumber).value ?? own
  const listened = at.listens.get(port) ?? port
  const host = hostname !== undefined && HOST.test(hostname) ? hostname : '$host'
  return `${spoken}://${host}${listened === standard ? '' : `:${listened}`}`
}

/** The path and arguments of a redirect; undefined where a directive cannot say them. */
function redirectPath(path: JsonObject | undefined): string | undefined {
  if (!path) return '$request_uri'
  const full = member(path, '', 'replaceFullPath', asText).value
  return full?.startsWith('/') && !full.includes('$') ? `${full}$is_args$args` : undefined
}
