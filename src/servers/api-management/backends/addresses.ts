/**
 * Which kind of host an address is, in every spelling that a program on the way reads as an address: nginx itself takes four
 * decimal numbers, and the resolver also numbers in octal and hexadecimal, and fewer of them. Source: RFC 6890; inet_aton(3).
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { FORMS } from '../../../api-management/render/forms.ts'

/** Hosts that are not a backend like any other. */
export type HostKind = 'loopback' | 'link-local' | 'metadata'

const KINDS: readonly (readonly [HostKind, readonly string[]])[] = [
  // The unspecified address leads to this machine, too.
  ['loopback', ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']],
  // The services that tell a machine of a cloud its credentials: AWS, Google, Azure, Alibaba, Oracle.
  [
    'metadata',
    ['169.254.169.254/32', '169.254.170.2/32', 'fd00:ec2::254/128', 'fd20:ce::254/128', '168.63.129.16/32'].concat([
      '100.100.100.200/32',
      '192.0.0.192/32',
    ]),
  ],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
]

/** The kind of an address; undefined for any other host. */
export function kindOf(address: string): HostKind | undefined {
  if (KNOWN.has(address)) return KNOWN.get(address)
  const kind = LISTS.find(([, list]) => holds(list, address))?.[0]
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear()
  KNOWN.set(address, kind)
  return kind
}

/** Addresses whose kind was found out: those of backends are the same again and again. */
const KNOWN = new Map<string, HostKind | undefined>()
const MOST_KNOWN = 1_000

/** A range of addresses, such as `10.0.0.0/8` or a single one; undefined for another text. */
export function readRange(text: string): BlockList | undefined {
  const [, address = '', size] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
  const bits = family === 'ipv4' ? 32 : 128
  if (family === undefined || Number(size ?? bits) > bits || address.includes('%')) return undefined
  const list = new BlockList()
  list.addSubnet(address, Number(size ?? bits), family)
  return list
}

/** True where an address is in a range, also where it is an IPv4 address within one of IPv6. */
export const holds = (range: BlockList, address: string): boolean =>
  [address, ...embedded(address)].some((one) => range.check(one, isIPv6(one) ? 'ipv6' : 'ipv4'))

const LISTS = KINDS.map(([kind, ranges]) => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', size] = range.split('/')
    list.addSubnet(address, Number(size), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return [kind, list] as const
})

/** Every address that a host is written as; empty for a name. */
export function addressesIn(host: string): readonly string[] {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (isIPv6(bare)) return [bare]
  const parts = bare.split('.')
  if (parts.length > 4 || !parts.every((part) => /^(?:0x[0-9a-f]*|\d+)$/i.test(part))) return []
  const decimal = parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) < 256)
  const readings = [decimal ? parts.map(Number).join('.') : undefined, resolverReading(parts)]
  return [...new Set(readings.filter((address) => address !== undefined))]
}

/** As `inet_aton` reads it: the last number has all bytes that are left. */
function resolverReading(parts: readonly string[]): string | undefined {
  const numbers = parts.map(readNumber)
  const last = numbers.at(-1) ?? Number.NaN
  const heads = numbers.slice(0, -1)
  const room = 256 ** (4 - heads.length)
  if (!(last < room) || !heads.every((head) => head < 256)) return undefined
  const value = heads.reduce((sum, head, index) => sum + head * 256 ** (3 - index), last)
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

function readNumber(part: string): number {
  if (/^0x/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part, 16)
  if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8)
  return /^(?:0|[1-9]\d*)$/.test(part) ? Number(part) : Number.NaN
}

/** The IPv4 address that one of IPv6 stands for: mapped, compatible, translated by NAT64 or 6to4. */
function embedded(address: string): readonly string[] {
  if (!isIPv6(address)) return []
  const groups = groupsOf(address)
  const [first = 0, second = 0, third = 0] = groups
  const asIpv4 = (high = 0, low = 0) => [high >> 8, high & 255, low >> 8, low & 255].join('.')
  const isZero = groups.slice(0, 5).every((group) => group === 0)
  const isMapped = isZero && (groups[5] === 0 || groups[5] === 0xffff)
  const isTranslated = first === 0x64 && second === 0xff9b
  if (isMapped || isTranslated) return [asIpv4(groups[6], groups[7])]
  return first === 0x2002 ? [asIpv4(second, third)] : []
}

/** The eight numbers of an address of IPv6. */
function groupsOf(address: string): readonly number[] {
  const bare = address.split('%')[0] ?? ''
  const end = bare.slice(bare.lastIndexOf(':') + 1)
  const [a = 0, b = 0, c = 0, d = 0] = isIPv4(end) ? end.split('.').map(Number) : []
  const words = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  const plain = isIPv4(end) ? bare.slice(0, -end.length) + words : bare
  const [head = '', tail] = plain.split('::')
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [read(head), read(tail ?? '')]
  return tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}

/** One entry of the list. */
export type Entry = {
  /** In lower case, `*.shop.example` for all names below, or `*` for every host. */
  readonly name?: string
  readonly range?: BlockList
  /** Undefined for every port. */
  readonly port: number | undefined
}

/** With a port, an address of IPv6 is in brackets. */
const ENTRY = /^(?:\[(?<inBrackets>[^\]]+)\]|(?<plain>[^:]+))(?::(?<digits>\d{1,5}))?$/

/** Reads an entry: a name, an address or a range, with a port or without one; undefined for another text. */
export function readEntry(text: string): Entry | undefined {
  const { inBrackets, plain, digits } = ENTRY.exec(text)?.groups ?? {}
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  const host = inBrackets ?? plain ?? text
  const range = readRange(host)
  if (range) return { range, port }
  const name = host.toLowerCase()
  return inBrackets === undefined && (name === '*' || FORMS.hostname.test(name)) ? { name, port } : undefined
}
