/** The value of a limit's key for a request. Source: nginx, limit_req_zone (complex values). */
import type { KeyPart } from '../../limits/key.ts'
import { lookUpVariable, type VariablePlatform } from '../../nginx/variables.ts'
import { toBytes } from '../../traffic/escaping.ts'
import type { Row } from '../../traffic/line-reader.ts'
import type { Getter, Variables } from '../../traffic/variables.ts'

/** Reads the key of a request: one character a byte, but see {@link keyLength} for addresses. */
export type KeyReader = (row: Row) => string

/** A key's reader, or the variables (without `$`) that the traffic does not tell. */
export type CompiledKey =
  | { readonly ok: true; readonly read: KeyReader }
  | { readonly ok: false; readonly unknown: readonly string[] }

const BINARY_ADDRESS = 'binary_remote_addr'
/** Stands around an address that nginx keeps in binary, where other parts stand beside it. */
const MARK = '\0'

/** Compiles a key; `platform` knows what nginx's own variables are when limits are checked. */
export function compileKey(parts: readonly KeyPart[], variables: Variables, platform: VariablePlatform): CompiledKey {
  const unknown: string[] = []
  const getters = parts.map((part): Getter => {
    const getter = partGetter(part, variables, platform)
    if (!getter) unknown.push(part.type === 'variable' ? part.name : part.type === 'capture' ? String(part.index) : '')
    return getter ?? (() => '')
  })
  if (unknown.length > 0) return { ok: false, unknown: [...new Set(unknown)] }
  const [first, second] = getters
  if (!first) return { ok: true, read: () => '' }
  if (!second) return { ok: true, read: first }
  const marked = getters.map((getter, index) =>
    isBinary(parts[index]) ? (row: Row) => `${MARK}${getter(row)}${MARK}` : getter,
  )
  return { ok: true, read: (row) => marked.reduce((key, getter) => key + getter(row), '') }
}

const isBinary = (part: KeyPart | undefined): boolean => part?.type === 'variable' && part.name === BINARY_ADDRESS

function partGetter(part: KeyPart, variables: Variables, platform: VariablePlatform): Getter | undefined {
  if (part.type === 'text') {
    const bytes = toBytes(part.text)
    return () => bytes
  }
  if (part.type === 'capture') return undefined
  return settledGetter(part.name, platform) ?? variables(part.name)
}

/**
 * Variables that are the same for all requests when limits are checked, or have no value yet: logs tell what they
 * became in the end.
 */
function settledGetter(name: string, platform: VariablePlatform): Getter | undefined {
  const found = lookUpVariable(name, platform)
  const facts = found.known ? found.facts : undefined
  if (facts?.empty === 'always') return () => ''
  return facts?.constant ? () => `$${name}` : undefined
}

/** Bytes of a key in nginx: an address in binary takes 4 or 16. */
export function keyLength(key: string, parts: readonly KeyPart[]): number {
  if (!parts.some(isBinary)) return key.length
  if (parts.length === 1) return addressLength(key)
  return key
    .split(MARK)
    .reduce((bytes, piece, index) => bytes + (index % 2 === 1 ? addressLength(piece) : piece.length), 0)
}

/** True for a key that is a client's address and nothing else. */
export function isAddressKey(parts: readonly KeyPart[]): boolean {
  const [first, second] = parts
  return second === undefined && first?.type === 'variable' && /^(?:binary_)?remote_addr$/.test(first.name)
}

/** IPv6, IPv4, or the text that stands for a Unix socket. */
function addressLength(address: string): number {
  if (address.includes(':')) return address.startsWith('unix:') ? address.length : 16
  return /^[\d.]+$/.test(address) ? 4 : address.length
}

/** A key for people. */
export const keyLabel = (key: string): string => key.replaceAll(MARK, '')
