/**
 * The hop: an inner server behind a local socket, so that a route's limits have a location of their own behind that
 * of the Gateway's. Source: nginx, limit_req (one dry run, level and status a location), realip.
 */
import { codeEffect } from '../../nginx/codes.ts'
import type { PlacedLimit } from '../effective/level.ts'
import { fingerprint } from './fingerprint.ts'
import { block, comment, directive, type Node, quoted } from './nodes.ts'

/** The header by which the outer server tells the inner one whose request it is. */
const ADDRESS_HEADER = 'X-Sluice-Client-Address'

/** The location to which a lost answer of an inner server leads where that is to close the connection. */
export const CLOSING_LOCATION: Node = block('location @sluice_closed', [
  comment('The inner server closed the connection: so does this one.'),
  directive('return 444'),
])

/** True where rejecting with a code means closing the connection. */
export const closes = (code: number, nginxVersion: string): boolean =>
  codeEffect(code, nginxVersion)?.kind === 'closes-connection'

/** Characters of the longest path of a socket on Linux. */
export const LONGEST_SOCKET = 107

/** The socket of a hop: the same for the same hop, whatever else changes around it. */
export const socketOf = (folder: string, identity: string): string =>
  `${folder.replace(/\/+$/, '')}/sluice-${fingerprint(identity)}.sock`

/** No limit may be met because the outer server loses patience while the inner one lets a request wait. */
const PATIENCE = '1d'

/** What the outer location does: the Gateway's limits, then the hop. */
export function hopNodes(socket: string, protocol: 'http' | 'grpc', isClosing: boolean): readonly Node[] {
  const closing = isClosing ? [directive('error_page 502 = @sluice_closed')] : []
  if (protocol === 'grpc')
    return [
      directive(`grpc_pass ${quoted(`grpc://unix:${socket}`)}`),
      directive('grpc_set_header Host $gw_api_compliant_host'),
      directive(`grpc_set_header ${ADDRESS_HEADER} $remote_addr`),
      directive(`grpc_read_timeout ${PATIENCE}`),
      directive(`grpc_send_timeout ${PATIENCE}`),
      ...closing,
    ]
  return [
    directive(`proxy_pass ${quoted(`http://unix:${socket}`)}`),
    ...PROXY_HEADERS.map(directive),
    directive(`proxy_set_header ${ADDRESS_HEADER} $remote_addr`),
    directive('proxy_buffering off'),
    directive('proxy_request_buffering off'),
    directive(`proxy_read_timeout ${PATIENCE}`),
    directive(`proxy_send_timeout ${PATIENCE}`),
    ...closing,
  ]
}

/** Headers of proxied requests that are not passed on by themselves. */
export const PROXY_HEADERS: readonly string[] = [
  'proxy_set_header Host $gw_api_compliant_host',
  'proxy_set_header Upgrade $http_upgrade',
  'proxy_set_header Connection $connection_upgrade',
]

/** The same for gRPC. */
export const GRPC_HEADERS: readonly string[] = ['grpc_set_header Host $gw_api_compliant_host']

/** What a reader should know of an inner server. */
export const innerServerComments = (title: string): readonly Node[] =>
  [
    `The inner server of ${title}. What it refuses has counted for the limits of the Gateway before.`,
    'Whoever may connect to its socket passes by the limits of the Gateway and can name any address as its own: the folder of the socket is for nginx alone.',
  ].map(comment)

/** What the inner server has around its location: where it listens, under which names (quoted where needed), and whose request it is. */
export function innerServerNodes(
  socket: string,
  serverNames: string,
  http2: 'listen' | 'directive' | undefined,
): readonly Node[] {
  return [
    directive(`listen ${quoted(`unix:${socket}`)}${http2 === 'listen' ? ' http2' : ''}`),
    ...(http2 === 'directive' ? [directive('http2 on')] : []),
    directive(`server_name ${serverNames}`),
    directive('set_real_ip_from unix:'),
    directive(`real_ip_header ${ADDRESS_HEADER}`),
  ]
}

/** What the inner location hands to the backend: the headers as they came, without that of the hop. */
export const handOnNodes = (protocol: 'http' | 'grpc'): readonly Node[] =>
  protocol === 'grpc'
    ? [...GRPC_HEADERS, `grpc_set_header ${ADDRESS_HEADER} ""`].map(directive)
    : [...PROXY_HEADERS, `proxy_set_header ${ADDRESS_HEADER} ""`].map(directive)

/** Variables with another value behind the hop: of the connection, of the request line, of what stays between two programs. */
const CHANGES =
  /^(?:scheme|https|ssl_\w+|server_(?:addr|port|protocol)|remote_port|realip_\w+|proxy_protocol_\w+|connection\w*|tcpinfo_\w+|request|request_(?:id|length|time|completion)|http2|http3|quic|http_(?:connection|te|trailer|transfer_encoding|keep_alive|expect|x_sluice_client_address))$/

/** The variables in the keys of some limits that are not the client's behind the hop, with `$`, each once. */
export function changedVariables(limits: readonly Pick<PlacedLimit, 'limit'>[]): readonly string[] {
  const parts = limits.flatMap(({ limit }) => limit.key.value?.parts ?? [])
  const names = parts.flatMap((part) => {
    if (part.type === 'capture') return [`$${part.index}`]
    return part.type === 'variable' && CHANGES.test(part.name) ? [`$${part.written}`] : []
  })
  return [...new Set(names)]
}
