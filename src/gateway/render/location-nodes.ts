/** The locations of one server. A match with conditions leads to a named location: limits are asked there, and once. */
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { RouteRow } from '../routing/routing.ts'
import { type Action, actionOf, ruleTitle } from './actions.ts'
import { blockNodes } from './block-nodes.ts'
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
import { isUnconditional, type Location } from './locations.ts'
import { block, comment, directive, type Node, quoted, SPACE } from './nodes.ts'
import type { Site } from './site.ts'

/** The server in which locations stand. */
export type Place = { readonly port: Port; readonly hostname: string; readonly site: Site }

/** Locations as text has them; `isClosing` where one of them leads to a location that closes connections. */
export type Rendered = { readonly nodes: readonly Node[]; readonly isClosing: boolean }

/** Writes the locations of a server, those that are named behind those with a path. */
export function locationNodes(locations: readonly Location[], place: Place): Rendered {
  const named = new Map<string, Node>()
  const nodes = locations.flatMap(({ head, candidates, isTotal }) => [
    SPACE,
    block(`location ${head}`, [
      ...candidates.flatMap((row) => candidateNodes(row, place, named)),
      ...(isTotal ? [] : [directive('return 404')]),
    ]),
  ])
  const isClosing = locations.some(({ candidates }) => candidates.some((row) => isClosingRow(row, place)))
  const all = [...named.values(), ...(isClosing ? [CLOSING_LOCATION] : [])]
  return { nodes: [...nodes, ...all.flatMap((node) => [SPACE, node])], isClosing }
}

function candidateNodes(row: RouteRow, place: Place, named: Map<string, Node>): readonly Node[] {
  const route = routeOf(row, place)
  if (!route) return []
  if (isUnconditional(row)) return ruleNodes(route, row.rule, place)
  const condition = place.site.conditions.of(row)
  if (condition.type === 'unsayable')
    return [comment(`${ruleTitle(route, row.rule)} is left out here: it asks for ${condition.reason}.`)]
  const { kind, namespace = '', name = '' } = route.identity
  const target = `@${kind}_${namespace}_${name}_rule${row.rule}`
  if (!named.has(target)) named.set(target, block(`location ${target}`, ruleNodes(route, row.rule, place)))
  return [block(`if (${condition.variable})`, [directive(`error_page 418 = ${target}`), directive('return 418')])]
}

const routeOf = ({ route }: RouteRow, { port }: Place): RouteView | undefined => port.routes[route]?.route

function isClosingRow(row: RouteRow, place: Place): boolean {
  const route = routeOf(row, place)
  const hop = route && place.site.limitsOf(route).hop
  return hop !== undefined && closes(hop.rejectCode, place.site.options.nginxVersion)
}

/** What a rule of a route does, limits first. */
function ruleNodes(route: RouteView, rule: number, place: Place): readonly Node[] {
  const { site, port } = place
  const at = { port: port.port, isTls: port.isTls, listens: site.listens }
  const action = actionOf(route, rule, site.upstreams, at)
  const about = [ruleTitle(route, rule), ...action.notes].map(comment)
  if (action.type === 'return') return [...about, directive(`return ${action.parameters}`)]
  const limits = site.limitsOf(route)
  if (limits.hop) return [...about, ...throughHop({ route, rule, action, limits, hop: limits.hop }, place)]
  return [...about, ...blockNodes(limits.blocks, site.includes), passNode(action)]
}

type Pass = Extract<Action, { type: 'pass' }>

const passNode = ({ protocol, upstream }: Pass): Node =>
  directive(protocol === 'grpc' ? `grpc_pass grpc://${upstream}` : `proxy_pass http://${upstream}`)

type HopOf = {
  readonly route: RouteView
  readonly rule: number
  readonly action: Pass
  readonly limits: RouteLimits
  readonly hop: Hop
}

/** The outer location of a hop; its inner server is kept for the end. */
function throughHop({ route, rule, action, limits, hop }: HopOf, { port, hostname, site }: Place): readonly Node[] {
  const { protocol } = action
  const title = `${ruleTitle(route, rule)}, behind ${hostname || 'every host'} on port ${port.port}`
  const socket = socketOf(site.socketDir, `${site.gateway}: ${title}`)
  const http2 = protocol === 'grpc' ? site.http2 : undefined
  const inner = block('location /', [
    ...blockNodes(limits.blocks, site.includes),
    ...handOnNodes(protocol),
    passNode(action),
  ])
  const around = innerServerNodes(socket, quoted(hostname || '_'), http2 === 'listen' ? 'listen' : undefined)
  const log = directive('access_log hops.log sluice')
  site.hops.set(socket, [SPACE, ...innerServerComments(title), block('server', [...around, log, SPACE, inner])])
  const isClosing = closes(hop.rejectCode, site.options.nginxVersion)
  return [...hopComments(hop), ...hopNodes(socket, protocol, isClosing)]
}

/** Why there is a hop, and what it changes. */
export function hopComments({ differing, changed }: Hop): readonly Node[] {
  const why = `The route differs from the limits of its Gateway in ${differing.join(', ')}, and one location has only one of each: the limits of the Gateway hold here, those of the route in an inner server.`
  const what = `Behind this hop ${changed.join(', ')} is not that of the client, so the limits of the route count by another value.`
  return [why, ...(changed.length === 0 ? [] : [what])].map(comment)
}
