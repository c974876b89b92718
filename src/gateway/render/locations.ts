/**
 * The locations of a server, and the matches that each has to choose from. Source: Gateway API, precedence of matches;
 * nginx, location: `=` comes first, then regular expressions in their order, then the longest prefix, which is also
 * how NGINX Gateway Fabric has it.
 */
import type { PathMatch } from '../matches.ts'
import type { RouteRow } from '../routing.ts'
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

/** The locations of the matches under one hostname, in the order in which nginx looks at them. */
export function locationsOf(rows: readonly RouteRow[]): readonly Location[] {
  const sorted = [...rows].sort(bySpecificity)
  const [exact, patterns, prefixes] = (['Exact', 'RegularExpression', 'PathPrefix'] as const).map((type) =>
    sorted.filter(({ path }) => path.type === type && (type === 'RegularExpression' || path.value.startsWith('/'))),
  )
  const bases = unique(prefixes?.map(({ path }) => baseOf(path)) ?? [])
  const paths = unique([...(exact?.map(({ path }) => path.value) ?? []), ...bases.filter((base) => base !== '')])
  const covering = (path: string): readonly RouteRow[] =>
    bases
      .filter((base) => path === base || path.startsWith(`${base}/`))
      .sort((a, b) => b.length - a.length)
      .flatMap((base) => prefixes?.filter((row) => baseOf(row.path) === base) ?? [])
  return [
    ...paths.map((path) =>
      location(`= ${quoted(path)}`, [...(exact?.filter((row) => row.path.value === path) ?? []), ...covering(path)]),
    ),
    ...unique(patterns?.map(({ path }) => path.value) ?? [])
      .sort((a, b) => b.length - a.length || compareTexts(a, b))
      .map((pattern) =>
        location(`~ ${quoted(anchored(pattern))}`, patterns?.filter((row) => row.path.value === pattern) ?? []),
      ),
    ...bases.map((base) => location(quoted(`${base}/`), covering(`${base}/`))),
  ]
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort(compareTexts)

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
