/** A map from 32-bit integers to integers above 0, in flat memory. */

export type NumberMap = {
  /** The value of a key; 0 where it has none. */
  get(key: number): number
  /** Gives a value to a key that has none. */
  add(key: number, value: number): void
  /** Takes a key out, if it is there. */
  remove(key: number): void
  readonly size: number
}

const FIRST_ENTRIES = 64

export function createNumberMap(): NumberMap {
  /** Key and value side by side, so that a look-up touches one place in memory. */
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

/** The place of a key, or the free one where it would go. Half of the places stay free. */
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

/** Frees a place; what stands behind it and would not be found any more moves up. */
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
