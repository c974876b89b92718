/**
 * The shared memory of a zone: how many keys it holds, and when a reload can keep it. Source: nginx, shared memory and
 * slab allocator, limit_req_zone; measured on 1.22.1 and 1.31.3.
 */
import { utf8Length } from '../text/utf8.ts'

/** Bytes that nginx stores for a key besides the key itself, on 64-bit machines. */
const NODE_BYTES = 80
/** Bytes of the record of a zone: the roots of its tree and its queue. */
const ZONE_RECORD_BYTES = 80
/** Bytes of the message about a full zone that nginx stores in the zone, without the name of the zone. */
const LOG_TEXT_BYTES = 22
/** Bytes before the pages: the pool, and a slot and a statistic for each chunk size. */
const POOL_BYTES = 200
const SLOT_BYTES = 24 + 32
/** Bytes that describe one page. */
const PAGE_RECORD_BYTES = 24
/** The smallest chunk has 8 bytes. */
const SMALLEST_SHIFT = 3
/** Bits of the word in which a page marks its used chunks. */
const WORD_BITS = 64

/** Bytes of the longest key that nginx limits by; longer ones are logged and not limited. */
export const LONGEST_KEY_BYTES = 65_535

/** Bytes of addresses that a process has on 64-bit machines: zones that together take more can be allocated nowhere. */
export const ADDRESSABLE_BYTES = 2 ** 47

/** A zone and its keys. All sizes in bytes. */
type ZoneMemory = {
  readonly zoneBytes: number
  /** Length of a key's value: 4 and 16 for `$binary_remote_addr` of IPv4 and IPv6. */
  readonly keyBytes: number
  readonly pageSize: number
  /** Length of the zone's name, which is stored too; 32 where absent. */
  readonly nameBytes?: number
}

/**
 * Keys of one length that a zone holds before nginx removes the least recently used one; 0 where none fits. Exact on
 * 64-bit machines for keys of one length (measured: 32 KiB to 1 MiB, keys of 1 to 5,000 bytes, pages of 4 KiB). If
 * lengths differ, each power of two takes pages of its own, and a zone may have up to one page less for each of them.
 */
export function keysHeld({ zoneBytes, keyBytes, pageSize, nameBytes = 32 }: ZoneMemory): number {
  const node = chunkBytes(NODE_BYTES + keyBytes, pageSize)
  const own = [ZONE_RECORD_BYTES, LOG_TEXT_BYTES + nameBytes].map((bytes) => chunkBytes(bytes, pageSize))
  const shared = own.filter((chunk) => chunk === node).length
  const pages = pagesIn(zoneBytes, pageSize) - new Set(own.filter((chunk) => chunk !== node)).size
  if (node > pageSize / 2) return Math.max(0, Math.floor((pages * pageSize) / node))
  return Math.max(0, pages * chunksPerPage(node, pageSize) - shared)
}

/** Bytes that one key takes, as the allocator rounds them: a power of two, or whole pages above half a page. */
export const bytesPerKey = (keyBytes: number, pageSize: number): number => chunkBytes(NODE_BYTES + keyBytes, pageSize)

function chunkBytes(bytes: number, pageSize: number): number {
  if (bytes > pageSize / 2) return Math.ceil(bytes / pageSize) * pageSize
  return Math.max(2 ** SMALLEST_SHIFT, 2 ** Math.ceil(Math.log2(bytes)))
}

/** Pages that remain for chunks after the records of the pool and their alignment. */
function pagesIn(zoneBytes: number, pageSize: number): number {
  const head = POOL_BYTES + SLOT_BYTES * (Math.log2(pageSize) - SMALLEST_SHIFT)
  const pages = Math.floor((zoneBytes - head) / (pageSize + PAGE_RECORD_BYTES))
  const start = Math.ceil((head + pages * PAGE_RECORD_BYTES) / pageSize) * pageSize
  return Math.max(0, Math.min(pages, Math.floor((zoneBytes - start) / pageSize)))
}

/** A page with more chunks than one word has bits marks them in its first chunks. */
function chunksPerPage(chunk: number, pageSize: number): number {
  const chunks = pageSize / chunk
  if (chunks <= WORD_BITS) return chunks
  return chunks - Math.max(1, Math.floor(chunks / (chunk * 8)))
}

/**
 * True where a reload keeps a zone although its key changes from one to the other. Keys are without quotes and escapes;
 * nginx compares their lengths, and their bytes up to a NUL character.
 */
export function isSameZoneKey(left: string, right: string): boolean {
  if (left === right) return true
  return comparedPart(left) === comparedPart(right) && utf8Length(left) === utf8Length(right)
}

/** A lone surrogate reaches nginx as the replacement character. */
const comparedPart = (key: string): string =>
  key
    .split('\0', 1)
    .join('')
    .replace(/\p{Surrogate}/gu, '\ufffd')
