/** The most frequent of many things, in bounded memory. */

/** One thing with its counts. */
export type Ranked<Counts> = { readonly key: string; readonly counts: Counts }

export type Top<Counts> = {
  /** Adds to what is known of a key. */
  add(key: string, counts: Counts): void
  /** The first by weight, then by key. */
  list(length: number): readonly Ranked<Counts>[]
  /** How many keys there are; a lower bound once some were dropped. */
  readonly size: number
  /**
   * The greatest weight that was ever dropped to make room; 0 where nothing was. A key whose weight is not above it may
   * be missing, or lack as much.
   */
  readonly dropped: number
}

/** How many keys are kept. */
const MOST_KEYS = 100_000

export type TopOptions<Counts> = {
  weigh(counts: Counts): number
  join(a: Counts, b: Counts): Counts
  readonly limit?: number
}

/** A list that keeps the weightiest keys; where it is full, the lighter half is dropped. */
export function createTop<Counts>({ weigh, join, limit = MOST_KEYS }: TopOptions<Counts>): Top<Counts> {
  const known = new Map<string, Counts>()
  let dropped = 0
  const drop = (): void => {
    const byWeight = [...known].sort((a, b) => weigh(a[1]) - weigh(b[1]))
    const light = byWeight.slice(0, Math.ceil(byWeight.length / 2))
    for (const [key, counts] of light) {
      known.delete(key)
      dropped = Math.max(dropped, weigh(counts))
    }
  }
  return {
    add(key, counts) {
      const before = known.get(key)
      known.set(key, before === undefined ? counts : join(before, counts))
      if (known.size > limit) drop()
    },
    list: (length) =>
      [...known]
        .map(([key, counts]) => ({ key, counts }))
        .sort((a, b) => weigh(b.counts) - weigh(a.counts) || (a.key < b.key ? -1 : 1))
        .slice(0, length),
    get size() {
      return known.size
    },
    get dropped() {
      return dropped
    },
  }
}
