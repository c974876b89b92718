/** Events in order of time: a binary heap. Events of the same time keep the order in which they were added. */

/** Events that are still to come. */
export type EventQueue<Item> = {
  add(time: number, item: Item): void
  /** The time of the next event; Infinity where there is none. */
  next(): number
  /** All events, in no order. */
  items(): readonly Item[]
  /** Removes and returns the next event. */
  take(): Item | undefined
}

type Entry<Item> = { readonly time: number; readonly order: number; readonly item: Item }

/** A queue without events. */
export function createEventQueue<Item>(): EventQueue<Item> {
  const heap: Entry<Item>[] = []
  let count = 0
  const isBefore = (a: Entry<Item> | undefined, b: Entry<Item> | undefined): boolean =>
    a !== undefined && b !== undefined && (a.time < b.time || (a.time === b.time && a.order < b.order))
  const swap = (a: number, b: number): void => {
    const [first, second] = [heap[a], heap[b]]
    if (first === undefined || second === undefined) return
    heap[a] = second
    heap[b] = first
  }
  const rise = (at: number): void => {
    for (let child = at; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!isBefore(heap[child], heap[parent])) return
      swap(child, parent)
      child = parent
    }
  }
  const sink = (at: number): void => {
    for (let parent = at; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      const child = isBefore(heap[right], heap[left]) ? right : left
      if (!isBefore(heap[child], heap[parent])) return
      swap(child, parent)
      parent = child
    }
  }
  return {
    add(time, item) {
      heap.push({ time, order: count, item })
      count += 1
      rise(heap.length - 1)
    },
    next: () => heap[0]?.time ?? Number.POSITIVE_INFINITY,
    items: () => heap.map(({ item }) => item),
    take() {
      const [first] = heap
      const last = heap.pop()
      if (heap.length > 0 && last) {
        heap[0] = last
        sink(0)
      }
      return first?.item
    },
  }
}
