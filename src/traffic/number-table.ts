/** Numbers for numbers: 32-bit keys to a dense count from 0 on, in the order in which they come. Bounded. */

export type NumberTable = {
  /** The number of a key; -1 where there is no room for another. */
  number(key: number): number
  readonly size: number
  clear(): void
}

const FIRST_ENTRIES = 1024

/** A table of at most so many keys. */
export function createNumberTable(limit: number): NumberTable {
  /** Key and number plus one side by side, so that a look-up touches one place in memory. */
  let slots = new Int32Array(FIRST_ENTRIES * 4)
  let size = 0

  const grow = (): void => {
    const old = slots
    slots = new Int32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const found = old[at + 1] ?? 0
      if (found === 0) continue
      const slot = find(slots, old[at] ?? 0)
      slots[slot] = old[at] ?? 0
      slots[slot + 1] = found
    }
  }

  return {
    number(key) {
      const slot = find(slots, key | 0)
      const found = slots[slot + 1] ?? 0
      if (found !== 0) return found - 1
      if (size >= limit) return -1
      slots[slot] = key | 0
      slots[slot + 1] = size + 1
      size += 1
      if (size * 4 > slots.length) grow()
      return size - 1
    },
    get size() {
      return size
    },
    clear() {
      slots.fill(0)
      size = 0
    },
  }
}

/** The place of a key, or the free one where it would go. Half of the places stay free. */
function find(slots: Int32Array, key: number): number {
  const mask = slots.length - 2
  let slot = (mix(key) << 1) & mask
  while (slots[slot + 1] !== 0 && slots[slot] !== key) slot = (slot + 2) & mask
  return slot
}

function mix(key: number): number {
  const mixed = Math.imul(key ^ (key >>> 16), 0x45d9f3b)
  return mixed ^ (mixed >>> 15)
}
