/** Finds the rule that matches a request. Source: Gateway API, precedence of hostnames and of matches; nginx, location. */
import type { LinearPattern } from '../../text/linear.ts'
import { compareText } from '../../text/order.ts'
import { wildcardsOver } from './hostnames.ts'
import { bySpecificity, type PathMatch, prefixBase, type RouteRow, type ValueMatch } from './matches.ts'
import { compilePattern } from './pattern.ts'

/** A request as routes see it. */
export type RoutedRequest = {
  /** Lower-cased, without port; undefined where it is not known: then every hostname matches. */
  readonly host: string | undefined
  /** Decoded and normalised, as nginx's `$uri`. */
  readonly path: string
  readonly method: string | undefined
  /** The value of a header (lower-cased name) or of a query parameter; undefined where it is absent or unknown. */
  header(name: string): string | undefined
  argument(name: string): string | undefined
}

/** Finds the row that a request matches; undefined where there is none. */
type Router = (request: RoutedRequest) => RouteRow | undefined

type Candidate = { readonly row: RouteRow; accepts(request: RoutedRequest): boolean }

/** The candidates of one hostname. */
type Paths = {
  readonly exact: Map<string, Candidate[]>
  /** By path without the slash at its end; empty for `/`. */
  readonly prefix: Map<string, Candidate[]>
  readonly patterns: { readonly value: string; readonly pattern: LinearPattern; readonly candidates: Candidate[] }[]
  /** Characters of the longest prefix. */
  longest: number
}

/**
 * Builds a router that chooses as the rendered configuration does. Only the most specific hostname that covers the host
 * counts (exact before wildcards, longer wildcards first). Under it an exact path comes first, also that of a prefix
 * itself, then regular expressions from the beginning of the path, the longest first, then the longest prefix. Where
 * the request does not meet the conditions of any match of a path, shorter prefixes are tried. Among matches of one
 * path those with a method come first, then those with more headers, then with more query parameters, then the first row.
 */
export function createRouter(rows: readonly RouteRow[]): Router {
  const hosts = new Map<string, Paths>()
  const everywhere = emptyPaths()
  for (const row of [...rows].sort(bySpecificity)) {
    const candidate = { row, accepts: condition(row) }
    const paths = hosts.get(row.hostname) ?? emptyPaths()
    hosts.set(row.hostname, paths)
    add(paths, candidate)
    add(everywhere, candidate)
  }
  for (const { patterns } of [...hosts.values(), everywhere]) patterns.sort(byLength)
  return (request) => {
    if (request.host === undefined) return findPath(everywhere, request)
    for (const hostname of hostnamesFor(request.host)) {
      const paths = hosts.get(hostname)
      if (paths) return findPath(paths, request)
    }
    return undefined
  }
}

const emptyPaths = (): Paths => ({ exact: new Map(), prefix: new Map(), patterns: [], longest: 0 })

const byLength = (a: { readonly value: string }, b: { readonly value: string }): number =>
  b.value.length - a.value.length || compareText(a.value, b.value)

function add(paths: Paths, candidate: Candidate): void {
  const { type, value } = candidate.row.path
  if (type === 'RegularExpression') {
    addPattern(paths, value, candidate)
    return
  }
  const map = type === 'Exact' ? paths.exact : paths.prefix
  const key = type === 'Exact' ? value : prefixBase(value)
  if (type === 'PathPrefix') paths.longest = Math.max(paths.longest, key.length)
  const list = map.get(key)
  if (list) list.push(candidate)
  else map.set(key, [candidate])
}

function addPattern({ patterns }: Paths, value: string, candidate: Candidate): void {
  const known = patterns.find((one) => one.value === value)
  const pattern = known ? undefined : patternOf(value, true)
  if (known) known.candidates.push(candidate)
  else if (pattern) patterns.push({ value, pattern, candidates: [candidate] })
}

/** The regular expressions of rows that nginx rejects or that are not known: such rows never match. */
export const unknownPatterns = (rows: readonly RouteRow[]): readonly string[] => {
  const texts = rows.flatMap(({ path, headers, query }) => [...textOf(path), ...[...headers, ...query].flatMap(textOf)])
  return [...new Set(texts)].filter((text) => patternOf(text) === undefined)
}

/** Undefined for a pattern that nginx rejects, and for one that is not known. */
function patternOf(value: string, isAnchored = false): LinearPattern | undefined {
  const alone = compilePattern(value)
  const compiled = isAnchored && typeof alone === 'object' ? compilePattern(`^(?:${value})`) : alone
  return typeof compiled === 'object' ? compiled.pattern : undefined
}

const textOf = ({ type, value }: PathMatch | ValueMatch): readonly string[] =>
  type === 'RegularExpression' ? [value] : []

function condition({ method, headers, query }: RouteRow): Candidate['accepts'] {
  const tests = [
    ...headers.map((header) => valueTest(header, (request) => request.header(header.name))),
    ...query.map((parameter) => valueTest(parameter, (request) => request.argument(parameter.name))),
  ]
  return (request) => (method === undefined || request.method === method) && tests.every((test) => test(request))
}

function valueTest(
  { type, value }: ValueMatch,
  read: (request: RoutedRequest) => string | undefined,
): (request: RoutedRequest) => boolean {
  if (type === 'Exact') return (request) => read(request) === value
  const pattern = patternOf(value)
  return (request) => {
    const actual = read(request)
    return actual !== undefined && (pattern?.test(actual) ?? false)
  }
}

/** The hostnames that cover a host, the most specific first. */
function* hostnamesFor(host: string): Iterable<string> {
  yield host
  yield* wildcardsOver(host)
  yield ''
}

/** Chooses one location by path alone, as nginx does, then tries its matches in their order. */
function findPath(paths: Paths, request: RoutedRequest): RouteRow | undefined {
  const { path } = request
  const exact = paths.exact.get(path)
  if (exact || paths.prefix.has(path)) return firstMatch(exact, request) ?? findPrefix(paths, request)
  const pattern = paths.patterns.find((one) => one.pattern.test(path))
  return pattern ? firstMatch(pattern.candidates, request) : findPrefix(paths, request)
}

/** The longest prefix with a match that the request meets. */
function findPrefix({ prefix, longest }: Paths, request: RoutedRequest): RouteRow | undefined {
  const { path } = request
  const whole = firstMatch(prefix.get(path), request)
  if (whole) return whole
  for (let slash = path.lastIndexOf('/', longest); slash >= 0; slash = previousSlash(path, slash)) {
    const found = firstMatch(prefix.get(path.slice(0, slash)), request)
    if (found) return found
  }
  return undefined
}

const previousSlash = (path: string, slash: number): number => (slash === 0 ? -1 : path.lastIndexOf('/', slash - 1))

const firstMatch = (candidates: readonly Candidate[] | undefined, request: RoutedRequest): RouteRow | undefined =>
  candidates?.find((candidate) => candidate.accepts(request))?.row
