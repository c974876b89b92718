/** A Gateway's directives context by context, to compare with a configuration or to paste into one. */

import { asList, asText, type JsonObject, member } from '../../json/member.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { pathsOf } from '../routing/matches.ts'
import { blockNodes, sectionNodes } from './block-nodes.ts'
import type { RouteLimits } from './blocks.ts'
import type { Configuration } from './configuration.ts'
import { fileName } from './fingerprint.ts'
import { headerNodes } from './header.ts'
import { closes, handOnNodes, hopNodes, innerServerComments, innerServerNodes, socketOf } from './hops.ts'
import { hopComments } from './location-nodes.ts'
import { block, comment, directive, type Node, quoted, SPACE } from './nodes.ts'
import { titleOf } from './policy-files.ts'
import { http2Of } from './site.ts'

/** What stands in one context. */
export type Fragment = { readonly file: string; readonly nodes: readonly Node[] }

/** What fragments are made for. */
export type FragmentOptions = {
  readonly nginxVersion: string
  readonly socketDir: string
  /** True where directives of a policy are included from its file. */
  readonly includes: boolean
}

/** The http context first, then the locations of each route. */
export function fragmentsOf(configuration: Configuration, options: FragmentOptions): readonly Fragment[] {
  const { zones, http, routes } = configuration
  const inner = routes.flatMap((limits) => (limits.hop ? [innerServer(limits, configuration, options)] : []))
  const nodes = [
    ...headerNodes(configuration),
    heading('http context'),
    ...sectionNodes('Zones', zones, options.includes),
    ...sectionNodes('Limits of the Gateway', http, options.includes),
    ...inner.flatMap(({ file, nodes }) =>
      options.includes ? [directive(`include ${quoted(file)}`)] : [SPACE, ...nodes],
    ),
  ]
  return [
    { file: 'http.conf', nodes },
    ...routes.map((limits) => locationFragment(limits, configuration, options)),
    ...(options.includes ? inner : []),
  ]
}

const heading = (text: string): Node => comment(`---- ${text} ----`)

const baseOf = ({ identity: { kind, namespace, name } }: RouteView): string => `${kind}_${namespace}_${name}`

function locationFragment(limits: RouteLimits, configuration: Configuration, options: FragmentOptions): Fragment {
  const { route, blocks, hop } = limits
  const title = `locations of ${titleOf(route)}`
  const about = [
    SPACE,
    heading(title),
    ...placesOf(route, configuration).map(comment),
    ...(route.rules.some(redirects)
      ? [comment('Where a rule redirects, nginx answers before it looks at limits: none of them holds there.')]
      : []),
  ]
  const file = fileName(`location_${baseOf(route)}`, '.conf')
  if (hop) {
    const protocol = protocolOf(route)
    const socket = socketFor(route, configuration, options)
    const isClosing = closes(hop.rejectCode, options.nginxVersion)
    return { file, nodes: [...about, ...hopComments(hop), ...hopNodes(socket, protocol, isClosing)] }
  }
  const nodes =
    blocks.length === 0
      ? [comment('Nothing of its own: what stands at http holds.')]
      : blockNodes(blocks, options.includes)
  return { file, nodes: [...about, ...nodes] }
}

function innerServer(limits: RouteLimits, configuration: Configuration, options: FragmentOptions): Fragment {
  const { route, blocks } = limits
  const hostnames = configuration.listening.ports.flatMap(({ routes }) => hostnamesOn(routes, route))
  const names = [...new Set(hostnames)].map((hostname) => (hostname === '' ? '_' : quoted(hostname)))
  const http2 = protocolOf(route) === 'grpc' ? http2Of(options.nginxVersion) : undefined
  const around = innerServerNodes(socketFor(route, configuration, options), names.join(' '), http2)
  const goesOn = comment('Then the proxy_pass or grpc_pass of the location, to its backend.')
  const handOn = handOnNodes(protocolOf(route))
  const location = block('location /', [...blockNodes(blocks, options.includes), ...handOn, goesOn])
  return {
    file: fileName(`hop_${baseOf(route)}`, '.conf'),
    nodes: [...innerServerComments(`${titleOf(route)}, at http`), block('server', [...around, SPACE, location])],
  }
}

const protocolOf = ({ identity }: RouteView): 'http' | 'grpc' => (identity.kind === 'GRPCRoute' ? 'grpc' : 'http')

const socketFor = (route: RouteView, { gateway }: Configuration, { socketDir }: FragmentOptions): string =>
  socketOf(socketDir, `${gateway.namespace}/${gateway.name}: ${titleOf(route)}`)

const hostnamesOn = (
  routes: Configuration['listening']['ports'][number]['routes'],
  route: RouteView,
): readonly string[] => routes.flatMap((attached) => (attached.route === route ? attached.hostnames : []))

/** Hosts and paths of a route. */
function placesOf(route: RouteView, { listening }: Configuration): readonly string[] {
  const paths = pathsOf(route).map(({ type, value }) => `${type} ${value}`)
  return listening.ports.flatMap(({ port, isTls, routes }) =>
    hostnamesOn(routes, route).flatMap((hostname) =>
      paths.map((path) => `${isTls ? 'https' : 'http'}://${hostname || '*'}:${port} ${path}`),
    ),
  )
}

const redirects = (rule: JsonObject): boolean =>
  (member(rule, '', 'filters', asList).value ?? []).some(
    (filter) => member(filter, '', 'type', asText).value === 'RequestRedirect',
  )
