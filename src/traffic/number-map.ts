/** A map from 32-bit integers to integers of 0 or more, in flat memory. */

export type NumberMap = {
  /** The value of a key; -1 where it has none. */
  get(key: number): number
  /** Gives a value to a key that has none. */
  add(key: number, value: number): void
  readonly size: number
  clear(): void
}

const FIRST_ENTRIES = 64

export function createNumberMap(): NumberMap {
  /** Key and value plus one side by side, so that a look-up touches one place in memory. */
  let slots = new Int32Array(FIRST_ENTRIES * 4)
  let size = 0
  const grow = (): void => {
    const old = slots
    slots = new Int32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] === 0) continue
      const slot = find(slots, old[at] ?? 0)
      slots[slot] = old[at] ?? 0
      slots[slot + 1] = old[at + 1] ?? 0
    }
  }
  return {
    get: (key) => (slots[find(slots, key) + 1] ?? 0) - 1,
    add(key, value) {
      if ((size + 1) * 4 > slots.length) grow()
      const slot = find(slots, key)
      slots[slot] = key
      slots[slot + 1] = value + 1
      size += 1
    },
    get size() {
      return size
    },
    clear() {
      slots = new Int32Array(FIRST_ENTRIES * 4)
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
