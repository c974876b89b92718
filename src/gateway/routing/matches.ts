/**
 * What a route matches: its paths, its locations on a Gateway, and its rules as rows in order of precedence. Source:
 * Gateway API, HTTPRouteRule and GRPCRouteRule, precedence of hostnames and of matches.
 */

import { asList, asObject, asString, isObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { compareText } from '../../text/order.ts'
import { withoutEnd } from '../../text/trim.ts'
import { asName, type RouteView } from '../objects/gateways-and-routes.ts'
import type { AttachedListener } from './attachment.ts'

/** One path of a route. */
export type PathMatch = { readonly type: 'Exact' | 'PathPrefix' | 'RegularExpression'; readonly value: string }

/** Where a route answers on one Gateway. An empty hostname stands for every host. */
export type Location = { readonly hostname: string; readonly port: number; readonly path: string }

const EVERYTHING: PathMatch = { type: 'PathPrefix', value: '/' }

/** The paths of a route, each once; unreadable ones are left out. */
export function pathsOf({ identity, spec, rules }: RouteView): readonly PathMatch[] {
  const isGrpc = identity.kind === 'GRPCRoute'
  if (!isGrpc && member(spec.value, '', 'rules', asList).raw === undefined) return [EVERYTHING]
  const paths = rules.flatMap((rule) => {
    const matches = member(rule, '', 'matches', asList)
    if (matches.raw === undefined || (isGrpc && matches.value?.length === 0)) return [EVERYTHING]
    return (matches.value ?? [])
      .filter(isObject)
      .flatMap((match) => (isGrpc ? methodPath(match) : httpPath(match)) ?? [])
  })
  return [...new Map(paths.map((path) => [`${path.type} ${path.value}`, path])).values()]
}

/** An optional string member: its default where it is absent, undefined where it is not a string. */
function textOr<Default>(parent: Json | undefined, name: string, fallback: Default): string | Default | undefined {
  const { raw, value } = member(parent, '', name, asString)
  return raw === undefined ? fallback : value
}

function httpPath(match: JsonObject): PathMatch | undefined {
  const path = member(match, '', 'path', asObject)
  if (path.raw === undefined) return EVERYTHING
  if (!path.value) return undefined
  const type = textOr(path.value, 'type', EVERYTHING.type)
  const value = textOr(path.value, 'value', EVERYTHING.value)
  if (value === undefined || (type !== 'Exact' && type !== 'PathPrefix' && type !== 'RegularExpression'))
    return undefined
  return { type, value }
}

/** A gRPC method is a path, `/service/method`. */
function methodPath(match: JsonObject): PathMatch | undefined {
  const method = member(match, '', 'method', asObject)
  if (method.raw === undefined) return EVERYTHING
  if (!method.value) return undefined
  const type = textOr(method.value, 'type', 'Exact')
  const service = textOr(method.value, 'service', '')
  const name = textOr(method.value, 'method', '')
  if (service === undefined || name === undefined || (!service && !name)) return undefined
  if (type === 'RegularExpression') return { type, value: `/${service || '[^/]+'}/${name || '[^/]+'}` }
  if (type !== 'Exact') return undefined
  if (!name) return { type: 'PathPrefix', value: `/${service}/` }
  return service ? { type, value: `/${service}/${name}` } : { type: 'RegularExpression', value: `/[^/]+/${name}` }
}

/**
 * Where a route answers through the listeners that accept it. The type of a path does not count, as NGINX Gateway Fabric
 * compares only the values.
 */
export function locationsOf(route: RouteView, listeners: readonly AttachedListener[]): readonly Location[] {
  const paths = new Set(pathsOf(route).map(({ value }) => value))
  return listeners.flatMap(({ listener: { port }, hostnames }) =>
    port === undefined ? [] : hostnames.flatMap((hostname) => [...paths].map((path) => ({ hostname, port, path }))),
  )
}

/** A location for messages: `cafe.example:80/coffee`; `*` stands for every host. */
export const printLocation = ({ hostname, port, path }: Location): string => `${hostname || '*'}:${port}${path}`

/** True where every rule of a route redirects: nginx runs `return` before it checks limits. */
export const onlyRedirects = ({ rules }: Pick<RouteView, 'rules'>): boolean =>
  rules.length > 0 && rules.every(isRedirect)

/** True for a rule that redirects. */
export const isRedirect = (rule: JsonObject): boolean =>
  (member(rule, '', 'filters', asList).value ?? []).some(
    (filter) => member(filter, '', 'type', asString).value === 'RequestRedirect',
  )

/** A header or query parameter that a request must have. */
export type ValueMatch = {
  /** Header names are lower-cased. */
  readonly name: string
  readonly type: 'Exact' | 'RegularExpression'
  readonly value: string
}

/** One match of a rule under one hostname. Plain data, so that it can be sent to other threads. */
export type RouteRow = {
  /** Lower-cased: exact, `*.shop.example`, or empty for every host. */
  readonly hostname: string
  readonly path: PathMatch
  readonly method: string | undefined
  readonly headers: readonly ValueMatch[]
  readonly query: readonly ValueMatch[]
  /** Index of the route in the list of routes, and index of the rule in the route. */
  readonly route: number
  readonly rule: number
  /** True where the rule redirects: nginx runs `return` before it checks limits. */
  readonly redirects: boolean
}

/** A route and the hostnames under which it answers, as its Gateway accepts them. */
export type RouteWithHostnames = { readonly route: RouteView; readonly hostnames: readonly string[] }

/** Every match of some routes. Among equally specific matches the first one counts: of the older route, then by name. */
export function routeRows(routes: readonly RouteWithHostnames[]): readonly RouteRow[] {
  const byAge = routes.map((attached, index) => ({ ...attached, index })).sort((a, b) => compareAge(a.route, b.route))
  return byAge.flatMap(({ route, hostnames, index }) => {
    const matches = matchesOf(route).map((match) => ({ ...match, route: index }))
    return hostnames.flatMap((hostname) => matches.map((match) => ({ ...match, hostname: hostname.toLowerCase() })))
  })
}

function compareAge(a: RouteView, b: RouteView): number {
  return createdAt(a) - createdAt(b) || compareText(nameOf(a), nameOf(b))
}

/** Milliseconds since 1970; a route without a time counts as the youngest. */
function createdAt({ metadata }: RouteView): number {
  const time = Date.parse(metadata.creationTimestamp.value ?? '')
  return Number.isNaN(time) ? Number.MAX_VALUE : time
}

const nameOf = ({ identity: { namespace = '', name = '' } }: RouteView): string => `${namespace}/${name}`

type RuleMatch = Omit<RouteRow, 'hostname' | 'route'>

function matchesOf(route: RouteView): readonly RuleMatch[] {
  if (route.rules.length === 0) return pathsOf(route).map((path) => ({ ...ANYTHING, path, rule: 0, redirects: false }))
  return route.rules.flatMap((rule, index) => {
    const written = (member(rule, '', 'matches', asList).value ?? []).filter(isObject)
    const matches = written.length === 0 ? [{}] : written
    return matches.flatMap((match) =>
      /** The path of one match, read from a route that has only this match. */
      pathsOf({ ...route, rules: [{ matches: [match] }] }).map((path) => ({
        path,
        ...conditionsOf(match, route.identity.kind === 'GRPCRoute'),
        rule: index,
        redirects: isRedirect(rule),
      })),
    )
  })
}

const ANYTHING = { method: undefined, headers: [], query: [] } as const

function conditionsOf(match: JsonObject, isGrpc: boolean): Pick<RouteRow, 'method' | 'headers' | 'query'> {
  const headers = valuesOf(match, 'headers').map((header) => ({ ...header, name: header.name.toLowerCase() }))
  if (isGrpc) return { ...ANYTHING, headers }
  return { method: member(match, '', 'method', asName).value, headers, query: valuesOf(match, 'queryParams') }
}

/** Only the first entry of each name counts. */
function valuesOf(match: JsonObject, name: string): readonly ValueMatch[] {
  const found = new Map<string, ValueMatch>()
  for (const item of member(match, '', name, asList).value ?? []) {
    const entry = asObject(item)
    const [key, value] = [member(entry, '', 'name', asName).value, member(entry, '', 'value', asName).value]
    if (key === undefined || value === undefined || found.has(key)) continue
    const isPattern = member(entry, '', 'type', asString).value === 'RegularExpression'
    found.set(key, { name: key, value, type: isPattern ? 'RegularExpression' : 'Exact' })
  }
  return [...found.values()]
}

/** True for a match that depends only on the path. */
export const isUnconditional = ({ method, headers, query }: RouteRow): boolean =>
  method === undefined && headers.length === 0 && query.length === 0

/**
 * Order of the matches of one path: with a method first, then more headers, then more query parameters. Sorting is
 * stable, so equally specific rows keep the order of age, names and rules.
 */
export const bySpecificity = (a: RouteRow, b: RouteRow): number =>
  Number(b.method !== undefined) - Number(a.method !== undefined) ||
  b.headers.length - a.headers.length ||
  b.query.length - a.query.length

/** The path of a prefix without the slash at its end, which does not count; empty for `/`. */
export const prefixBase = (path: string): string => withoutEnd(path, '/')
