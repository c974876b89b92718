/** The directives of a Gateway context by context, to compare with a configuration or to paste into one. */

import { block, comment, directive, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { http2Of } from '../../nginx/version.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { isRedirect, pathsOf } from '../routing/matches.ts'
import type { RouteLimits } from './blocks.ts'
import { type Configuration, headerNodes } from './configuration.ts'
import { fileName, titleOf } from './files.ts'
import { closes, handOnNodes, hopNodes, innerServerComments, innerServerNodes, socketOf } from './hops.ts'
import { hopComments } from './locations.ts'
import { type Block, blockNodes, sectionNodes } from './policy-blocks.ts'

/** The directives in one context. */
type Fragment = { readonly file: string; readonly nodes: readonly Node[] }

/** The options of fragments. */
type FragmentOptions = {
  readonly nginxVersion: string
  readonly socketDir: string
  /** True where the directives of a policy are included from its file. */
  readonly includes: boolean
}

/** The http context first, then the locations of each route. */
export function fragmentsOf(configuration: Configuration, options: FragmentOptions): readonly Fragment[] {
  const { zones, limits, limitsIn, routes } = configuration
  const inner = routes.flatMap((limits) => (limits.hop ? [innerServer(limits, configuration, options)] : []))
  const nodes = [
    ...headerNodes(configuration),
    comment('---- http context ----'),
    ...sectionNodes('Zones', zones, options.includes),
    ...(limitsIn === 'http' ? sectionNodes(LIMITS, limits, options.includes) : []),
    ...inner.flatMap(({ file, nodes }) =>
      options.includes ? [directive(`include ${quoted(file)}`)] : [SPACE, ...nodes],
    ),
  ]
  return [
    { file: 'http.conf', nodes },
    ...(limitsIn === 'server' && limits.length > 0 ? [serverFragment(limits, options)] : []),
    ...routes.map((limits) => locationFragment(limits, configuration, options)),
    ...(options.includes ? inner : []),
  ]
}

const LIMITS = 'Limits of the Gateway'

const serverFragment = (limits: readonly Block[], { includes }: FragmentOptions): Fragment => ({
  file: 'server.conf',
  nodes: [SPACE, comment('---- each server of the Gateway ----'), ...sectionNodes(LIMITS, limits, includes)],
})

const baseOf = ({ identity: { kind, namespace, name } }: RouteView): string => `${kind}_${namespace}_${name}`

/** nginx knows named locations only at the level of a server, so a file that is included in a location cannot have one. */
const CLOSING_BESIDE = 'The server also needs "location @sluice_closed { return 444; }", beside this location.'

function locationFragment(limits: RouteLimits, configuration: Configuration, options: FragmentOptions): Fragment {
  const { route, blocks, hop } = limits
  const title = `locations of ${titleOf(route)}`
  const heading = [
    SPACE,
    comment(`---- ${title} ----`),
    ...urlsOf(route, configuration).map(comment),
    ...(route.rules.some(isRedirect)
      ? [comment('Where a rule redirects, nginx responds before it checks limits, so no limit applies there.')]
      : []),
  ]
  const file = fileName(`location_${baseOf(route)}`, '.conf')
  if (hop) {
    const protocol = protocolOf(route)
    const socket = socketFor(route, configuration, options)
    const isClosing = closes(hop.rejectCode, options.nginxVersion)
    const beside = isClosing ? [comment(CLOSING_BESIDE)] : []
    return { file, nodes: [...heading, ...hopComments(hop), ...beside, ...hopNodes(socket, protocol, isClosing)] }
  }
  const nodes =
    blocks.length === 0
      ? [
          comment(
            `No directives of its own: those ${configuration.limitsIn === 'http' ? 'at http' : 'of the server'} apply.`,
          ),
        ]
      : blockNodes(blocks, options.includes)
  return { file, nodes: [...heading, ...nodes] }
}

function innerServer(limits: RouteLimits, configuration: Configuration, options: FragmentOptions): Fragment {
  const { route, blocks } = limits
  const hostnames = configuration.listening.ports.flatMap(({ routes }) => hostnamesOn(routes, route))
  const names = [...new Set(hostnames)].map((hostname) => (hostname === '' ? '_' : quoted(hostname)))
  const http2 = protocolOf(route) === 'grpc' ? http2Of(options.nginxVersion) : undefined
  const head = innerServerNodes(socketFor(route, configuration, options), names.join(' '), http2)
  const pass = comment('Add the proxy_pass or grpc_pass of the location here.')
  const handOn = handOnNodes(protocolOf(route))
  const location = block('location /', [...blockNodes(blocks, options.includes), ...handOn, pass])
  return {
    file: fileName(`hop_${baseOf(route)}`, '.conf'),
    nodes: [...innerServerComments(`${titleOf(route)}, at http`), block('server', [...head, SPACE, location])],
  }
}

const protocolOf = ({ identity }: RouteView): 'http' | 'grpc' => (identity.kind === 'GRPCRoute' ? 'grpc' : 'http')

const socketFor = (route: RouteView, { gateway }: Configuration, { socketDir }: FragmentOptions): string =>
  socketOf(socketDir, `${gateway.namespace}/${gateway.name}: ${titleOf(route)}`)

const hostnamesOn = (
  routes: Configuration['listening']['ports'][number]['routes'],
  route: RouteView,
): readonly string[] => routes.flatMap((attached) => (attached.route === route ? attached.hostnames : []))

/** The URLs of a route, with `*` for every host. */
function urlsOf(route: RouteView, { listening }: Configuration): readonly string[] {
  const paths = pathsOf(route).map(({ type, value }) => `${type} ${value}`)
  return listening.ports.flatMap(({ port, isTls, routes }) =>
    hostnamesOn(routes, route).flatMap((hostname) =>
      paths.map((path) => `${isTls ? 'https' : 'http'}://${hostname || '*'}:${port} ${path}`),
    ),
  )
}
