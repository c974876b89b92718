/**
 * The nginx configuration of a sidecar, for the open source nginx: plain, with what the mesh's configuration says, or
 * transparent, where requests and responses pass as they are. Source: nginx, ngx_http_proxy_module, ngx_http_grpc_module.
 */
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { block, comment, directive, escapePattern, type Node, print, quoted, SPACE } from '../../nginx/nodes.ts'
import { http2Of } from '../../nginx/version.ts'
import { describeNotEnforced, type NotEnforced, notEnforcedWhole } from '../not-enforced.ts'
import { balancingOf, type SidecarValues, sidecarValues } from './values.ts'

/** A Service that the Pod calls. */
export type Destination = {
  /** Undefined in the Pod's own namespace. */
  readonly namespace: string | undefined
  readonly name: string
  /** Undefined for every port. */
  readonly port: number | undefined
  /** `HOST:PORT` of its Pods, at least one. */
  readonly addresses: readonly string[]
}

/** Where a sidecar runs. */
export type SidecarSite = {
  readonly nginxVersion: string
  /** The address to listen on; empty for all. */
  readonly address: string
  /** Ports of the containers beside the sidecar; a request for another port goes to the first of them. */
  readonly containerPorts: readonly [number, ...number[]]
  readonly destinations: readonly Destination[]
  /** The address of a DNS server for all other destinations; undefined: they are answered with 502. */
  readonly resolver: string | undefined
}

/** The configuration as text. Relative paths in it are relative to the prefix, `nginx -p`. */
export function renderSidecar(config: JsonObject, names: ApiNames, site: SidecarSite): string {
  const values = sidecarValues(config, names)
  const http = [
    ...[...HTTP, ...(values.transparent ? UNTOUCHED : [`client_max_body_size ${values.bodySize}`])].map(directive),
    ...(site.resolver === undefined ? [] : [directive(`resolver ${site.resolver}`)]),
    ...logNodes(values),
    SPACE,
    map('$http_upgrade', '$upgraded_connection', ['"" ""', 'default upgrade']),
    SPACE,
    map('$http_host', INCOMING, [
      `default 127.0.0.1:${site.containerPorts[0]}`,
      ...site.containerPorts.map((port) => `${quoted(`~:${port}$`)} 127.0.0.1:${port}`),
    ]),
    SPACE,
    map('$http_host', OUTGOING, [
      `default ${site.resolver === undefined ? '""' : '$http_host'}`,
      ...site.destinations.map((one) => `${quoted(`~*^${hostPattern(one)}$`)} ${upstreamName(one)}`),
    ]),
    ...site.destinations.flatMap((one) => [SPACE, upstreamNode(one, values)]),
    ...SIDES.flatMap((side) => [SPACE, serverNode(side, values, site)]),
  ]
  const main = ['worker_processes auto', 'pid nginx.pid', `error_log error.log ${values.logLevel}`]
  return print([
    ...aboutNodes(values.transparent, notEnforcedWhole(config, names)),
    ...main.map(directive),
    SPACE,
    block('events', [directive('worker_connections 1024')]),
    SPACE,
    block('http', http),
  ])
}

const map = (source: string, variable: string, rows: readonly string[]): Node =>
  block(`map ${source} ${variable}`, rows.map(directive))

const [INCOMING, OUTGOING] = ['$incoming_to', '$outgoing_to']

/** The ports at which the sidecar gets the traffic of its Pod. */
const SIDES = [
  { port: 'incoming', to: INCOMING, isGrpc: false },
  { port: 'incomingGrpc', to: INCOMING, isGrpc: true },
  { port: 'outgoing', to: OUTGOING, isGrpc: false },
  { port: 'outgoingGrpc', to: OUTGOING, isGrpc: true },
] as const

const aboutNodes = (transparent: boolean, left: readonly NotEnforced[]): readonly Node[] => [
  comment(
    transparent
      ? 'A transparent sidecar: every request and response passes as it is.'
      : 'A plain sidecar, from the configuration of the mesh.',
  ),
  ...left.map((one) => comment(`Not done: ${describeNotEnforced(one)}.`)),
  comment('Not rendered: TCP and UDP, whose first destination the open source nginx is not told; metrics; probes.'),
  SPACE,
]

