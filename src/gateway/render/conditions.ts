/**
 * What a match asks for beside its path, as variables of nginx: each condition is a map, and where there are several
 * another map joins them. Source: Gateway API, HTTPRouteMatch and GRPCRouteMatch; nginx, map.
 */
import type { RouteRow, ValueMatch } from '../routing/routing.ts'
import { block, directive, type Node, quoted, SPACE } from './nodes.ts'

/** The variable that is true where a match is met, or why nginx cannot say that. */
export type Condition =
  | { readonly type: 'variable'; readonly variable: string }
  | { readonly type: 'unsayable'; readonly reason: string }

/** Makes conditions, each of them once. */
export type Conditions = {
  of(row: RouteRow): Condition
  /** The maps of all conditions so far. */
  nodes(): readonly Node[]
}

/** Begins with no condition. */
export function createConditions(): Conditions {
  const maps = new Map<string, string>()
  const nodes: Node[] = []
  /** Adds a map once. */
  const variable = (source: string, row: string, name: string, fallback = 'default 0'): string => {
    const key = `${source} ${row}`
    const known = maps.get(key)
    if (known !== undefined) return known
    const made = `$sluice_${name}_${maps.size}`
    maps.set(key, made)
    nodes.push(SPACE, block(`map ${source} ${made}`, [directive(fallback), directive(row)]))
    return made
  }
  const asks = ({ name, type, value }: ValueMatch, from: 'header' | 'query'): string => {
    const pattern = type === 'Exact' ? `^${escapePattern(value)}$` : value
    const source =
      from === 'header'
        ? `$http_${name.toLowerCase().replaceAll('-', '_')}`
        : variable('$args', `${quoted(`~(?:^|&)${escapePattern(name)}=([^&]*)`)} $1`, 'query', 'default ""')
    return variable(source, `${quoted(`~${pattern}`)} 1`, 'is')
  }
  return {
    of(row) {
      const reason = unsayable(row)
      if (reason !== undefined) return { type: 'unsayable', reason }
      const all = [
        ...(row.method === undefined ? [] : [variable('$request_method', `${quoted(row.method)} 1`, 'is')]),
        ...row.headers.map((header) => asks(header, 'header')),
        ...row.query.map((parameter) => asks(parameter, 'query')),
      ]
      const [only] = all
      if (only !== undefined && all.length === 1) return { type: 'variable', variable: only }
      return { type: 'variable', variable: variable(`"${all.join('')}"`, `${'1'.repeat(all.length)} 1`, 'all') }
    },
    nodes: () => nodes,
  }
}

/** nginx reads no header of another name, and a pattern that starts a map's row must not be empty. */
function unsayable({ headers, query, method }: RouteRow): string | undefined {
  const header = headers.find(({ name }) => !/^[a-z0-9-]+$/i.test(name))
  if (header) return `the header ${header.name}, of which nginx has no variable`
  const parameter = query.find(({ name }) => name === '')
  if (parameter) return 'a query parameter without a name'
  return method !== undefined && !/^[A-Z]+$/.test(method) ? `the method ${method}` : undefined
}

/** A text as a pattern that it alone meets. */
const escapePattern = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, (character) => `\\${character}`)
