/** From the numbers of keys to entries of a zone, in flat memory. */
import { FIRST_TEXT } from './keys.ts'

/** A map from 32-bit integers to integers above 0. */
type NumberMap = {
  /** The value of a key; 0 where it has none. */
  get(key: number): number
  /** Sets the value of a key that has none. */
  add(key: number, value: number): void
  /** Removes a key, if it is there. */
  remove(key: number): void
  readonly size: number
}

const FIRST_ENTRIES = 64

/** A map without keys. */
export function createNumberMap(): NumberMap {
  /** Key and value side by side, so that a lookup touches one place in memory. */
  let slots = new Int32Array(FIRST_ENTRIES * 4)
  let size = 0
  const grow = (): void => {
    const old = slots
    slots = new Int32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const value = old[at + 1] ?? 0
      if (value !== 0) put(slots, find(slots, old[at] ?? 0), old[at] ?? 0, value)
    }
  }
  return {
    get: (key) => slots[find(slots, key) + 1] ?? 0,
    add(key, value) {
      if ((size + 1) * 4 > slots.length) grow()
      put(slots, find(slots, key), key, value)
      size += 1
    },
    remove(key) {
      const slot = find(slots, key)
      if (slots[slot + 1] === 0) return
      closeGap(slots, slot)
      size -= 1
    },
    get size() {
      return size
    },
  }
}

function put(slots: Int32Array, slot: number, key: number, value: number): void {
  slots[slot] = key
  slots[slot + 1] = value
}

/** The slot of a key, or the free slot where it would go. At least half of the slots stay free. */
function find(slots: Int32Array, key: number): number {
  const mask = slots.length - 2
  let slot = homeOf(key, mask)
  while (slots[slot + 1] !== 0 && slots[slot] !== key) slot = (slot + 2) & mask
  return slot
}

function homeOf(key: number, mask: number): number {
  const mixed = Math.imul(key ^ (key >>> 16), 0x45d9f3b)
  return ((mixed ^ (mixed >>> 15)) << 1) & mask
}

/** Frees a slot; keys behind it that could no longer be found move up. */
function closeGap(slots: Int32Array, from: number): void {
  const mask = slots.length - 2
  let gap = from
  for (let slot = (gap + 2) & mask; slots[slot + 1] !== 0; slot = (slot + 2) & mask) {
    const key = slots[slot] ?? 0
    const distance = (slot - homeOf(key, mask)) & mask
    if (distance < ((slot - gap) & mask)) continue
    put(slots, gap, key, slots[slot + 1] ?? 0)
    gap = slot
  }
  slots[gap + 1] = 0
}

/** Where a zone keeps the entry of a key: a map from numbers of keys to entries, in flat memory. */
export type KeyIndex = {
  /** The entry of a key; 0 where there is none. */
  get(key: number): number
  /** Records the entry, above 0, of a key that has none. */
  add(key: number, entry: number): void
  /** Removes a key that is there. */
  remove(key: number): void
}

/** An index without keys. */
export function createKeyIndex(): KeyIndex {
  const addresses = createNumberMap()
  /** By number, counted from the first text. */
  let texts = new Int32Array(64)
  return {
    get: (key) => (key < FIRST_TEXT ? addresses.get(key | 0) : (texts[key - FIRST_TEXT] ?? 0)),
    add(key, entry) {
      if (key < FIRST_TEXT) {
        addresses.add(key | 0, entry)
        return
      }
      const index = key - FIRST_TEXT
      if (index >= texts.length) {
        const larger = new Int32Array(Math.max(index + 1, texts.length * 2))
        larger.set(texts)
        texts = larger
      }
      texts[index] = entry
    },
    remove(key) {
      if (key < FIRST_TEXT) addresses.remove(key | 0)
      else texts[key - FIRST_TEXT] = 0
    },
  }
}