const HTTP: readonly string[] = [
  ...['client_body_temp_path client_body_temp', 'proxy_temp_path proxy_temp'],
  'server_tokens off',
  'map_hash_bucket_size 512',
  // Names of headers and hosts are for the application to judge.
  ...['underscores_in_headers on', 'proxy_http_version 1.1', 'proxy_set_header Host $http_host'],
  ...['proxy_set_header Upgrade $http_upgrade', 'proxy_set_header Connection $upgraded_connection'],
  // nginx would write these headers anew, and obey those that begin with X-Accel.
  ...['Date', 'Server', 'X-Pad'].map((header) => `proxy_pass_header ${header}`),
  ...['X-Accel-Expires', 'X-Accel-Redirect', 'X-Accel-Limit-Rate', 'X-Accel-Buffering', 'X-Accel-Charset'].map(
    (header) => `proxy_pass_header ${header}`,
  ),
  'proxy_redirect off',
  'proxy_ignore_headers X-Accel-Expires X-Accel-Redirect X-Accel-Limit-Rate X-Accel-Buffering X-Accel-Charset',
]

/** No limits, no waiting for whole bodies, no second attempts. A day without a byte is what ends a connection. */
const UNTOUCHED: readonly string[] = [
  'client_max_body_size 0',
  'ignore_invalid_headers off',
  'large_client_header_buffers 8 64k',
  ...['proxy_request_buffering off', 'proxy_buffering off', 'proxy_next_upstream off'],
  ...['proxy_buffer_size 64k', 'proxy_buffers 8 64k', 'proxy_busy_buffers_size 128k', 'grpc_buffer_size 64k'],
  'grpc_next_upstream off',
  ...['client_header_timeout', 'client_body_timeout', 'send_timeout'].map((name) => `${name} 1d`),
  ...['proxy_read_timeout', 'proxy_send_timeout', 'grpc_read_timeout', 'grpc_send_timeout'].map((name) => `${name} 1d`),
]

const LOG_FORMATS: Readonly<Record<string, string>> = {
  default: `'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_host" "$upstream_addr" $request_time'`,
  json: `escape=json '{"address":"$remote_addr","user":"$remote_user","time":"$time_iso8601","request":"$request","status":"$status","bytes":"$body_bytes_sent","referer":"$http_referer","userAgent":"$http_user_agent","host":"$http_host","upstream":"$upstream_addr","seconds":"$request_time"}'`,
}

const logNodes = ({ logFormat }: SidecarValues): readonly Node[] =>
  [`log_format sidecar ${LOG_FORMATS[logFormat]}`, 'access_log access.log sidecar'].map(directive)

const upstreamName = ({ namespace = '', name, port }: Destination): string =>
  ['to', namespace, name, port ?? 'any'].join('_').replaceAll('.', '_')

/** The names under which a Pod calls a Service. HTTP leaves the port out where it is 80. */
function hostPattern({ namespace, name, port }: Destination): string {
  const own = escapePattern(name)
  const full =
    namespace === undefined ? own : `${own}\\.${escapePattern(namespace)}(?:\\.svc(?:\\.cluster\\.local\\.?)?)?`
  return full + (port === undefined ? '(?::\\d+)?' : port === 80 ? '(?::80)?' : `:${port}`)
}

function upstreamNode(destination: Destination, { loadBalancing, transparent }: SidecarValues): Node {
  const { directive: method } = balancingOf(loadBalancing)
  return block(`upstream ${upstreamName(destination)}`, [
    ...(method === undefined || transparent ? [] : [directive(method)]),
    ...destination.addresses.map((address) => directive(`server ${quoted(address)}`)),
  ])
}

function serverNode(
  { port, to, isGrpc }: (typeof SIDES)[number],
  { ports }: SidecarValues,
  { address, nginxVersion, resolver }: SidecarSite,
): Node {
  const isParameter = isGrpc && http2Of(nginxVersion) === 'listen'
  const listen = `listen ${address === '' ? '' : `${address}:`}${ports[port]} default_server${isParameter ? ' http2' : ''}`
  const isUnknown = to === OUTGOING && resolver === undefined
  const pass = isGrpc ? ['grpc_set_header Host $http_host', `grpc_pass grpc://${to}`] : [`proxy_pass http://${to}`]
  return block('server', [
    directive(listen),
    ...(isGrpc && !isParameter ? [directive('http2 on')] : []),
    block('location /', [
      ...(isUnknown ? [block(`if (${to} = "")`, [directive('return 502')])] : []),
      ...pass.map(directive),
    ]),
  ])
}
