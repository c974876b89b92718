/**
 * A whole nginx.conf for one Gateway: enough to test a configuration and to send requests to it. One server for each
 * port and hostname. Source: Gateway API, listeners and routes; nginx, server and listen.
 */

import { block, comment, directive, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { type Http2, http2Of, keptConnections } from '../../nginx/version.ts'
import { groupBy } from '../../text/group.ts'
import { compareText } from '../../text/order.ts'
import { ANY_HOST, commonHostnames } from '../routing/hostnames.ts'
import { isUnconditional, type RouteRow, routeRows } from '../routing/matches.ts'
import { rejectedPattern } from '../routing/pattern.ts'
import { type Addresses, createUpstreams, ruleTitle } from './actions.ts'
import { type Configuration, headerNodes } from './configuration.ts'
import { GRPC_HEADERS, PROXY_HEADERS } from './hops.ts'
import type { Listening, Port } from './listeners.ts'
import { locationNodes, nginxLocations, type RenderState } from './locations.ts'
import { createConditions, type VariableOptions, variableNodes } from './maps.ts'
import { type Block, sectionNodes } from './policy-blocks.ts'

/** Files of a certificate; relative paths are relative to nginx's prefix. */
type CertificateFile = { readonly certificate: string; readonly key: string }

/** The options of a whole configuration. */
export type CompleteOptions = VariableOptions & {
  /** The address on which servers listen; empty for all. IPv6 in brackets. */
  readonly address: string
  /** Added to every port that `ports` does not name. */
  readonly portOffset: number
  /** The ports to listen on, by the port of the listener. */
  readonly ports: ReadonlyMap<number, number>
  /** Addresses of backends, by `[NAMESPACE/]SERVICE[:PORT]`. */
  readonly addresses: Addresses
  /** Certificates by hostname or listener; undefined for the {@link THROW_AWAY_CERTIFICATE}. */
  readonly certificates: ReadonlyMap<string, CertificateFile> | undefined
  readonly socketDir: string
  /** True where the directives of a policy are included from its file. */
  readonly includes: boolean
}

/** A whole configuration, and what it used of the options. */
export type Complete = {
  readonly nodes: readonly Node[]
  /** What the user has to correct, each in one line. */
  readonly problems: readonly string[]
  /** The backends, and the names in `addresses` that were used. */
  readonly backends: ReadonlySet<string>
  readonly used: ReadonlySet<string>
  /** Backends whose address would be this nginx itself. */
  readonly loops: readonly string[]
}

/** Renders the whole configuration of a Gateway. */
export function completeNodes(configuration: Configuration, options: CompleteOptions): Complete {
  const { gateway, listening, routes, limits: ofGateway, limitsIn } = configuration
  const limits = new Map(routes.map((one) => [one.route, one]))
  const upstreams = createUpstreams(options.addresses)
  const state: RenderState = {
    nginxVersion: options.nginxVersion,
    http2: http2Of(options.nginxVersion),
    listens: new Map(listening.ports.map(({ port }) => [port, listenPort(port, options)])),
    socketDir: options.socketDir,
    includes: options.includes,
    gateway: `${gateway.namespace}/${gateway.name}`,
    limitsOf: (route) => limits.get(route) ?? { route, blocks: [], hop: undefined, notes: [] },
    conditions: createConditions(),
    upstreams,
    hops: new Map(),
  }
  const problems = portProblems(configuration, options)
  const servers = listening.ports.flatMap((port) =>
    portNodes(port, { options, state, problems, limits: limitsIn === 'server' ? ofGateway : [] }),
  )
  const http = [
    ...httpNodes(configuration, options, state.http2),
    ...variableNodes(configuration.policies, options),
    ...state.conditions.nodes(),
    ...upstreams.nodes(),
    ...servers,
    ...[...state.hops.values()].flat(),
  ]
  const written = comment(`Written for nginx ${options.nginxVersion}; --nginx-version or the settings choose another.`)
  const nodes = [...headerNodes(configuration), written, SPACE, ...MAIN, SPACE, block('http', http)]
  return {
    nodes,
    problems,
    backends: upstreams.backends,
    used: upstreams.used,
    loops: loopsOf(configuration, options, upstreams.local),
  }
}

/** Relative paths are relative to the prefix, `nginx -p`. */
const MAIN: readonly Node[] = [
  directive('worker_processes auto'),
  directive('pid nginx.pid'),
  directive('error_log error.log info'),
  SPACE,
  block('events', [directive('worker_connections 1024')]),
]

/** One line for each request, with all that a replay needs and the result of the limits in its location. Hops have a log of their own. */
const LOG_FORMAT =
  '\'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$host" $scheme $server_port $msec $request_time $limit_req_status\''

function httpNodes(
  { zones, limits, limitsIn, listening }: Configuration,
  { certificates, includes, nginxVersion }: CompleteOptions,
  http2: Http2,
): readonly Node[] {
  const isTls = listening.ports.some((port) => port.isTls)
  return [
    ...['client_body_temp_path client_body_temp', 'proxy_temp_path proxy_temp'].map(directive),
    ...['server_names_hash_bucket_size 512', 'server_names_hash_max_size 4096'].map(directive),
    ...['variables_hash_bucket_size 512', 'variables_hash_max_size 4096'].map(directive),
    directive(`log_format sluice ${LOG_FORMAT}`),
    directive('access_log access.log sluice'),
    ...(http2 === 'directive' && needsHttp2(listening) ? [directive('http2 on')] : []),
    ...[...keptConnections(nginxVersion), 'proxy_http_version 1.1', ...PROXY_HEADERS, ...GRPC_HEADERS].map(directive),
    ...(isTls && !certificates ? [SPACE, ...THROW_AWAY_CERTIFICATE] : []),
    ...sectionNodes('Zones', zones, includes),
    ...(limitsIn === 'http' ? sectionNodes('Limits of the Gateway', limits, includes) : []),
  ]
}

/** With TLS clients may choose HTTP/2, and gRPC requires it. */
const needsHttp2 = ({ ports }: Listening): boolean =>
  ports.some(({ isTls, routes }) => isTls || routes.some(({ route }) => route.identity.kind === 'GRPCRoute'))

/** The port on which nginx listens for the port of a listener. */
const listenPort = (port: number, { ports, portOffset }: Pick<CompleteOptions, 'ports' | 'portOffset'>): number =>
  ports.get(port) ?? port + portOffset

/** Ports that are not valid, and ports that two listeners would share. */
function portProblems({ listening }: Configuration, options: CompleteOptions): string[] {
  const taken = new Map<number, number>()
  return listening.ports.flatMap(({ port }) => {
    const at = listenPort(port, options)
    const other = taken.get(at)
    taken.set(at, port)
    if (at > 65_535 || at < 1) return [`port ${port} would become ${at}, which is not a valid port`]
    return other === undefined
      ? []
      : [`ports ${other} and ${port} would both become ${at}; give one of them another with --port`]
  })
}

/** Backends without an address of their own, on a port on which this nginx listens. */
function loopsOf(
  { listening }: Configuration,
  options: CompleteOptions,
  local: ReadonlyMap<string, number>,
): readonly string[] {
  const own = new Set(listening.ports.map(({ port }) => listenPort(port, options)))
  return [...local].flatMap(([backend, port]) => (own.has(port) ? [backend] : []))
}

type ServerOptions = {
  readonly options: CompleteOptions
  readonly state: RenderState
  /** The limits of the Gateway, where they are in each server. */
  readonly limits: readonly Block[]
  /** Servers add what the user has to correct. */
  readonly problems: string[]
}

/** The servers of a port. The default server answers to hosts that no other server has. */
function portNodes(port: Port, site: ServerOptions): readonly Node[] {
  const rows = routeRows(port.routes)
  const byHostname = groupBy(rows, ({ hostname }) => hostname)
  const servers = [...byHostname]
    .sort(([a], [b]) => compareText(a, b))
    .map(([hostname, here]) => serverNode(port, hostname, here, site))
  const all = byHostname.has(ANY_HOST) ? servers : [defaultServer(port, site), ...servers]
  const names = port.listeners.map(({ name = '(no name)' }) => name).join(', ')
  const missing = missingProtocol(port, site.state.http2)
  const about = `Port ${port.port}, listener ${names}${missing ? `; no ${missing} here: without TLS, nginx before 1.25.1 supports only one of HTTP/1 and HTTP/2 on a port` : ''}`
  return [SPACE, comment(about), ...all.flatMap((server) => [server, SPACE])]
}

function serverNode(port: Port, hostname: string, here: readonly RouteRow[], site: ServerOptions): Node {
  const rows = here.filter(({ path }) => rejectedPattern([path]) === undefined).map((row) => wholeMethods(row, port))
  const locations = nginxLocations(rows)
  const rendered = locationNodes(locations, { port, hostname, state: site.state })
  const hasRoot = locations.some(({ head }) => head === '/')
  return block('server', [
    directive(listen(port, hostname === ANY_HOST, site)),
    directive(`server_name ${hostname === ANY_HOST ? '_' : quoted(hostname)}`),
    ...certificateNodes(port, hostname, site),
    ...(rendered.isClosing && rows.some((row) => !isUnconditional(row)) ? [directive('recursive_error_pages on')] : []),
    ...sectionNodes('Limits of the Gateway', site.limits, site.options.includes),
    ...here.flatMap((row) => rejectionComments(row, port)),
    ...rendered.nodes,
    ...(hasRoot ? [] : [SPACE, block('location /', [directive('return 404')])]),
  ])
}

/** A match that nginx would reject, and its whole configuration with it. */
function rejectionComments({ path, route, rule }: RouteRow, { routes }: Port): readonly Node[] {
  const [pattern, attached] = [rejectedPattern([path]), routes[route]]
  if (pattern === undefined || !attached) return []
  return [
    comment(
      `${ruleTitle(attached.route, rule)}: the path ${pattern} is left out: nginx rejects the regular expression.`,
    ),
  ]
}

/** A pattern for a gRPC method must match the whole path; one for an HTTP path only its beginning. */
function wholeMethods(row: RouteRow, { routes }: Port): RouteRow {
  const isGrpc = routes[row.route]?.route.identity.kind === 'GRPCRoute'
  if (!isGrpc || row.path.type !== 'RegularExpression') return row
  return { ...row, path: { ...row.path, value: `^(?:${row.path.value})$` } }
}

const defaultServer = (port: Port, site: ServerOptions): Node =>
  block('server', [
    directive(listen(port, true, site)),
    directive('server_name _'),
    ...certificateNodes(port, undefined, site),
    directive('return 404'),
  ])

/**
 * Before 1.25.1 a port without TLS supports either HTTP/1 or HTTP/2, by its `listen` directive: HTTP/2 only where it has
 * nothing but gRPC. The protocol that a port with gRPC lacks, or undefined where it supports both.
 */
function missingProtocol({ isTls, routes }: Port, http2: Http2): 'HTTP/1' | 'HTTP/2' | undefined {
  const kinds = new Set(routes.map(({ route }) => route.identity.kind))
  if (http2 !== 'listen' || isTls || !kinds.has('GRPCRoute')) return undefined
  return kinds.has('HTTPRoute') ? 'HTTP/2' : 'HTTP/1'
}

function listen(port: Port, isDefault: boolean, { options, state: { http2 } }: ServerOptions): string {
  const { address } = options
  const at = `${address === '' ? '' : `${address}:`}${listenPort(port.port, options)}`
  const isHttp2 = http2 === 'listen' && (port.isTls || missingProtocol(port, http2) === 'HTTP/1')
  const flags = [isDefault ? 'default_server' : '', port.isTls ? 'ssl' : '', isHttp2 ? 'http2' : '']
  return ['listen', at, ...flags].filter((word) => word !== '').join(' ')
}

/** The certificate of a server, by its hostname or by a listener; without `certificates` the one at http applies. */
function certificateNodes(
  port: Port,
  hostname: string | undefined,
  { options: { certificates }, problems }: ServerOptions,
): readonly Node[] {
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

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBTTCB9AIBATAKBggqhkjOPQQDAjAyMTAwLgYDVQQDDCd0aHJvdy1hd2F5IGNl
cnRpZmljYXRlIG9mIHNsdWljZSByZW5kZXIwIBcNMjAwMTAxMDAwMDAwWhgPOTk5
OTEyMzEyMzU5NTlaMDIxMDAuBgNVBAMMJ3Rocm93LWF3YXkgY2VydGlmaWNhdGUg
b2Ygc2x1aWNlIHJlbmRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJh2qPmp
a769UGvfYOnPRfOiWcKDFX7sF+YUs2Prb2ggwyvRPJZ5KHg73Mf+D2c3fUaEf2vE
DDW2HvwJdaVjZ+4wCgYIKoZIzj0EAwIDSAAwRQIhAKFebobqD2FpCqmJe5M555k5
ZKRUaSn+Dc1CPhO85xxlAiBHOrLaqbiHeoGVCBpTHlajkS9EaQVueWR31OG6wf/I
6g==
-----END CERTIFICATE-----
`

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMgb+Jr0suv52tn2k
0kqBDSLzAQxvpT3f2XHrVBEeR8OhRANCAASYdqj5qWu+vVBr32Dpz0XzolnCgxV+
7BfmFLNj629oIMMr0TyWeSh4O9zH/g9nN31GhH9rxAw1th78CXWlY2fu
-----END PRIVATE KEY-----
`

/**
 * A certificate for trying out a configuration, so that listeners for HTTPS need no files. Its key is public: it is not a
 * secret and protects nothing.
 */
const THROW_AWAY_CERTIFICATE: readonly Node[] = [
  comment('A throw-away certificate. Its key is public, so it protects nothing (--tls-dir names real certificates).'),
  directive(`ssl_certificate "data:${CERTIFICATE}"`),
  directive(`ssl_certificate_key "data:${KEY}"`),
]
