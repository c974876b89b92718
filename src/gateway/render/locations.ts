/**
 * The locations of a server. Source: Gateway API, precedence of matches; nginx, location: `=` comes first, then regular
 * expressions in their order, then the longest prefix, which is also the order of NGINX Gateway Fabric.
 *
 * A match with conditions leads to a named location, so that its limits are checked there, and only once.
 */

import { block, comment, directive, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import type { Http2 } from '../../nginx/version.ts'
import { groupBy } from '../../text/group.ts'
import { compareText } from '../../text/order.ts'
import { utf8Length } from '../../text/utf8.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { bySpecificity, isUnconditional, type PathMatch, prefixBase, type RouteRow } from '../routing/matches.ts'
import { compilePattern } from '../routing/pattern.ts'
import { type Action, actionOf, plainName, ruleTitle, type Upstreams } from './actions.ts'
import type { Hop, RouteLimits } from './blocks.ts'
import {
  CLOSING_LOCATION,
  closes,
  handOnNodes,
  hopNodes,
  innerServerComments,
  innerServerNodes,
  socketOf,
} from './hops.ts'
import type { Port } from './listeners.ts'
import type { Conditions } from './maps.ts'
import { blockNodes } from './policy-blocks.ts'

/** A location as nginx chooses it by path alone. */
type NginxLocation = {
  /** The parameters of the `location` directive. */
  readonly head: string
  /** The matches that may answer there, in the order in which they are tried; the last one may be unconditional. */
  readonly candidates: readonly RouteRow[]
  /** True where the last of them is unconditional, so that one always answers. */
  readonly isTotal: boolean
}

/** The locations for the matches under one hostname; regular expressions in the order in which nginx must try them. */
export function nginxLocations(rows: readonly RouteRow[]): readonly NginxLocation[] {
  const sorted = [...rows].sort(bySpecificity)
  const ofType = (type: PathMatch['type']) => sorted.filter(({ path }) => path.type === type)
  const isPath = ({ path }: RouteRow) => path.value.startsWith('/')
  const exact = groupBy(ofType('Exact').filter(isPath), ({ path }) => path.value)
  const prefixes = groupBy(ofType('PathPrefix').filter(isPath), ({ path }) => prefixBase(path.value))
  const patterns = groupBy(ofType('RegularExpression'), ({ path }) => path.value)
  const covering = (path: string) => basesOf(path).flatMap((base) => prefixes.get(base) ?? [])
  const expressions = [...patterns].sort(([a], [b]) => utf8Length(b) - utf8Length(a) || compareText(a, b))
  /** The matches of an exact path; one that no match names and no prefix ends with may match an expression before. */
  const exactly = (path: string) =>
    exact.has(path) || prefixes.has(path)
      ? [...(exact.get(path) ?? []), ...covering(path)]
      : (expressions.find(([pattern]) => matchesPath(pattern, path))?.[1] ?? covering(path))
  const paths = [...new Set([...[...exact.keys()].flatMap(withoutSlash), ...prefixes.keys()])]
  return [
    ...paths
      .filter((path) => path !== '')
      .sort(compareText)
      .flatMap((path) => [
        location(`= ${quoted(path)}`, exactly(path)),
        ...(prefixes.has(path) ? [location(quoted(`${path}/`), covering(`${path}/`))] : []),
      ]),
    ...expressions.map(([pattern, matches]) => location(`~ ${quoted(anchored(pattern))}`, matches)),
    ...(prefixes.has('') ? [location('/', covering('/'))] : []),
  ]
}

/** The prefixes that may cover a path, the longest first: the path itself, and what is before each of its slashes. */
function basesOf(path: string): readonly string[] {
  const bases = [path]
  for (let slash = path.lastIndexOf('/'); slash >= 0; slash = slash === 0 ? -1 : path.lastIndexOf('/', slash - 1))
    bases.push(path.slice(0, slash))
  return bases
}

/**
 * A path, and the same path without its slash at the end: where a location ends in a slash and passes requests on, nginx
 * answers the path without it with a redirect, before it looks at limits, unless that has a location of its own.
 */
const withoutSlash = (path: string): readonly string[] => (path.endsWith('/') ? [path, path.slice(0, -1)] : [path])

function matchesPath(pattern: string, path: string): boolean {
  const compiled = compilePattern(anchored(pattern))
  return typeof compiled === 'object' && compiled.pattern.test(path)
}

/** A regular expression that matches from the beginning of the path. */
function anchored(pattern: string): string {
  if (pattern.startsWith('^')) return pattern
  return pattern.includes('|') ? `^(?:${pattern})` : `^${pattern}`
}

function location(head: string, all: readonly RouteRow[]): NginxLocation {
  const last = all.findIndex(isUnconditional)
  return { head, candidates: last < 0 ? all : all.slice(0, last + 1), isTotal: last >= 0 }
}

/** What is the same for every server of a configuration, and what their locations add to it. */
export type RenderState = {
  /** `1.22.1`: directives differ by version. */
  readonly nginxVersion: string
  readonly http2: Http2
  /** The ports on which nginx listens, by the ports of the listeners. */
  readonly listens: ReadonlyMap<number, number>
  /** The folder for the sockets of inner servers. */
  readonly socketDir: string
  /** True where the directives of a policy are included from its file. */
  readonly includes: boolean
  /** `NAMESPACE/NAME`; it distinguishes the sockets of Gateways. */
  readonly gateway: string
  limitsOf(route: RouteView): RouteLimits
  readonly conditions: Conditions
  readonly upstreams: Upstreams
  /** Inner servers, by socket. */
  readonly hops: Map<string, readonly Node[]>
}

/** A server, and the state of the configuration to which it belongs. */
type ServerContext = { readonly port: Port; readonly hostname: string; readonly state: RenderState }

/** The nodes of a server's locations; `isClosing` where one of them leads to a location that closes connections. */
type ServerLocations = { readonly nodes: readonly Node[]; readonly isClosing: boolean }

/** Renders the locations of a server, those with a path before the named ones. */
export function locationNodes(locations: readonly NginxLocation[], server: ServerContext): ServerLocations {
  const named = new Map<string, Node>()
  const nodes = locations.flatMap(({ head, candidates, isTotal }) => [
    SPACE,
    block(`location ${head}`, [
      ...candidates.flatMap((row) => candidateNodes(row, server, named)),
      ...(isTotal ? [] : [directive('return 404')]),
    ]),
  ])
  const isClosing = locations.some(({ candidates }) => candidates.some((row) => isClosingRow(row, server)))
  const all = [...named.values(), ...(isClosing ? [CLOSING_LOCATION] : [])]
  return { nodes: [...nodes, ...all.flatMap((node) => [SPACE, node])], isClosing }
}

function candidateNodes(row: RouteRow, server: ServerContext, named: Map<string, Node>): readonly Node[] {
  const route = routeOf(row, server)
  if (!route) return []
  if (isUnconditional(row)) return ruleNodes(route, row.rule, server)
  const condition = server.state.conditions.of(row)
  if (condition.type === 'not-expressible')
    return [comment(`${ruleTitle(route, row.rule)} is left out here: nginx cannot check ${condition.what}.`)]
  const { kind, namespace = '', name = '' } = route.identity
  const target = `@${plainName(`${kind}_${namespace}_${name}_rule${row.rule}`)}`
  if (!named.has(target)) named.set(target, block(`location ${target}`, ruleNodes(route, row.rule, server)))
  return [block(`if (${condition.variable})`, [directive(`error_page 418 = ${target}`), directive('return 418')])]
}

const routeOf = ({ route }: RouteRow, { port }: ServerContext): RouteView | undefined => port.routes[route]?.route

function isClosingRow(row: RouteRow, server: ServerContext): boolean {
  const route = routeOf(row, server)
  const hop = route && server.state.limitsOf(route).hop
  return hop !== undefined && closes(hop.rejectCode, server.state.nginxVersion)
}

/** The directives for one rule of a route, limits first. */
function ruleNodes(route: RouteView, rule: number, server: ServerContext): readonly Node[] {
  const { state, port } = server
  const action = actionOf(route, rule, state.upstreams, { port: port.port, isTls: port.isTls, listens: state.listens })
  const about = [ruleTitle(route, rule), ...action.notes].map(comment)
  if (action.type === 'return') return [...about, directive(`return ${action.parameters}`)]
  const limits = state.limitsOf(route)
  if (limits.hop) return [...about, ...throughHop({ route, rule, action, limits, hop: limits.hop }, server)]
  return [...about, ...blockNodes(limits.blocks, state.includes), passNode(action)]
}

type Pass = Extract<Action, { type: 'pass' }>

/** Without a backend nginx looks for a file that does not exist: unlike "return", it does so after it has checked limits. */
function passNode({ protocol, upstream }: Pass): Node {
  if (upstream === undefined) return directive('try_files /sluice.no-backend =500')
  return directive(protocol === 'grpc' ? `grpc_pass grpc://${upstream}` : `proxy_pass http://${upstream}`)
}

type HopOf = {
  readonly route: RouteView
  readonly rule: number
  readonly action: Pass
  readonly limits: RouteLimits
  readonly hop: Hop
}

/** The outer location of a hop; its inner server is added to the state. */
function throughHop(
  { route, rule, action, limits, hop }: HopOf,
  { port, hostname, state }: ServerContext,
): readonly Node[] {
  const { protocol } = action
  const title = `${ruleTitle(route, rule)}, behind ${hostname || 'every host'} on port ${port.port}`
  const socket = socketOf(state.socketDir, `${state.gateway}: ${title}`)
  const http2 = protocol === 'grpc' && state.http2 === 'listen' ? 'listen' : undefined
  const inner = block('location /', [
    ...blockNodes(limits.blocks, state.includes),
    ...handOnNodes(protocol),
    passNode(action),
  ])
  const head = innerServerNodes(socket, quoted(hostname || '_'), http2)
  const log = directive('access_log hops.log sluice')
  state.hops.set(socket, [SPACE, ...innerServerComments(title), block('server', [...head, log, SPACE, inner])])
  return [...hopComments(hop), ...hopNodes(socket, protocol, closes(hop.rejectCode, state.nginxVersion))]
}

/** Why there is a hop, and what it changes. */
export function hopComments({ differing, changed }: Hop): readonly Node[] {
  const why = `The route and the limits of its Gateway have different settings (${differing.join(', ')}), and a location can have only one of each. The limits of the Gateway apply here, those of the route in an inner server.`
  const what = `In the inner server ${changed.join(', ')} ${changed.length === 1 ? 'does' : 'do'} not have the value of the client's request, so the limits of the route count by another value.`
  return [why, ...(changed.length === 0 ? [] : [what])].map(comment)
}
