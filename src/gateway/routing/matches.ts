/** What a route answers to: its paths, its locations on a Gateway, its redirects. Source: Gateway API, route rules. */

import { asList, asObject, asText, isObject, type Json, type JsonObject, member } from '../../json/member.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { Via } from './attachment.ts'

/** One path of a route. */
export type PathMatch = { readonly type: 'Exact' | 'PathPrefix' | 'RegularExpression'; readonly value: string }

/** Where a route answers on one Gateway. An empty hostname stands for every host. */
export type Location = { readonly hostname: string; readonly port: number; readonly path: string }

const EVERYTHING: PathMatch = { type: 'PathPrefix', value: '/' }

/** The paths of a route, each once; those that nobody can read are left out. */
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

/** The text of an optional member: its default where it is absent, undefined where it is no text. */
function textOr<Default>(parent: Json | undefined, name: string, fallback: Default): string | Default | undefined {
  const { raw, value } = member(parent, '', name, asText)
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

/** Where a route answers through the listeners that take it. The type of a path does not count: the product compares texts. */
export function locationsOf(route: RouteView, via: readonly Via[]): readonly Location[] {
  const paths = new Set(pathsOf(route).map(({ value }) => value))
  return via.flatMap(({ listener: { port }, hostnames }) =>
    port === undefined ? [] : hostnames.flatMap((hostname) => [...paths].map((path) => ({ hostname, port, path }))),
  )
}

/** A location as people write it: `cafe.example:80/coffee`; `*` stands for every host. */
export const printLocation = ({ hostname, port, path }: Location): string => `${hostname || '*'}:${port}${path}`

/** True where every rule of a route answers with a redirect: nginx's `return` comes before its limits. */
export const onlyRedirects = ({ rules }: RouteView): boolean => rules.length > 0 && rules.every(redirects)

const redirects = (rule: JsonObject): boolean =>
  (member(rule, '', 'filters', asList).value ?? []).some(
    (filter) => member(filter, '', 'type', asText).value === 'RequestRedirect',
  )
