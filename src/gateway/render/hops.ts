/**
 * The hop: an inner server behind a local socket, so that the limits of a route have a location of their own behind that
 * of the Gateway. Source: nginx, limit_req (one dry run, log level and status for each location), realip.
 */

import { block, comment, directive, type Node, quoted } from '../../nginx/nodes.ts'
import { codeEffect } from '../../nginx/responses.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { withoutEnd } from '../../text/trim.ts'
import type { PlacedLimit } from '../objects/policy.ts'

/** The header that carries the address of the client from the outer to the inner server. */
const ADDRESS_HEADER = 'X-Sluice-Client-Address'

/** The location for a missing response of an inner server that closes connections: the outer server closes them too. */
export const CLOSING_LOCATION: Node = block('location @sluice_closed', [
  comment('The inner server closed the connection, so this one closes it too.'),
  directive('return 444'),
])

/** True where rejecting with a code means closing the connection. */
export const closes = (code: number, nginxVersion: string): boolean =>
  codeEffect(code, nginxVersion)?.kind === 'closes-connection'

/** Bytes of the longest path of a socket on Linux. */
export const LONGEST_SOCKET = 107

/** The socket of a hop: its name depends on nothing but the hop, so it stays the same when other things change. */
export const socketOf = (folder: string, identity: string): string =>
  `${withoutEnd(folder, '/')}/sluice-${fingerprint(identity)}.sock`

/** The inner server may delay a request for long: the outer one must not time out meanwhile. */
const TIMEOUT = '1d'

/** The directives that pass a request of the outer location to the inner server. */
export function hopNodes(socket: string, protocol: 'http' | 'grpc', isClosing: boolean): readonly Node[] {
  const closing = isClosing ? [directive('error_page 502 = @sluice_closed')] : []
  if (protocol === 'grpc')
    return [
      directive(`grpc_pass ${quoted(`grpc://unix:${socket}`)}`),
      directive('grpc_set_header Host $gw_api_compliant_host'),
      directive(`grpc_set_header ${ADDRESS_HEADER} $remote_addr`),
      directive(`grpc_read_timeout ${TIMEOUT}`),
      directive(`grpc_send_timeout ${TIMEOUT}`),
      ...closing,
    ]
  return [
    directive(`proxy_pass ${quoted(`http://unix:${socket}`)}`),
    ...PROXY_HEADERS.map(directive),
    directive(`proxy_set_header ${ADDRESS_HEADER} $remote_addr`),
    directive('proxy_buffering off'),
    directive('proxy_request_buffering off'),
    directive(`proxy_read_timeout ${TIMEOUT}`),
    directive(`proxy_send_timeout ${TIMEOUT}`),
    ...closing,
  ]
}

/** Headers of proxied requests that nginx does not pass unchanged by default. */
export const PROXY_HEADERS: readonly string[] = [
  'proxy_set_header Host $gw_api_compliant_host',
  'proxy_set_header Upgrade $http_upgrade',
  'proxy_set_header Connection $connection_upgrade',
]

/** {@link PROXY_HEADERS} for gRPC. */
export const GRPC_HEADERS: readonly string[] = ['grpc_set_header Host $gw_api_compliant_host']

/** What the reader should know about an inner server. */
export const innerServerComments = (title: string): readonly Node[] =>
  [
    `The inner server of ${title}. Requests that it rejects have already counted for the limits of the Gateway.`,
    'A process that can connect to its socket evades the limits of the Gateway and can claim any client address: only nginx may have access to the folder of the socket.',
  ].map(comment)

/** The directives of an inner server before its location: where it listens, its names (quoted where needed), and the address of the client. */
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

/** The headers that the inner location passes to the backend: those of the request, without that of the hop. */
export const handOnNodes = (protocol: 'http' | 'grpc'): readonly Node[] =>
  protocol === 'grpc'
    ? [...GRPC_HEADERS, `grpc_set_header ${ADDRESS_HEADER} ""`].map(directive)
    : [...PROXY_HEADERS, `proxy_set_header ${ADDRESS_HEADER} ""`].map(directive)

/** Variables with another value behind the hop: those of the connection, of the request line, and of headers that end at a proxy. */
const CHANGES =
  /^(?:scheme|https|ssl_\w+|server_(?:addr|port|protocol)|remote_port|realip_\w+|proxy_protocol_\w+|connection\w*|tcpinfo_\w+|request|request_(?:id|length|time|completion)|http2|http3|quic|http_(?:connection|te|trailer|transfer_encoding|keep_alive|expect|x_sluice_client_address))$/

/** The variables in the keys of some limits that have another value behind the hop, with `$`, each once. */
export function changedVariables(limits: readonly Pick<PlacedLimit, 'limit'>[]): readonly string[] {
  const parts = limits.flatMap(({ limit }) => limit.key.value?.parts ?? [])
  const names = parts.flatMap((part) => {
    if (part.type === 'capture') return [`$${part.index}`]
    return part.type === 'variable' && CHANGES.test(part.name) ? [`$${part.written}`] : []
  })
  return [...new Set(names)]
}
