/**
 * The memory of a zone while keys of different lengths come and go. Source: nginx, slab allocator of shared memory.
 * Entries take a power of two of bytes and share pages with entries of the same size; a page serves another size once
 * it is empty. Above half a page an entry takes whole pages; fragmentation of free pages is not modelled.
 */
import { bytesPerKey, keysHeld } from '../../nginx/memory.ts'

/** The memory of one zone. */
export type Slab = {
  /** Allocates memory for a key of so many bytes: what to free later, or -1 where there is none. */
  allocate(keyBytes: number): number
  free(allocated: number): void
}

/** Bytes of an entry beside its key. The zone's own pieces are measured as if they were entries. */
const NODE_BYTES = 80
/** Bytes of the zone's own record, and of its log context without the zone's name. */
const [RECORD_BYTES, TEXT_BYTES] = [80, 22]

/** Pages with room for entries of one size; the last is used next. */
type Pool = { readonly size: number; readonly pages: number[] }

/** The memory of a zone of so many bytes. */
export function createSlab({ bytes, name, pageSize }: { bytes: number; name: string; pageSize: number }): Slab {
  /** As many pages as entries of exactly one page would fit. */
  let freePages = keysHeld({ zoneBytes: bytes, keyBytes: pageSize - NODE_BYTES, pageSize, nameBytes: name.length })
  const used: number[] = []
  const poolOfPage: Pool[] = []
  const emptyPages: number[] = []
  const pools = new Map<number, Pool>()

  const poolFor = (size: number): Pool => {
    const pool = pools.get(size) ?? { size, pages: [] }
    pools.set(size, pool)
    return pool
  }
  const openPage = (pool: Pool): number => {
    const page = emptyPages.pop() ?? used.length
    used[page] = 0
    poolOfPage[page] = pool
    pool.pages.push(page)
    return page
  }
  const allocatePiece = (pool: Pool): number => {
    const open = pool.pages.at(-1)
    if (open === undefined && freePages === 0) return -1
    if (open === undefined) freePages -= 1
    const page = open ?? openPage(pool)
    used[page] = (used[page] ?? 0) + 1
    if (used[page] === pageSize / pool.size) pool.pages.pop()
    return page
  }
  const freePiece = (page: number): void => {
    const pool = poolOfPage[page]
    if (!pool) return
    const before = used[page] ?? 0
    used[page] = before - 1
    if (before === pageSize / pool.size) pool.pages.push(page)
    if (before > 1) return
    pool.pages.splice(pool.pages.lastIndexOf(page), 1)
    emptyPages.push(page)
    freePages += 1
  }

  for (const own of [RECORD_BYTES, TEXT_BYTES + name.length]) {
    const pool = poolFor(bytesPerKey(own - NODE_BYTES, pageSize))
    /** `keysHeld` has subtracted the pages of the zone's own pieces already. */
    if (pool.pages.length === 0) openPage(pool)
    allocatePiece(pool)
  }
  /** The pool for keys of a length; undefined where they take whole pages. */
  const poolOfLength: Pool[] = []
  return {
    allocate(keyBytes) {
      const known = poolOfLength[keyBytes]
      if (known) return allocatePiece(known)
      const size = bytesPerKey(keyBytes, pageSize)
      if (size < pageSize) {
        const pool = poolFor(size)
        poolOfLength[keyBytes] = pool
        return allocatePiece(pool)
      }
      const pages = size / pageSize
      if (freePages < pages) return -1
      freePages -= pages
      return -1 - pages
    },
    free(allocated) {
      if (allocated >= 0) freePiece(allocated)
      else freePages += -1 - allocated
    },
  }
}
