/** Events in order of time: a binary heap. Events of the same time keep the order in which they were added. */

/** Events that are still to come. */
export type EventQueue<Item> = {
  add(time: number, item: Item): void
  /** All events, in no order. */
  items(): readonly Item[]
  /** Removes and returns the next event; undefined where there is none until then. */
  take(until: number): Item | undefined
}

type Entry<Item> = { readonly time: number; readonly order: number; readonly item: Item }

/** A queue without events. */
export function createEventQueue<Item>(): EventQueue<Item> {
  const heap: Entry<Item>[] = []
  let count = 0
  /** Moves the parents of a free place down until an entry fits there. */
  const rise = (free: number, entry: Entry<Item>): void => {
    let at = free
    for (let above = heap[parentOf(at)]; above && isBefore(entry, above); above = heap[parentOf(at)]) {
      heap[at] = above
      at = parentOf(at)
    }
    heap[at] = entry
  }
  /** The place of the earlier of two entries; the later one may be missing. */
  const earlier = (left: number, right: number): number => {
    const [a, b] = [heap[left], heap[right]]
    return a && b && isBefore(b, a) ? right : left
  }
  /** Moves children up into the first place, which is free. Returns the place that is free then, which has no child. */
  const sink = (): number => {
    for (let at = 0; ; ) {
      const child = earlier(2 * at + 1, 2 * at + 2)
      const below = heap[child]
      if (!below) return at
      heap[at] = below
      at = child
    }
  }
  return {
    add(time, item) {
      rise(heap.length, { time, order: count, item })
      count += 1
    },
    items: () => heap.map(({ item }) => item),
    take(until) {
      const [first] = heap
      if (!first || first.time > until) return undefined
      const free = sink()
      const last = heap.pop()
      if (last && free < heap.length) rise(free, last)
      return first.item
    },
  }
}

/** The first entry has none: -1. */
const parentOf = (at: number): number => (at - 1) >> 1

const isBefore = <Item>(a: Entry<Item>, b: Entry<Item>): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order)
