/**
 * Variables that a configuration defines by maps: those of keys that nginx itself does not define, and the conditions of
 * matches. Source: Gateway API, HTTPRouteMatch and GRPCRouteMatch; nginx, map.
 */

import { block, comment, directive, escapePattern, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { lookUpVariable } from '../../nginx/variables.ts'
import type { PolicyView } from '../objects/policy.ts'
import type { RouteRow, ValueMatch } from '../routing/matches.ts'
import { rejectedPattern } from '../routing/pattern.ts'

const map = (source: string, variable: string, ...rows: readonly string[]): Node =>
  block(`map ${source} $${variable}`, rows.map(directive))

/** What NGINX Gateway Fabric defines at http, by the names that keys may use. */
const GATEWAY_MAPS: Readonly<Record<string, Node>> = {
  gw_api_compliant_host: map('$http_host', 'gw_api_compliant_host', '"" $host', 'default $http_host'),
  connection_upgrade: map('$http_upgrade', 'connection_upgrade', '"" close', 'default upgrade'),
  connection_keepalive: map('$http_upgrade', 'connection_keepalive', '"" ""', 'default upgrade'),
  request_uri_path: map('$request_uri', 'request_uri_path', '"~^([^?]*)" $1'),
}

/** Variables that the rendered locations use. */
const NEEDED = ['gw_api_compliant_host', 'connection_upgrade']

/** What decides which variables exist. */
export type VariableOptions = {
  /** `1.22.1`: variables and directives differ by version. */
  readonly nginxVersion: string
  /** True for NGINX Plus. */
  readonly plus: boolean
  /** Variables that configuration elsewhere defines (the settings of the project, snippets): without `$`, lower-cased. */
  readonly defined: Pick<ReadonlySet<string>, 'has'>
}

/** The maps for the variables in the keys of some policies. A variable that is not defined anywhere gets no map: nginx rejects it. */
export function variableNodes(policies: readonly PolicyView[], options: VariableOptions): readonly Node[] {
  const parts = policies.flatMap(({ limits }) => limits.flatMap(({ key }) => key.value?.parts ?? []))
  const names = new Set(parts.flatMap((part) => (part.type === 'variable' ? [part.name] : [])))
  const platform = { nginxVersion: options.nginxVersion, plus: options.plus, variables: [] }
  const unknown = [...names].filter((name) => !lookUpVariable(name, platform).known).sort()
  const ofGateway = Object.keys(GATEWAY_MAPS).filter((name) => NEEDED.includes(name) || unknown.includes(name))
  const placeholders = unknown.filter((name) => !ofGateway.includes(name) && options.defined.has(name))
  return [
    ...ofGateway.flatMap((name) => [SPACE, GATEWAY_MAPS[name] ?? SPACE]),
    ...placeholders.flatMap((name) => [
      SPACE,
      comment(
        `A placeholder: $${name} is defined elsewhere. It is empty here, so a limit by it alone limits no request.`,
      ),
      map('$remote_addr', name, 'default ""'),
    ]),
  ]
}

/** The variable that is true where a match is met, or what nginx cannot check, as the object of a sentence. */
type MapCondition =
  | { readonly type: 'variable'; readonly variable: string }
  | { readonly type: 'not-expressible'; readonly what: string }

/** Creates the maps of conditions, each once. */
export type Conditions = {
  of(row: RouteRow): MapCondition
  /** The maps of all conditions so far. */
  nodes(): readonly Node[]
}

const UNMET = ['default 0']

/** Starts without maps. Each condition becomes a map; several conditions of a match are joined by one more map. */
export function createConditions(): Conditions {
  const variables = new Map<string, string>()
  const nodes: Node[] = []
  /** The variable of a map, which is added once: what else it has, and one row. */
  const variable = (source: string, row: string, name: string, others: readonly string[] = UNMET): string => {
    const key = `${source} ${row}`
    const known = variables.get(key)
    if (known !== undefined) return known
    const added = `$sluice_${name}_${variables.size}`
    variables.set(key, added)
    nodes.push(SPACE, block(`map ${source} ${added}`, [...others, row].map(directive)))
    return added
  }
  const matches = ({ name, type, value }: ValueMatch, from: 'header' | 'query'): string => {
    const pattern = type === 'Exact' ? `^${escapePattern(value)}$` : value
    const source =
      from === 'header'
        ? `$http_${name.toLowerCase().replaceAll('-', '_')}`
        : variable('$args', `${quoted(`~(?:^|&)${escapePattern(name)}=([^&]*)`)} $1`, 'query', ['default ""'])
    // nginx has an empty value for what a request lacks: an expression such as ".*" must not match that.
    return variable(source, `${quoted(`~${pattern}`)} 1`, 'is', type === 'Exact' ? UNMET : [...UNMET, '"" 0'])
  }
  return {
    of(row) {
      const what = notExpressible(row)
      if (what !== undefined) return { type: 'not-expressible', what }
      const all = [
        ...(row.method === undefined ? [] : [variable('$request_method', `${quoted(row.method)} 1`, 'is')]),
        ...row.headers.map((header) => matches(header, 'header')),
        ...row.query.map((parameter) => matches(parameter, 'query')),
      ]
      const [only] = all
      if (only !== undefined && all.length === 1) return { type: 'variable', variable: only }
      return { type: 'variable', variable: variable(`"${all.join('')}"`, `${'1'.repeat(all.length)} 1`, 'all') }
    },
    nodes: () => nodes,
  }
}

/** nginx has variables only for headers with such names, and a pattern at the start of a map's row must not be empty. */
function notExpressible({ headers, query, method }: RouteRow): string | undefined {
  const header = headers.find(({ name }) => !/^[a-z0-9-]+$/i.test(name))
  if (header) return `the header ${header.name}, as it has no variable for it`
  const pattern = rejectedPattern([...headers, ...query])
  if (pattern !== undefined) return `the regular expression ${pattern}, which it rejects`
  const parameter = query.find(({ name }) => name === '')
  if (parameter) return 'a query parameter without a name'
  return method !== undefined && !/^[A-Z]+$/.test(method) ? `the method ${method}` : undefined
}
