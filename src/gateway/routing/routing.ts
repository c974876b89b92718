/**
 * Which route, and which of its rules, a request meets. Source: Gateway API, precedence of hostnames and of matches
 * (HTTPRouteRule, GRPCRouteRule).
 */

import { asList, asObject, asText, isObject, type JsonObject, member } from '../../json/member.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { onlyRedirects, type PathMatch, pathsOf } from './matches.ts'

/** A header or query parameter that a request must have. */
export type ValueMatch = {
  /** Headers are lower-cased. */
  readonly name: string
  readonly type: 'Exact' | 'RegularExpression'
  readonly value: string
}

/** One match of a rule under one hostname. Plain data, so that threads can be told of it. */
export type RouteRow = {
  /** Lower-cased: exact, `*.shop.example`, or empty for every host. */
  readonly hostname: string
  readonly path: PathMatch
  readonly method: string | undefined
  readonly headers: readonly ValueMatch[]
  readonly query: readonly ValueMatch[]
  /** Which of the given routes, and which of its rules. */
  readonly route: number
  readonly rule: number
  /** True where the rule answers with a redirect, which nginx does before it looks at limits. */
  readonly redirects: boolean
}

/** A route and the hostnames under which it answers, as its Gateway admits them. */
export type AttachedRoute = { readonly route: RouteView; readonly hostnames: readonly string[] }

/** Everything that routes answer to, the first of equally specific matches first: of the older route, then by name. */
export function routeRows(routes: readonly AttachedRoute[]): readonly RouteRow[] {
  const byAge = routes.map((attached, index) => ({ ...attached, index })).sort((a, b) => compareAge(a.route, b.route))
  return byAge.flatMap(({ route, hostnames, index }) => {
    const matches = matchesOf(route).map((match) => ({ ...match, route: index }))
    return hostnames.flatMap((hostname) => matches.map((match) => ({ ...match, hostname: hostname.toLowerCase() })))
  })
}

function compareAge(a: RouteView, b: RouteView): number {
  const [ageA, ageB] = [a, b].map(({ metadata }) => Date.parse(metadata.creationTimestamp.value ?? ''))
  const byAge =
    (Number.isNaN(ageA) ? Number.MAX_VALUE : (ageA ?? 0)) - (Number.isNaN(ageB) ? Number.MAX_VALUE : (ageB ?? 0))
  const [nameA, nameB] = [a, b].map(({ identity: { namespace = '', name = '' } }) => `${namespace}/${name}`)
  return byAge || (nameA === nameB ? 0 : (nameA ?? '') < (nameB ?? '') ? -1 : 1)
}

type RuleMatch = Omit<RouteRow, 'hostname' | 'route'>

function matchesOf(route: RouteView): readonly RuleMatch[] {
  if (route.rules.length === 0) return pathsOf(route).map((path) => ({ ...ANYTHING, path, rule: 0, redirects: false }))
  return route.rules.flatMap((rule, index) => {
    const written = (member(rule, '', 'matches', asList).value ?? []).filter(isObject)
    const matches = written.length === 0 ? [{}] : written
    return matches.flatMap((match) =>
      /** The path of one match alone: what a route of this match only would answer to. */
      pathsOf({ ...route, rules: [{ matches: [match] }] }).map((path) => ({
        path,
        ...conditionsOf(match, route.identity.kind === 'GRPCRoute'),
        rule: index,
        redirects: onlyRedirects({ ...route, rules: [rule] }),
      })),
    )
  })
}

const ANYTHING = { method: undefined, headers: [], query: [] } as const

function conditionsOf(match: JsonObject, isGrpc: boolean): Pick<RouteRow, 'method' | 'headers' | 'query'> {
  const headers = valuesOf(match, 'headers').map((header) => ({ ...header, name: header.name.toLowerCase() }))
  if (isGrpc) return { ...ANYTHING, headers }
  return { method: member(match, '', 'method', asText).value, headers, query: valuesOf(match, 'queryParams') }
}

/** Of two entries for one name only the first counts. */
function valuesOf(match: JsonObject, name: string): readonly ValueMatch[] {
  const found = new Map<string, ValueMatch>()
  for (const item of member(match, '', name, asList).value ?? []) {
    const entry = asObject(item)
    const [key, value] = [member(entry, '', 'name', asText).value, member(entry, '', 'value', asText).value]
    if (key === undefined || value === undefined || found.has(key)) continue
    const isPattern = member(entry, '', 'type', asText).value === 'RegularExpression'
    found.set(key, { name: key, value, type: isPattern ? 'RegularExpression' : 'Exact' })
  }
  return [...found.values()]
}
