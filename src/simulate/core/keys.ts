/**
 * Keys of limits: their values for requests, and the numbers that stand for the values. A reader of traffic numbers the
 * keys that it meets by itself ({@link Dictionary}); the run that decides has one table for all readers
 * ({@link KeyTable}). Source: nginx, limit_req_zone (complex values).
 */
import type { KeyPart } from '../../limits/key.ts'
import { LONGEST_KEY_BYTES } from '../../nginx/memory.ts'
import { lookUpVariable, type VariablePlatform } from '../../nginx/variables.ts'
import { latin1Text, toBytes } from '../../traffic/escaping.ts'
import type { LogRow } from '../../traffic/line-reader.ts'
import type { Getter, VariableGetters } from '../../traffic/variables.ts'
import { createByteTable } from './byte-table.ts'
import { createTextPacker, type PackedTexts } from './packed-texts.ts'
import type { Plan } from './plan.ts'

/** Reads the key of a request: one character a byte; an address in binary is its text, see {@link keyLength}. */
export type KeyReader = (row: LogRow) => string

/** The reader of a key, or the variables (without `$`) that the traffic does not have. */
type CompiledKey =
  | { readonly ok: true; readonly read: KeyReader }
  | { readonly ok: false; readonly unknown: readonly string[] }

const BINARY_ADDRESS = 'binary_remote_addr'
/** Encloses an address that nginx keeps in binary, in a key with other parts. */
const MARK = '\0'

/** Compiles a key; `platform` says which values nginx's own variables have when limits are checked. */
export function compileKey(
  parts: readonly KeyPart[],
  variables: VariableGetters,
  platform: VariablePlatform,
): CompiledKey {
  const unknown: string[] = []
  const getters = parts.map((part): Getter => {
    const getter = partGetter(part, variables, platform)
    if (!getter) unknown.push(part.type === 'variable' ? part.name : part.type === 'capture' ? String(part.index) : '')
    return getter ?? (() => '')
  })
  if (unknown.length > 0) return { ok: false, unknown: [...new Set(unknown)] }
  const [first, second] = getters
  if (first && !second) return { ok: true, read: first }
  const marked = getters.map((getter, index) =>
    isBinary(parts[index]) ? (row: LogRow) => `${MARK}${getter(row)}${MARK}` : getter,
  )
  return { ok: true, read: (row) => marked.reduce((key, getter) => key + getter(row), '') }
}

const isBinary = (part: KeyPart | undefined): boolean => part?.type === 'variable' && part.name === BINARY_ADDRESS

function partGetter(part: KeyPart, variables: VariableGetters, platform: VariablePlatform): Getter | undefined {
  if (part.type === 'text') {
    const bytes = toBytes(part.text)
    return () => bytes
  }
  if (part.type === 'capture') return undefined
  return fixedGetter(part.name, platform) ?? variables(part.name)
}

/**
 * Variables that are the same for all requests when limits are checked, or have no value yet: a log only has the value
 * at the end of the request.
 */
