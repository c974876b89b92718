/**
 * The variables that proxies use: who the consumer is, and the correlation id. `limit_req` runs before nginx checks access,
 * so that only values count that are proved by then: a secret key that a map knows, a client certificate that the TLS
 * handshake has verified, and what a program says that alone can connect to a socket. Source: nginx, map, limit_req, ssl, realip.
 */
import { block, directive, escapePattern, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { bucketLines } from '../../nginx/split-clients.ts'
import { bucketTexts, hashedText, hashOf, pairsOf } from '../keys.ts'
import { CONSUMER } from '../mapping.ts'
import { encoded } from './names.ts'
import type { KeySource } from './plan.ts'
import type { Site } from './published.ts'

/** The consumer that the hop names; empty for every other request, whatever its headers are. */
export const HOP_CONSUMER = '$sluice_hop_consumer'

/** A `map` with its rows. */
export const map = (source: string, variable: string, rows: readonly string[]): Node =>
  block(`map ${source} ${variable}`, rows.map(directive))

const ofHeader = (name: string): string => name.toLowerCase().replaceAll('-', '_')

/** The variable with the correlation id of a request, by the name of its header. */
export const correlationVariable = (header: string): string => `$sluice_id_${ofHeader(header)}`

/** The format of the access log with the correlation id of a header. */
export const logFormat = (header: string): string => `sluice_${ofHeader(header)}`

/** The format of the log with a line for each request of a proxy. */
export const countedFormat = (name: string): string => `sluice_counted_${name}`

/** Empty for requests that the limits of their proxy have not judged. */
export const COUNTED = '$sluice_counted'

export const countedNodes = (name: string, id: string, { requestsLog }: Site): readonly Node[] =>
  requestsLog === undefined
    ? []
    : [directive(`log_format ${countedFormat(name)} ${quoted(`${encoded(id)} $limit_req_status`)}`)]

/** A line of the access log. */
export const logLine = (header: string, request = '$request'): string =>
  `'$remote_addr - $remote_user [$time_local] "${request}" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$host" $scheme $server_port $msec $request_time $limit_req_status "${correlationVariable(header)}"'`

/** True where clients may send a key in the query, which the access log would have. */
export const hasKeyInQuery = (sources: readonly KeySource[] = []): boolean =>
  sources.some(({ suppliedIn }) => suppliedIn === 'QUERY')

/** The format of the access log without the keys of a proxy. */
export const maskedFormat = (name: string): string => `sluice_masked_${name}`

/** The format, with a query that ends where a key begins. */
export function maskNodes(
  sources: readonly KeySource[] | undefined,
  { name, header }: { readonly name: string; readonly header: string },
): readonly Node[] {
  if (!sources || !hasKeyInQuery(sources)) return []
  const names = sources.flatMap((source) => (source.suppliedIn === 'QUERY' ? [escapePattern(source.name)] : []))
  const request = `$sluice_${name}_request`
  const pattern = `~^([^?]*[?](?:.*?&)?(?:${names.join('|')})=)[^ ]*(.*)$`
  return [
    map('$request', request, ['default $request', `${quoted(pattern)} $1***$2`]),
    directive(`log_format ${maskedFormat(name)} ${logLine(header, request)}`),
  ]
}

/** The correlation id that came with a request, or else one of its own. */
export const correlationNode = (header: string): Node =>
  map(`$http_${ofHeader(header)}`, correlationVariable(header), ['"" $request_id', `default $http_${ofHeader(header)}`])

/**
 * The maps that all proxies share. Each kind of consumer has a prefix, so that none can have the name of another one. Where
 * nothing is proved, the address of the client counts.
 */
export function sharedNodes({ tls, hop, requestsLog }: Site): readonly Node[] {
  const address = quoted('address:$remote_addr')
  const [certified, named] = ['$sluice_certified', '$sluice_named_by_hop']
  const ofCertificate = tls?.clientCa === undefined ? undefined : certified
  const nodes = [
    map('$http_upgrade', '$connection_upgrade', ['"" close', 'default upgrade']),
    ...(ofCertificate === undefined
      ? []
      : [
          map('$ssl_client_verify', certified, [
            `default ${address}`,
            `SUCCESS ${quoted('certificate:$ssl_client_s_dn')}`,
          ]),
        ]),
    ...(hop
      ? [
          map(quoted(`$realip_remote_addr $http_${ofHeader(hop.consumerHeader)}`), HOP_CONSUMER, [
            'default ""',
            `${quoted('~^unix: (.+)$')} $1`,
          ]),
          map(HOP_CONSUMER, named, [`"" ${ofCertificate ?? address}`, `default ${quoted(`hop:${HOP_CONSUMER}`)}`]),
        ]
      : []),
    ...(requestsLog === undefined ? [] : [map('$remote_addr', COUNTED, ['default 1'])]),
    map('$remote_addr', CONSUMER, [`default ${hop ? named : (ofCertificate ?? address)}`]),
  ]
  return nodes.flatMap((node) => [SPACE, node])
}

/** The variable with the client whose key a request has; empty where it has none. */
export const clientVariable = (name: string): string => `$sluice_${name}_client`

/** What tells whose key a request has, at http and in each location. */
type KeyNodes = { readonly http: readonly Node[]; readonly location: readonly Node[] }

/**
 * The client whose key a request has. Two numbers of the key that was sent find the client, and the hash of it in each
 * location decides. Of several sources the first counts in which the numbers lead to a client.
 */
export function keyNodes(sources: readonly KeySource[] | undefined, { name, id }: Named): KeyNodes {
  if (!sources) return { http: [], location: [] }
  const client = clientVariable(name)
  if (sources.length === 0) return { http: [map('$remote_addr', client, ['default ""'])], location: [] }
  const own = (index: number) => `$sluice_${name}_key${index}`
  const picked = (what: string, index = 0) => `${own(index)}_picked_${what}`
  const pick = (what: string): readonly Node[] =>
    sources.map((_, index) =>
      map(`${own(index)}_hash`, picked(what, index), [
        `"" ${index + 1 < sources.length ? picked(what, index + 1) : '""'}`,
        `default ${own(index)}_${what}`,
      ]),
    )
  return {
    http: [
      ...sources.flatMap((source, index) => sourceNodes(source, own(index), id)),
      ...['hash', 'client', 'sent'].flatMap(pick),
      map(quoted(`$secure_link ${picked('client')}`), client, [
        'default ""',
        `${quoted('~^1 (.+)$')} ${quoted('client:$1')}`,
      ]),
    ],
    location: [
      directive(`secure_link ${picked('hash')}`),
      directive(`secure_link_md5 ${quoted(hashedText(id, picked('sent')))}`),
    ],
  }
}

type Named = { readonly name: string; readonly id: string }

/** What a source has of a request: the key that was sent, and the hash and the client that its numbers lead to. */
function sourceNodes(source: KeySource, own: string, id: string): readonly Node[] {
  const isHeader = source.suppliedIn === 'HEADER'
  const sent = `${own}_sent`
  const inQuery = `~(?:^|&)${escapePattern(source.name)}=([^&]*)`
  const clients = source.clients.map(({ client, key }) => ({
    client,
    hash: typeof key === 'string' ? hashOf(id, key) : key,
  }))
  const numbers = bucketTexts(id, sent).map((text, position) =>
    block(
      `split_clients ${quoted(text)} ${own}_number${position}`,
      bucketLines(clients.flatMap(({ hash }) => hash.buckets[position] ?? [])).map(directive),
    ),
  )
  const rows = (value: (one: (typeof clients)[number]) => string) => {
    const all = clients.flatMap((one) => pairsOf(one.hash).map((pair) => [pair, value(one)] as const))
    return ['default ""', ...[...new Map(all)].map(([pair, text]) => `${quoted(pair)} ${quoted(text)}`)]
  }
  const pair = quoted(`${own}_number0 ${own}_number1`)
  return [
    isHeader
      ? map(`$http_${ofHeader(source.name)}`, sent, [`default $http_${ofHeader(source.name)}`])
      : map('$args', sent, ['default ""', `${quoted(inQuery)} $1`]),
    ...numbers,
    map(
      pair,
      `${own}_hash`,
      rows(({ hash }) => hash.md5),
    ),
    map(
      pair,
      `${own}_client`,
      rows(({ client }) => encoded(client)),
    ),
  ]
}
