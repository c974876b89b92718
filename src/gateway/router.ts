/** Finds the match that a request meets. Source: Gateway API, precedence of hostnames and of matches. */
import type { RouteRow, ValueMatch } from './routing.ts'

/** A request as routes see it. */
export type RoutedRequest = {
  /** Lower-cased, without port; undefined where nobody knows, and then every hostname will do. */
  readonly host: string | undefined
  /** Decoded and normalised, as nginx's `$uri`. */
  readonly path: string
  readonly method: string | undefined
  /** The value of a header (lower-cased name) or of a query parameter; undefined where it is absent or unknown. */
  header(name: string): string | undefined
  argument(name: string): string | undefined
}

/** Answers with the row that a request meets, or undefined. */
export type Router = (request: RoutedRequest) => RouteRow | undefined

type Candidate = { readonly row: RouteRow; accepts(request: RoutedRequest): boolean }

/** The candidates of one hostname. */
type Paths = {
  readonly exact: Map<string, Candidate[]>
  /** By the path without its final slash; empty for `/`. */
  readonly prefix: Map<string, Candidate[]>
  readonly patterns: { readonly pattern: RegExp; readonly candidate: Candidate }[]
  /** Characters of the longest prefix. */
  longest: number
}

/**
 * Builds a router. Exact hostnames come before wildcards, longer wildcards before shorter ones. Under a hostname an
 * exact path comes first, then the longest prefix, then regular expressions, the longest first (where they come is left
 * to implementations: NGINX Gateway Fabric writes prefixes as `^~`, which nginx prefers to them). Of equal paths the
 * one with a method comes first, then the one with more headers, then with more query parameters, then the first row.
 * Where nothing under a hostname matches, the next hostname has its turn.
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
  return (request) => {
    if (request.host === undefined) return findPath(everywhere, request)
    for (const hostname of hostnamesFor(request.host)) {
      const paths = hosts.get(hostname)
      const found = paths && findPath(paths, request)
      if (found) return found
    }
    return undefined
  }
}

const emptyPaths = (): Paths => ({ exact: new Map(), prefix: new Map(), patterns: [], longest: 0 })

/** Sorting keeps the order of rows that are equally specific. */
const bySpecificity = (a: RouteRow, b: RouteRow): number =>
  Number(b.path.type === 'RegularExpression' ? b.path.value.length : 0) -
    Number(a.path.type === 'RegularExpression' ? a.path.value.length : 0) ||
  Number(b.method !== undefined) - Number(a.method !== undefined) ||
  b.headers.length - a.headers.length ||
  b.query.length - a.query.length

function add(paths: Paths, candidate: Candidate): void {
  const { type, value } = candidate.row.path
  if (type === 'RegularExpression') {
    const pattern = compile(value)
    if (pattern) paths.patterns.push({ pattern, candidate })
    return
  }
  const map = type === 'Exact' ? paths.exact : paths.prefix
  const key = type === 'Exact' ? value : value.replace(/\/$/, '')
  if (type === 'PathPrefix') paths.longest = Math.max(paths.longest, key.length)
  const list = map.get(key)
  if (list) list.push(candidate)
  else map.set(key, [candidate])
}

/** A regular expression as nginx would search for it; undefined for one that JavaScript does not know. */
export function compile(pattern: string): RegExp | undefined {
  const ignoresCase = pattern.startsWith('(?i)')
  try {
    return new RegExp(ignoresCase ? pattern.slice(4) : pattern, ignoresCase ? 'i' : '')
  } catch {
    return undefined
  }
}

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
  const pattern = compile(value)
  return (request) => {
    const actual = read(request)
    return actual !== undefined && (pattern?.test(actual) ?? false)
  }
}

/** The hostnames that cover a host, the most specific first. */
function* hostnamesFor(host: string): Iterable<string> {
  yield host
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) yield `*${host.slice(dot)}`
  yield ''
}

function findPath({ exact, prefix, patterns, longest }: Paths, request: RoutedRequest): RouteRow | undefined {
  const { path } = request
  const found = accepted(exact.get(path), request) ?? accepted(prefix.get(path), request)
  if (found) return found
  for (
    let slash = path.lastIndexOf('/', longest);
    slash >= 0;
    slash = slash > 0 ? path.lastIndexOf('/', slash - 1) : -1
  ) {
    const shorter = accepted(prefix.get(path.slice(0, slash)), request)
    if (shorter) return shorter
  }
  return patterns.find(({ pattern, candidate }) => pattern.test(path) && candidate.accepts(request))?.candidate.row
}

const accepted = (candidates: readonly Candidate[] | undefined, request: RoutedRequest): RouteRow | undefined =>
  candidates?.find((candidate) => candidate.accepts(request))?.row
