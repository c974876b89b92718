/**
 * Whose requests a proxy would get: decided by the choice that nginx makes between servers and between locations. Each
 * location of a proxy is `=` or `^~`, and its patterns are within one of these, so that hostname and longest path decide.
 * Source: nginx, server_name, location.
 */
import { wildcardsOver } from '../../gateway/routing/hostnames.ts'
import type { RouteRow } from '../../gateway/routing/matches.ts'
import { createRouter } from '../../gateway/routing/router.ts'

/** Where a proxy answers. */
export type Traffic = {
  /** In lower case, `*.shop.example` for all names below; empty for every hostname that no other proxy has. */
  readonly hostname: string
  /** Each with all that is below it. */
  readonly paths: readonly string[]
}

/** The locations of a proxy, for a router. */
export const trafficRows = ({ hostname, paths }: Traffic): readonly Omit<RouteRow, 'route' | 'rule'>[] =>
  paths.map((value) => ({
    hostname,
    path: { type: 'PathPrefix', value },
    method: undefined,
    headers: [],
    query: [],
    redirects: false,
  }))

/** The names whose servers a hostname leaves without requests, once it has a server of its own; the nearest first. */
export const hostnamesOver = (hostname: string): readonly string[] =>
  hostname === '' ? [] : [...wildcardsOver(hostname.replace(/^\*\./, '')), '']

/** A change of where one proxy answers. */
export type Move<Placed extends Traffic> = {
  /** All other proxies that have the hostname of `after`, or one of those over it. */
  readonly others: readonly Placed[]
  /** Undefined for a new one. */
  readonly before: Traffic | undefined
  readonly after: Traffic
}

/** The others that some of their requests would not reach any longer: the moved proxy gets them, or none does. */
export function losersOf<Placed extends Traffic>({ others, before, after }: Move<Placed>): readonly Placed[] {
  const rowsOf = (all: readonly Traffic[]) =>
    all.flatMap((traffic, index) => trafficRows(traffic).map((row) => ({ ...row, route: index, rule: 0 })))
  const now = createRouter(rowsOf(before ? [...others, before] : others))
  const then = createRouter(rowsOf([...others, after]))
  // Requests for another hostname go where they went: one host stands for all that this hostname is the nearest to.
  const host = after.hostname === '' ? 'any' : after.hostname.replace('*', 'any')
  const losers = new Set<Placed>()
  for (const path of pathsFor([...others, after])) {
    const request = { host, path, method: 'GET', header: () => undefined, argument: () => undefined }
    const loser = others[now(request)?.route ?? -1]
    if (loser && loser !== others[then(request)?.route ?? -1]) losers.add(loser)
  }
  return [...losers]
}

/** No path of a proxy has a space. */
const NO_SEGMENT = ' '

/** Each path, and one below it, stand for all requests to which the same path is the longest. */
function pathsFor(all: readonly Traffic[]): readonly string[] {
  const paths = new Set(all.flatMap((one) => one.paths))
  return [...paths].flatMap((path) => [path, `${withSlash(path)}${NO_SEGMENT}`])
}

/** True where each path of a proxy is one of some paths, or below one. */
export const isWithinPaths = ({ paths }: Pick<Traffic, 'paths'>, prefixes: readonly string[]): boolean =>
  paths.every((path) => prefixes.some((prefix) => path === prefix || path.startsWith(withSlash(prefix))))

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
