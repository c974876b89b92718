/**
 * The variables that proxies use: who the consumer is, and the correlation id. `limit_req` runs before nginx checks access,
 * so that only values count that are proved by then: a secret key that a map knows, a client certificate that the TLS
 * handshake has verified, and what a program says that alone can connect to a socket. Source: nginx, map, limit_req, ssl, realip.
 */
import { block, directive, escapePattern, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { groupBy } from '../../text/group.ts'
import { CONSUMER } from '../mapping.ts'
import { encoded } from './names.ts'
import type { KeySource } from './plan.ts'
import type { Site } from './published.ts'

/** The consumer that the hop names; empty for every other request, whatever its headers are. */
export const HOP_CONSUMER = '$sluice_hop_consumer'

const map = (source: string, variable: string, rows: readonly string[]): Node =>
  block(`map ${source} ${variable}`, rows.map(directive))

const ofHeader = (name: string): string => name.toLowerCase().replaceAll('-', '_')

/** The variable with the correlation id of a request, by the name of its header. */
export const correlationVariable = (header: string): string => `$sluice_id_${ofHeader(header)}`

/** The format of the access log with the correlation id of a header. */
export const logFormat = (header: string): string => `sluice_${ofHeader(header)}`

/** The correlation id that came with a request, or else one of its own. */
export const correlationNode = (header: string): Node =>
  map(`$http_${ofHeader(header)}`, correlationVariable(header), ['"" $request_id', `default $http_${ofHeader(header)}`])

/**
 * The maps that all proxies share. Each kind of consumer has a prefix, so that none can have the name of another one. Where
 * nothing is proved, the address of the client counts.
 */
export function sharedNodes({ tls, hop }: Site): readonly Node[] {
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
    map('$remote_addr', CONSUMER, [`default ${hop ? named : (ofCertificate ?? address)}`]),
  ]
  return nodes.flatMap((node) => [SPACE, node])
}

/** The variable with the client whose key a request has; empty where it has none. */
export const clientVariable = (name: string): string => `$sluice_${name}_client`

/**
 * The maps from keys to clients. nginx looks texts up without regard to case, so that a second map compares the key that was
 * found with the one that was sent. Keys that differ only in case, or that contain `$`, are compared as patterns instead.
 */
export function keyNodes(sources: readonly KeySource[] | undefined, name: string): readonly Node[] {
  if (!sources) return []
  const nodes = sources.flatMap((source, index): readonly Node[] => {
    const own = `sluice_${name}_key${index}`
    const isHeader = source.suppliedIn === 'HEADER'
    const sent = isHeader ? `$http_${ofHeader(source.name)}` : `$${own}_sent`
    const pattern = `~(?:^|&)${escapePattern(source.name)}=([^&]*)`
    const next = index + 1 < sources.length ? `$sluice_${name}_key${index + 1}` : '""'
    return [
      ...(isHeader ? [] : [map('$args', sent, ['default ""', `${quoted(pattern)} $1`])]),
      map(quoted(`=${sent}`), `$${own}_found`, ['default ""', ...keyRows(source)]),
      map(quoted(`$${own}_found ${sent}`), `$${own}`, [
        `default ${next}`,
        `${quoted('~^(\\S+) (?:! .*|(\\S+) \\2)$')} ${quoted('client:$1')}`,
      ]),
    ]
  })
  const first = sources.length === 0 ? '""' : `$sluice_${name}_key0`
  return [...nodes, map('$remote_addr', clientVariable(name), [`default ${first}`])]
}

/** The row of a key: the client, and the key itself, or `!` where the row compares exactly. */
function keyRows({ clients }: KeySource): readonly string[] {
  const rows: string[] = []
  for (const [, alike] of groupBy(clients, ({ key }) => key.toLowerCase())) {
    const unique = new Map(alike.map(({ key, client }) => [key, client]))
    for (const [key, client] of unique)
      rows.push(
        unique.size === 1 && !key.includes('$')
          ? `${quoted(`=${key}`)} ${quoted(`${encoded(client)} ${key}`)}`
          : `${quoted(`~^=${escapePattern(key)}$`)} ${quoted(`${encoded(client)} !`)}`,
      )
  }
  return rows
}
