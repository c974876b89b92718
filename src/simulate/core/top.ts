/** The most frequent of many keys, in bounded memory. */
import { compareText } from '../../text/order.ts'

/** A key with its counts. */
export type Ranked<Counts> = { readonly key: string; readonly counts: Counts }

/** Keys by weight. */
export type Top<Counts> = {
  /** Adds to the counts of a key. */
  add(key: string, counts: Counts): void
  /** The first `length` keys by weight, then by key. */
  list(length: number): readonly Ranked<Counts>[]
  /** How many keys there are; a lower bound once light ones were removed. */
  readonly size: number
}

/** How many keys are kept. */
export const MOST_KEYS = 100_000

/** How counts are compared and added; `limit`: keys that are kept, by default 100,000. */
type TopOptions<Counts> = {
  weigh(counts: Counts): number
  join(a: Counts, b: Counts): Counts
  readonly limit?: number
}

/** A list that keeps the heaviest keys: when it is full, the lighter half is removed. */
export function createTop<Counts>({ weigh, join, limit = MOST_KEYS }: TopOptions<Counts>): Top<Counts> {
  const known = new Map<string, Counts>()
  const removeLightHalf = (): void => {
    const byWeight = [...known].sort((a, b) => weigh(a[1]) - weigh(b[1]))
    for (const [key] of byWeight.slice(0, Math.ceil(byWeight.length / 2))) known.delete(key)
  }
  return {
    add(key, counts) {
      const before = known.get(key)
      known.set(key, before === undefined ? counts : join(before, counts))
      if (known.size > limit) removeLightHalf()
    },
    list: (length) =>
      [...known]
        .map(([key, counts]) => ({ key, counts }))
        .sort((a, b) => weigh(b.counts) - weigh(a.counts) || compareText(a.key, b.key))
        .slice(0, length),
    get size() {
      return known.size
    },
  }
}
