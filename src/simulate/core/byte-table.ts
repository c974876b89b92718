/** Numbers for byte sequences: the same bytes get the same number. Bounded: a full table must be cleared. */

/** A table of byte sequences. */
type ByteTable = {
  /**
   * The number of `bytes[start, end)`; `hash` is any hash of these bytes. New sequences are numbered from 0;
   * -1 where there is no room for another.
   */
  number(bytes: Uint8Array, start: number, end: number, hash: number): number
  /** How many sequences there are. */
  readonly size: number
  clear(): void
}

/** How much a table may hold. */
type ByteTableLimits = { readonly entries: number; readonly bytes: number }

const FIRST_ENTRIES = 1024
const FIRST_BYTES = 32 * 1024

/** An empty table. */
export function createByteTable(limits: ByteTableLimits): ByteTable {
  let slots = new Int32Array(FIRST_ENTRIES * 2).fill(-1)
  let hashes = new Int32Array(FIRST_ENTRIES)
  /** Where each sequence begins in the store; one more entry says where the last ends. */
  let starts = new Int32Array(FIRST_ENTRIES + 1)
  let store = new Uint8Array(FIRST_BYTES)
  let size = 0

  const isSame = (entry: number, bytes: Uint8Array, start: number, end: number): boolean => {
    let at = starts[entry] ?? 0
    if ((starts[entry + 1] ?? 0) - at !== end - start) return false
    for (let from = start; from < end; from += 1, at += 1) if (store[at] !== bytes[from]) return false
    return true
  }

  const grow = (): void => {
    hashes = enlarge(hashes, new Int32Array(hashes.length * 2))
    starts = enlarge(starts, new Int32Array(hashes.length + 1))
    slots = new Int32Array(hashes.length * 2).fill(-1)
    for (let entry = 0; entry < size; entry += 1) slots[freeSlot(slots, hashes[entry] ?? 0)] = entry
  }

  const add = (bytes: Uint8Array, start: number, end: number, hash: number): number => {
    const from = starts[size] ?? 0
    const to = from + end - start
    if (size >= limits.entries || to > limits.bytes) return -1
    if (size === hashes.length) grow()
    while (to > store.length) store = enlarge(store, new Uint8Array(store.length * 2))
    store.set(bytes.subarray(start, end), from)
    hashes[size] = hash
    starts[size + 1] = to
    slots[freeSlot(slots, hash)] = size
    size += 1
    return size - 1
  }

  return {
    number(bytes, start, end, hash) {
      const mask = slots.length - 1
      for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
        const entry = slots[slot] ?? -1
        if (entry < 0) return add(bytes, start, end, hash)
        if (hashes[entry] === hash && isSame(entry, bytes, start, end)) return entry
      }
    },
    get size() {
      return size
    },
    clear() {
      slots.fill(-1)
      size = 0
    },
  }
}

/** Mixes the high bits in: the low bits of FNV-1a alone cause collisions. */
const spread = (hash: number): number => (hash ^ (hash >>> 15)) >>> 0

function freeSlot(slots: Int32Array, hash: number): number {
  const mask = slots.length - 1
  let slot = spread(hash) & mask
  while ((slots[slot] ?? -1) >= 0) slot = (slot + 1) & mask
  return slot
}

function enlarge<Numbers extends Int32Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
