/**
 * Scans the bytes of a line in nginx's own formats `common`, `combined` and `main`. It accepts only plain lines: without
 * a user, with the usual values in every field. Every other line needs the line reader, also one with an
 * address that is not IPv4.
 */
import { parseLocalTime } from '../../traffic/time.ts'

/** The fields of a plain line; positions are offsets into the bytes, ends are exclusive. */
export type CleanLine = {
  /** Where the line begins. */
  addressStart: number
  addressEnd: number
  /** The four bytes of the address as a 32-bit integer. */
  ipv4: number
  /** Position of the 26 characters of `$time_local`. */
  timeStart: number
  requestStart: number
  requestEnd: number
  requestHash: number
  /** The beginning of the next line. */
  next: number
}

/** To be filled by {@link scanLine}. */
export const emptyCleanLine = (): CleanLine => ({
  addressStart: 0,
  addressEnd: 0,
  ipv4: 0,
  timeStart: 0,
  requestStart: 0,
  requestEnd: 0,
  requestHash: 0,
  next: 0,
})

/** First value and factor of the hash, FNV-1a in 32 bits. */
const HASH_START = 0x811c9dc5 | 0
const HASH_FACTOR = 16_777_619

const [LF, CR, SPACE, QUOTE, DASH, DOT, OPEN, CLOSE] = [10, 13, 32, 34, 45, 46, 91, 93] as const
/** Length of `05/Jan/2026:13:00:59 +0100`. */
const TIME_LENGTH = 26

/**
 * Scans the line at `start`, in which `quoted` values follow the size. True where it is plain; `line` then has its fields.
 */
export function scanLine(bytes: Uint8Array, start: number, quoted: number, line: CleanLine): boolean {
  const afterAddress = scanIpv4(bytes, start, line)
  if (afterAddress < 0 || !isBetween(bytes, afterAddress)) return false
  const afterRequest = scanRequest(bytes, afterAddress, line)
  if (afterRequest < 0) return false
  let at = scanNumbers(bytes, afterRequest)
  for (let count = 0; count < quoted && at >= 0; count += 1) at = skipQuoted(bytes, at)
  if (at < 0) return false
  if (bytes[at] === CR) at += 1
  if (at < bytes.length && bytes[at] !== LF) return false
  line.next = at + 1
  return true
}

/** Scans an address as nginx writes it. Returns the position of the space behind it; -1 for anything else. */
function scanIpv4(bytes: Uint8Array, start: number, line: CleanLine): number {
  let address = 0
  let at = start
  for (let part = 0; part < 4; part += 1) {
    const first = (bytes[at] ?? 0) - 48
    let value = first
    let end = at + 1
    for (let byte = bytes[end] ?? 0; isDigit(byte); byte = bytes[end] ?? 0) {
      value = value * 10 + byte - 48
      end += 1
    }
    const isWrong = !isDigit(first + 48) || value > 255 || (first === 0 && end > at + 1) || end > at + 3
    if (isWrong || bytes[end] !== (part === 3 ? SPACE : DOT)) return -1
    address = (address << 8) | value
    at = end + 1
  }
  line.addressStart = start
  line.ipv4 = address
  line.addressEnd = at - 1
  return at - 1
}

/** True for ` - - [` at a position, any 26 bytes, and `] "`. */
const isBetween = (bytes: Uint8Array, at: number): boolean =>
  bytes[at + 1] === DASH &&
  bytes[at + 2] === SPACE &&
  bytes[at + 3] === DASH &&
  bytes[at + 4] === SPACE &&
  bytes[at + 5] === OPEN &&
  bytes[at + 6 + TIME_LENGTH] === CLOSE &&
  bytes[at + 7 + TIME_LENGTH] === SPACE &&
  bytes[at + 8 + TIME_LENGTH] === QUOTE

/** Scans the request behind an address. Returns the position behind its closing quote; -1 where there is none. */
function scanRequest(bytes: Uint8Array, afterAddress: number, line: CleanLine): number {
  line.timeStart = afterAddress + 6
  const start = afterAddress + 9 + TIME_LENGTH
  line.requestStart = start
  let hash = HASH_START
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      line.requestEnd = at
      line.requestHash = hash
      return at + 1
    }
    if (byte === LF) return -1
    hash = Math.imul(hash ^ byte, HASH_FACTOR)
  }
  return -1
}

/** ` 200 1234`: the position behind it; -1 for anything else. */
function scanNumbers(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== SPACE || bytes[start + 4] !== SPACE) return -1
  for (let at = start + 1; at < start + 4; at += 1) if (!isDigit(bytes[at] ?? 0)) return -1
  let at = start + 5
  while (at < bytes.length && isDigit(bytes[at] ?? 0)) at += 1
  return at === start + 5 ? -1 : at
}

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

/** ` "…"`: the position behind it; -1 for anything else. */
function skipQuoted(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== SPACE || bytes[start + 1] !== QUOTE) return -1
  for (let at = start + 2; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === LF) return -1
  }
  return -1
}

/** Reads the 26 characters of `$time_local` at a position and remembers the last time. NaN for an invalid time. */
export function createLocalTimeReader(): (bytes: Uint8Array, start: number) => number {
  const last = new Uint8Array(TIME_LENGTH)
  let time = Number.NaN
  return (bytes, start) => {
    let same = TIME_LENGTH - 1
    while (same >= 0 && last[same] === bytes[start + same]) same -= 1
    if (same < 0) return time
    last.set(bytes.subarray(start, start + TIME_LENGTH))
    time = parseLocalTime(String.fromCharCode(...last))
    return time
  }
}
