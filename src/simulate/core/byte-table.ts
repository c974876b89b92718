/** Numbers for byte sequences: the same bytes get the same number. Flat memory, so that millions leave no garbage. */

/** A table of byte sequences. */
type ByteTable = {
  /**
   * The number of `bytes[start, end)`; `hash` is any hash of these bytes. New sequences are numbered from 0, or get a
   * number that a sweep has freed; -1 where there is no room for another.
   */
  number(bytes: Uint8Array, start: number, end: number, hash: number): number
  /** The bytes of a sequence by its number, valid until the next change; empty where there is none. */
  bytes(number: number): Uint8Array
  /** Forgets all sequences but those whose numbers are marked. */
  sweep(markUsed: (mark: (number: number) => void) => void): void
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
  const store = createStore()
  /** Numbers that were ever used, and those of them that are free. */
  let end = 0
  const free: number[] = []

  const fillSlots = (): void => {
    slots.fill(-1)
    for (let entry = 0; entry < end; entry += 1)
      if (!store.isFree(entry)) slots[freeSlot(slots, hashes[entry] ?? 0)] = entry
  }
  const newEntry = (): number => {
    const freed = free.pop()
    if (freed !== undefined) return freed
    if (end === hashes.length) {
      hashes = enlarge(hashes, new Int32Array(hashes.length * 2))
      slots = new Int32Array(hashes.length * 2)
      fillSlots()
    }
    end += 1
    return end - 1
  }
  const add = (bytes: Uint8Array, start: number, to: number, hash: number): number => {
    if (end - free.length >= limits.entries || store.size + to - start > limits.bytes) return -1
    const entry = newEntry()
    store.put(entry, bytes, start, to)
    hashes[entry] = hash
    slots[freeSlot(slots, hash)] = entry
    return entry
  }
  return {
    number(bytes, start, to, hash) {
      const mask = slots.length - 1
      for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
        const entry = slots[slot] ?? -1
        if (entry < 0) return add(bytes, start, to, hash)
        if (hashes[entry] === hash && store.isSame(entry, bytes, start, to)) return entry
      }
    },
    bytes: store.bytes,
    sweep(markUsed) {
      const isUsed = new Uint8Array(end)
      markUsed((number) => {
        isUsed[number] = 1
      })
      for (let entry = 0; entry < end; entry += 1) {
        if (store.isFree(entry) || isUsed[entry] === 1) continue
        store.free(entry)
        free.push(entry)
      }
      store.compact(end)
      fillSlots()
    },
    get size() {
      return end - free.length
    },
    clear() {
      slots.fill(-1)
      free.length = 0
      end = 0
      store.clear()
    },
  }
}

/** The length of an entry that is free. */
const FREE = -1

/** The bytes of entries by their numbers. */
function createStore() {
  let store = new Uint8Array(FIRST_BYTES)
  /** Where each entry begins in the store, and how long it is. */
  let starts = new Int32Array(FIRST_ENTRIES)
  let lengths = new Int32Array(FIRST_ENTRIES)
  let stored = 0
  const bytesOf = (entry: number): Uint8Array => {
    const start = starts[entry] ?? 0
    return store.subarray(start, start + Math.max(0, lengths[entry] ?? 0))
  }
  return {
    isFree: (entry: number): boolean => lengths[entry] === FREE,
    isSame(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
      if (lengths[entry] !== end - start) return false
      let at = starts[entry] ?? 0
      for (let from = start; from < end; from += 1, at += 1) if (store[at] !== bytes[from]) return false
      return true
    },
    bytes: bytesOf,
    put(entry: number, bytes: Uint8Array, start: number, end: number): void {
      if (entry >= starts.length) {
        starts = enlarge(starts, new Int32Array(starts.length * 2))
        lengths = enlarge(lengths, new Int32Array(starts.length))
      }
      while (stored + end - start > store.length) store = enlarge(store, new Uint8Array(store.length * 2))
      store.set(bytes.subarray(start, end), stored)
      starts[entry] = stored
      lengths[entry] = end - start
      stored += end - start
    },
    /** Its bytes are taken until the store is made compact. */
    free(entry: number): void {
      lengths[entry] = FREE
    },
    /** Moves what is left together; entries are numbered to before `end`. */
    compact(end: number): void {
      const total = lengths.subarray(0, end).reduce((sum, length) => sum + Math.max(0, length), 0)
      const smaller = new Uint8Array(Math.max(FIRST_BYTES, total * 2))
      stored = 0
      for (let entry = 0; entry < end; entry += 1) {
        const bytes = bytesOf(entry)
        smaller.set(bytes, stored)
        starts[entry] = stored
        stored += bytes.length
      }
      store = smaller
    },
    /** Bytes that are taken. */
    get size() {
      return stored
    },
    clear(): void {
      stored = 0
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

/** The numbers in a larger array. */
export function enlarge<Numbers extends Int32Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}