function fixedGetter(name: string, platform: VariablePlatform): Getter | undefined {
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

/** A key as reports show it: without the marks around addresses. */
export const keyLabel = (key: string): string => key.replaceAll(MARK, '')

/** An IPv4 address that is a whole key is its own 32 bits; numbers from here on stand for other texts. */
export const FIRST_TEXT = 2 ** 32
/** The number of a key that nginx skips: an empty one, or one of more than 65,535 bytes. */
export const NO_KEY = -1

/** The numbers that one reader gives to keys. Bounded: it starts again when it has grown large. */
export type Dictionary = {
  /** The number of a key of an expression. */
  number(expression: number, key: string): number
  /** Begins a batch; true where the numbering of texts starts again. */
  begin(): boolean
  /** Ends a batch: the texts that got a number in it, by expression, in the order of their numbers. */
  takeTexts(): readonly PackedTexts[]
}

/** How many texts, and characters of texts, are remembered before the numbering starts again. */
export type DictionaryLimits = { readonly keys: number; readonly characters: number }

const LIMITS: DictionaryLimits = { keys: 2 ** 15, characters: 2 ** 22 }

/** Tables of keys have no limits of their own: they are cleared or swept between batches. */
const UNLIMITED = { entries: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

/** A dictionary for the expressions of a plan. It keeps bytes: texts of millions of lines would be much garbage. */
export function createDictionary({ expressions }: Pick<Plan, 'expressions'>, limits = LIMITS): Dictionary {
  const all = expressions.map((parts) => ({
    isAddress: isAddressKey(parts),
    table: createByteTable(UNLIMITED),
    newTexts: createTextPacker(),
  }))
  const scratch = new Uint8Array(LONGEST_KEY_BYTES)
  let characters = 0
  return {
    number(expression, text) {
      const own = all[expression]
      if (!own || text === '' || text.length > LONGEST_KEY_BYTES) return NO_KEY
      const address = own.isAddress ? parseIpv4(text) : undefined
      if (address !== undefined) return address >>> 0
      const { table, newTexts } = own
      for (let at = 0; at < text.length; at += 1) scratch[at] = text.charCodeAt(at)
      const before = table.size
      const number = table.number(scratch, 0, text.length, hashOf(scratch, 0, text.length))
      if (table.size > before) {
        newTexts.add(scratch.subarray(0, text.length))
        characters += text.length
      }
      return FIRST_TEXT + number
    },
    begin() {
      if (characters <= limits.characters && all.every(({ table }) => table.size <= limits.keys)) return false
      for (const { table } of all) table.clear()
      characters = 0
      return true
    },
    takeTexts: () => all.map(({ newTexts }) => newTexts.take()),
  }
}

/** Marks the number of a key as still in use. */
export type MarkKey = (number: number) => void

/** The keys of one expression by their numbers. Unused texts are swept out now and then, and their numbers reused. */
export type KeyTable = {
  /** The numbers of texts. They stay valid until a sweep that does not mark them. */
  numbers(texts: PackedTexts): readonly number[]
  /** The text of any number, addresses included. */
  text(number: number): string
  /** Bytes that the key takes in nginx. */
  length(number: number): number
  /** Forgets all texts but those whose numbers are marked. */
  sweep(markUsed: (mark: MarkKey) => void): void
  /** How many texts there are. */
  readonly size: number
}

/** An empty table for the key that `parts` describe. */
export function createKeyTable(parts: readonly KeyPart[]): KeyTable {
  const table = createByteTable(UNLIMITED)
  const hasBinary = parts.some(isBinary)
  /** In binary all IPv4 addresses take four bytes. */
  const isBinaryAddress = hasBinary && parts.length === 1
  const textOf = (number: number): string =>
    number < FIRST_TEXT ? printIpv4(number) : latin1Text(table.bytes(number - FIRST_TEXT))
  const numberOf = (bytes: Uint8Array, start: number, end: number): number =>
    FIRST_TEXT + table.number(bytes, start, end, hashOf(bytes, start, end))
  return {
    numbers: ({ bytes, ends }) => Array.from(ends, (end, index) => numberOf(bytes, ends[index - 1] ?? 0, end)),
    text: textOf,
    length(number) {
      if (number < FIRST_TEXT) return isBinaryAddress ? 4 : textOf(number).length
      return hasBinary ? keyLength(textOf(number), parts) : table.bytes(number - FIRST_TEXT).length
    },
    sweep: (markUsed) => table.sweep((mark) => markUsed((number) => mark(number - FIRST_TEXT))),
    get size() {
      return table.size
    },
  }
}

/** FNV-1a in 32 bits. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
  return hash
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

/** The 32-bit integer (signed) of an IPv4 address as nginx writes it; undefined for any other text. */
export function parseIpv4(text: string): number | undefined {
  const match = IPV4.exec(text)
  if (!match) return undefined
  const address = match.slice(1).reduce((sum, part) => (sum << 8) | (Number(part) & 255), 0)
  return printIpv4(address) === text ? address : undefined
}

/** The IPv4 address of a 32-bit integer as nginx writes it. */
export const printIpv4 = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`
