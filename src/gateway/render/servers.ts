/** The servers of a Gateway, one for each port and hostname. Source: Gateway API, listeners and routes; nginx, server and location. */
import { ANY_HOST, commonHostnames } from '../routing/hostnames.ts'
import { type RouteRow, routeRows } from '../routing/routing.ts'
import { compareTexts } from './gateways.ts'
import type { Port } from './listeners.ts'
import { locationNodes } from './location-nodes.ts'
import { isUnconditional, locationsOf } from './locations.ts'
import { block, comment, directive, type Node, quoted, SPACE } from './nodes.ts'
import { listenPort, type Site } from './site.ts'

/** Every server of a port; the default one answers to hosts that nobody else has. */
export function portNodes(port: Port, site: Site): readonly Node[] {
  const rows = routeRows(port.routes)
  const hostnames = [...new Set(rows.map(({ hostname }) => hostname))].sort(compareTexts)
  const servers = hostnames.map((hostname) => serverNode(port, hostname, rows, site))
  const all = hostnames.includes(ANY_HOST) ? servers : [defaultServer(port, site), ...servers]
  const names = port.listeners.map(({ name = '(no name)' }) => name).join(', ')
  const silent = silentOn(port, site)
  const about = `Port ${port.port}, listener ${names}${silent ? `: without TLS and before 1.25.1 nginx speaks no ${silent} beside the other on one port` : ''}`
  return [SPACE, comment(about), ...all.flatMap((server) => [server, SPACE])]
}

function serverNode(port: Port, hostname: string, all: readonly RouteRow[], site: Site): Node {
  const rows = all.filter((row) => row.hostname === hostname).map((row) => wholeMethods(row, port))
  const locations = locationsOf(rows)
  const rendered = locationNodes(locations, { port, hostname, site })
  const hasRoot = locations.some(({ head }) => head === '/')
  return block('server', [
    directive(listen(port, hostname === ANY_HOST, site)),
    directive(`server_name ${hostname === ANY_HOST ? '_' : quoted(hostname)}`),
    ...certificateNodes(port, hostname, site),
    ...(rendered.isClosing && rows.some((row) => !isUnconditional(row)) ? [directive('recursive_error_pages on')] : []),
    ...rendered.nodes,
    ...(hasRoot ? [] : [SPACE, block('location /', [directive('return 404')])]),
  ])
}

/** A pattern for a gRPC method is for all of its path; one for an HTTP path is for its beginning. */
function wholeMethods(row: RouteRow, { routes }: Port): RouteRow {
  const isGrpc = routes[row.route]?.route.identity.kind === 'GRPCRoute'
  if (!isGrpc || row.path.type !== 'RegularExpression') return row
  return { ...row, path: { ...row.path, value: `^(?:${row.path.value})$` } }
}

const defaultServer = (port: Port, site: Site): Node =>
  block('server', [
    directive(listen(port, true, site)),
    directive('server_name _'),
    ...certificateNodes(port, undefined, site),
    directive('return 404'),
  ])

/**
 * Before 1.25.1 a port without TLS speaks either HTTP/1 or HTTP/2, by its `listen`: the latter only where nothing but
 * gRPC is there. What it does not speak, or undefined where it speaks both.
 */
function silentOn({ isTls, routes }: Port, { http2 }: Site): 'HTTP/1' | 'HTTP/2' | undefined {
  const kinds = new Set(routes.map(({ route }) => route.identity.kind))
  if (http2 !== 'listen' || isTls || !kinds.has('GRPCRoute')) return undefined
  return kinds.has('HTTPRoute') ? 'HTTP/2' : 'HTTP/1'
}

function listen(port: Port, isDefault: boolean, site: Site): string {
  const { address } = site.options
  const at = `${address === '' ? '' : `${address}:`}${listenPort(port.port, site.options)}`
  const speaksHttp2 = site.http2 === 'listen' && (port.isTls || silentOn(port, site) === 'HTTP/1')
  const flags = [isDefault ? 'default_server' : '', port.isTls ? 'ssl' : '', speaksHttp2 ? 'http2' : '']
  return ['listen', at, ...flags].filter((word) => word !== '').join(' ')
}

/** The certificate of a server, by its hostname or by a listener; where no folder is given the one at http does. */
function certificateNodes(port: Port, hostname: string | undefined, { options, problems }: Site): readonly Node[] {
  const { certificates } = options
  if (!port.isTls || !certificates) return []
  const listeners = port.listeners.filter(
    (one) => hostname === undefined || commonHostnames(one.hostname, [hostname]).length > 0,
  )
  const names = [...(hostname ? [hostname] : []), ...listeners.flatMap(({ name }) => name ?? [])]
  const found = names.flatMap((name) => certificates.get(name) ?? [])[0]
  if (found)
    return [
      directive(`ssl_certificate ${quoted(found.certificate)}`),
      directive(`ssl_certificate_key ${quoted(found.key)}`),
    ]
  if (hostname === undefined) return [directive('ssl_reject_handshake on')]
  problems.push(
    `no certificate for ${hostname || 'every host'}: --tls-dir needs ${names.map((name) => `${name}.crt and ${name}.key`).join(', or ')}`,
  )
  return []
}
