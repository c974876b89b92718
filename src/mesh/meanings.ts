/**
 * What the values of the mesh's configuration mean together, and to nginx: addresses, lifetimes, sizes, ports. A stored
 * configuration that is wrong here can still be read, as earlier releases have accepted it; a patch may not make one. Source:
 * nginx, `ngx_parse_offset`; SPIFFE, "SPIFFE-ID", Trust Domain.
 */
import type { Json } from '../json/member.ts'
import type { ConfigOperation, Contradiction } from './contradictions.ts'

const PORT = String.raw`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])`
const NAME = String.raw`(?=[^:]{1,253}(?::|$))[A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*\.?`
const IPV6 = String.raw`\[[0-9A-Fa-f:.]{2,45}\]`
const HOST_AND_PORT = new RegExp(`^(?:${NAME}|${IPV6}):${PORT}$`)
const HOST = new RegExp(`^(?:${NAME}|${IPV6})$`)

/** True for `HOST:PORT`, with a name, an IPv4 address, or an IPv6 address in brackets. */
const isAddress = (value: string): boolean => HOST_AND_PORT.test(value) && isPossible(value.replace(/:\d+$/, ''))
const isHost = (value: string): boolean => HOST.test(value) && isPossible(value)

/** What looks like an IP address is one. */
function isPossible(host: string): boolean {
  if (host.startsWith('[')) return URL.canParse(`http://${host}/`)
  const isNumeric = /^[\d.]+$/.test(host)
  return (
    !isNumeric ||
    (host.split('.').length === 4 &&
      host.split('.').every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
  )
}

const UNITS: Readonly<Record<string, bigint>> = { k: 1n << 10n, m: 1n << 20n, g: 1n << 30n }
const LARGEST = 2n ** 63n - 1n

/** True for a size that nginx can count: less than 2^63 bytes. The text is one that `clientMaxBodySize` may have. */
export function isCountable(size: string): boolean {
  const digits = /^0*(\d*)/.exec(size)?.[1] ?? ''
  // A longer number is too large, and slow to read.
  return (
    digits.length <= 19 && BigInt(digits === '' ? 0 : digits) * (UNITS[size.slice(-1).toLowerCase()] ?? 1n) <= LARGEST
  )
}

type Check = readonly [pointer: string, reason: string, isRight: (value: string) => boolean]

const optional =
  (isRight: (value: string) => boolean) =>
  (value: string): boolean =>
    value === '' || isRight(value)

/** Fields that say one thing each. */
const CHECKS: readonly Check[] = [
  ['/clientMaxBodySize', 'nginx counts no more than 8589934591g; write 0 for no limit', isCountable],
  [
    '/prometheusAddress',
    'expected HOST:PORT such as prometheus.monitoring:9090, without a scheme and a path',
    optional(isAddress),
  ],
  [
    '/telemetry/exporters/otlp/host',
    'expected a name or an address such as otel.monitoring, without a scheme and a port',
    isHost,
  ],
  ['/tracing/backendAddress', 'expected HOST:PORT such as zipkin.tracing:9411, without a scheme and a path', isAddress],
  ['/api/address', 'expected a name or an address, without a scheme and a port', optional(isHost)],
  [
    '/trustDomain',
    'a trust domain has at most 255 lower-case letters, digits, dots, hyphens and underscores',
    (value) => /^[a-z0-9._-]{1,255}$/.test(value),
  ],
  [
    '/namespace',
    'expected the name of a namespace: at most 63 lower-case letters, digits and hyphens',
    (value) => /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(value),
  ],
  ['/sidecarImage/image', 'a reference of an image has no spaces', (value) => !/\s/.test(value)],
  ['/sidecarInitImage/image', 'a reference of an image has no spaces', (value) => !/\s/.test(value)],
]

const [LEAF, AUTHORITY] = ['/mtls/svidTTL', '/mtls/caTTL']

/** The minutes of `30m` or `12h`; undefined for anything else. */
function minutesOf(value: Json | undefined): number | undefined {
  const [, count, unit] = typeof value === 'string' ? (/^(\d{1,6})([hm])$/.exec(value) ?? []) : []
  return count === undefined ? undefined : Number(count) * (unit === 'h' ? 60 : 1)
}

const setMtls = (mtls: { readonly [name: string]: Json }): ConfigOperation => ({ op: 'replace', field: { mtls } })

/** A certificate that outlives the one that vouches for it is refused before it ends. */
const LIFETIMES: Contradiction = {
  pointer: LEAF,
  dependsOn: [LEAF, AUTHORITY],
  reason: 'the certificate of a workload cannot be valid for longer than that of its authority, mtls.caTTL',
  remedies(read) {
    const [leaf = 0, authority = ''] = [minutesOf(read(LEAF)), read(AUTHORITY)]
    return [[setMtls({ caTTL: `${Math.max(24, Math.ceil(leaf / 60))}h` })], [setMtls({ svidTTL: authority })]]
  },
  holds(read) {
    const [leaf, authority] = [minutesOf(read(LEAF)), minutesOf(read(AUTHORITY))]
    return leaf !== undefined && authority !== undefined && leaf > authority
  },
}

const PORTS = [
  ...['incoming', 'outgoing', 'incomingPermissive', 'incomingGrpc', 'outgoingGrpc', 'incomingGrpcPermissive'],
  ...['outgoingDefaultEgress', 'redirectHealthPort', 'redirectHealthPortHTTPS', 'metrics', 'plusApi'],
  ...['outgoingRedirect', 'incomingRedirect', 'outgoingNotInKeyval', 'incomingNotInKeyval', 'incomingTcp'],
  ...['incomingTcpDeny', 'outgoingTcp', 'incomingTcpPermissive', 'outgoingUdp', 'incomingUdp'],
].map((name) => `/proxy/ports/${name}`)

/** nginx does not listen twice at one port; UDP has ports of its own. */
const isUdp = (pointer: string): boolean => pointer.endsWith('Udp')

const portTwice = (pointer: string, index: number): Contradiction => ({
  pointer,
  dependsOn: [pointer],
  reason: 'another field of proxy.ports has this port already, and nginx does not listen there twice',
  remedies: [],
  holds: (read) =>
    PORTS.slice(0, index).some(
      (other) => isUdp(other) === isUdp(pointer) && read(other) !== undefined && read(other) === read(pointer),
    ),
})

/** All of them, in the order in which they are reported. */
export const MEANINGS: readonly Contradiction[] = [
  ...CHECKS.map(
    ([pointer, reason, isRight]): Contradiction => ({
      pointer,
      dependsOn: [pointer],
      reason,
      remedies: [],
      holds(read) {
        const value = read(pointer)
        return typeof value === 'string' && !isRight(value)
      },
    }),
  ),
  LIFETIMES,
  ...PORTS.map(portTwice),
]
