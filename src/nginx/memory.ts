/** How many keys a zone remembers. Source: nginx shared memory and its slab allocator; measured on real programs. */
import { utf8Length } from '../text/utf8.ts'

/** Bytes that nginx keeps beside a key's own bytes, on 64-bit machines. */
const NODE_BYTES = 80
/** Bytes of a zone's own record: the roots of its tree and its queue. */
const ZONE_RECORD_BYTES = 80
/** Bytes of the text that goes into records about a full zone, without the zone's name. */
const LOG_TEXT_BYTES = 22
/** Bytes in front of the pages: the pool, and per size of piece a slot and a statistic. */
const POOL_BYTES = 200
const SLOT_BYTES = 24 + 32
/** Bytes that describe one page. */
const PAGE_RECORD_BYTES = 24
/** The smallest piece is 8 bytes. */
const SMALLEST_SHIFT = 3
/** Bits of the word in which a page keeps which pieces are taken. */
const WORD_BITS = 64

/** Longest key that nginx limits by; longer ones are logged and not limited. */
export const LONGEST_KEY_BYTES = 65_535

/** What `keysHeld` needs to know. All sizes in bytes. */
export type ZoneMemory = {
  readonly zoneBytes: number
  /** Length of a key's value: 4 and 16 for `$binary_remote_addr` of IPv4 and IPv6. */
  readonly keyBytes: number
  readonly pageSize: number
  /** Length of the zone's name, which takes a little memory too; 32 where absent. */
  readonly nameBytes?: number
}

/**
 * Keys of one length that a zone remembers before it forgets the least recently used one; 0 where none fits.
 * Exact on 64-bit machines for keys of one length (measured: 32 KiB to 1 MiB, keys of 1 to 5,000 bytes, pages of
 * 4 KiB). Where lengths differ, each power of two takes pages of its own, and a zone may hold up to a page less a size.
 */
export function keysHeld({ zoneBytes, keyBytes, pageSize, nameBytes = 32 }: ZoneMemory): number {
  const node = pieceBytes(NODE_BYTES + keyBytes, pageSize)
  const own = [ZONE_RECORD_BYTES, LOG_TEXT_BYTES + nameBytes].map((bytes) => pieceBytes(bytes, pageSize))
  const shared = own.filter((piece) => piece === node).length
  const pages = pagesIn(zoneBytes, pageSize) - new Set(own.filter((piece) => piece !== node)).size
  if (node > pageSize / 2) return Math.max(0, Math.floor((pages * pageSize) / node))
  return Math.max(0, pages * piecesPerPage(node, pageSize) - shared)
}

/** Bytes that one key takes, as nginx rounds them: a power of two, or whole pages above half a page. */
export const bytesPerKey = (keyBytes: number, pageSize: number): number => pieceBytes(NODE_BYTES + keyBytes, pageSize)

function pieceBytes(bytes: number, pageSize: number): number {
  if (bytes > pageSize / 2) return Math.ceil(bytes / pageSize) * pageSize
  return Math.max(2 ** SMALLEST_SHIFT, 2 ** Math.ceil(Math.log2(bytes)))
}

/** Pages that are left for pieces: the rest goes into the pool's own records and into their alignment. */
function pagesIn(zoneBytes: number, pageSize: number): number {
  const head = POOL_BYTES + SLOT_BYTES * (Math.log2(pageSize) - SMALLEST_SHIFT)
  const pages = Math.floor((zoneBytes - head) / (pageSize + PAGE_RECORD_BYTES))
  const start = Math.ceil((head + pages * PAGE_RECORD_BYTES) / pageSize) * pageSize
  return Math.max(0, Math.min(pages, Math.floor((zoneBytes - start) / pageSize)))
}

/** A page of pieces too small for one word of bits keeps the bits in its first pieces. */
function piecesPerPage(piece: number, pageSize: number): number {
  const pieces = pageSize / piece
  if (pieces <= WORD_BITS) return pieces
  return pieces - Math.max(1, Math.floor(pieces / (piece * 8)))
}

// MERGED zone-key.ts: When nginx takes a zone over for a key. Source: nginx, limit_req_zone; measured on 1.22.1 and 1.31.3.
/**
 * True where a running nginx holds two keys for the same, given without quotes and escapes: it compares their lengths,
 * and their bytes up to a NUL character.
 */
export function isSameZoneKey(left: string, right: string): boolean {
  if (left === right) return true
  return comparedPart(left) === comparedPart(right) && utf8Length(left) === utf8Length(right)
}

/** Half a surrogate pair reaches nginx as the replacement character. */
const comparedPart = (key: string): string =>
  key
    .split('\0', 1)
    .join('')
    .replace(/\p{Surrogate}/gu, '\ufffd')
