/**
 * The locations of a server, and the matches that each has to choose from. Source: Gateway API, precedence of matches;
 * nginx, location: `=` comes first, then regular expressions in their order, then the longest prefix, which is also
 * how NGINX Gateway Fabric has it.
 */
import type { PathMatch } from '../routing/matches.ts'
import type { RouteRow } from '../routing/routing.ts'
import { compareTexts } from './gateways.ts'
import { quoted } from './nodes.ts'

/** A location as nginx chooses it by path alone. */
export type Location = {
  /** What follows the word `location`. */
  readonly head: string
  /** The matches that may answer there, in the order in which they are asked; none follows one without conditions. */
  readonly candidates: readonly RouteRow[]
  /** True where the last of them always answers. */
  readonly isTotal: boolean
}

/** A match that asks for nothing beside its path. */
export const isUnconditional = ({ method, headers, query }: RouteRow): boolean =>
  method === undefined && headers.length === 0 && query.length === 0

/** The locations of the matches under one hostname; regular expressions in the order in which nginx is to ask them. */
export function locationsOf(rows: readonly RouteRow[]): readonly Location[] {
  const sorted = [...rows].sort(bySpecificity)
  const ofType = (type: PathMatch['type']) => sorted.filter(({ path }) => path.type === type)
  const isPath = ({ path }: RouteRow) => path.value.startsWith('/')
  const exact = byPath(ofType('Exact').filter(isPath), ({ value }) => value)
  const prefixes = byPath(ofType('PathPrefix').filter(isPath), baseOf)
  const patterns = byPath(ofType('RegularExpression'), ({ value }) => value)
  const longestFirst = [...prefixes].sort(([a], [b]) => b.length - a.length)
  const covering = (path: string) =>
    longestFirst.flatMap(([base, covers]) => (path === base || path.startsWith(`${base}/`) ? covers : []))
  const paths = [...new Set([...exact.keys(), ...prefixes.keys()])].filter((path) => path !== '').sort(compareTexts)
  return [
    ...paths.flatMap((path) => [
      location(`= ${quoted(path)}`, [...(exact.get(path) ?? []), ...covering(path)]),
      ...(prefixes.has(path) ? [location(quoted(`${path}/`), covering(`${path}/`))] : []),
    ]),
    ...[...patterns]
      .sort(([a], [b]) => b.length - a.length || compareTexts(a, b))
      .map(([pattern, matches]) => location(`~ ${quoted(anchored(pattern))}`, matches)),
    ...(prefixes.has('') ? [location('/', covering('/'))] : []),
  ]
}

function byPath(
  rows: readonly RouteRow[],
  keyOf: (path: PathMatch) => string,
): ReadonlyMap<string, readonly RouteRow[]> {
  const groups = new Map<string, RouteRow[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row.path))
    if (group) group.push(row)
    else groups.set(keyOf(row.path), [row])
  }
  return groups
}

/** A prefix without the slash at its end, which does not count; empty for `/`. */
const baseOf = ({ value }: PathMatch): string => value.replace(/\/+$/, '')

/** A regular expression begins where the path does. */
function anchored(pattern: string): string {
  if (pattern.startsWith('^')) return pattern
  return pattern.includes('|') ? `^(?:${pattern})` : `^${pattern}`
}

function location(head: string, all: readonly RouteRow[]): Location {
  const last = all.findIndex(isUnconditional)
  return { head, candidates: last < 0 ? all : all.slice(0, last + 1), isTotal: last >= 0 }
}

/** Sorting keeps the order of rows that are equally specific: that of age, of names, of rules. */
const bySpecificity = (a: RouteRow, b: RouteRow): number =>
  Number(b.method !== undefined) - Number(a.method !== undefined) ||
  b.headers.length - a.headers.length ||
  b.query.length - a.query.length
