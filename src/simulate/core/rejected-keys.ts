/** The keys of which a limit rejected the most requests, in bounded memory. Most keys are addresses, kept as numbers. */
import { compareText } from '../../text/order.ts'
import { createNumberMap } from './key-index.ts'
import { FIRST_TEXT, type KeyTable, keyLabel } from './keys.ts'
import { createTop, MOST_KEYS, type Ranked } from './top.ts'
import type { KeyCounts } from './zone.ts'

/** Keys with the outcomes of their requests. */
export type RejectedKeys = {
  /** Adds to the counts of a key, by its number. */
  add(key: number, counts: Readonly<KeyCounts>): void
  /** The first `length` keys by rejected requests, then by key. */
  list(length: number): readonly Ranked<KeyCounts>[]
}

/** Numbers for each address: rejected, delayed, passed. */
const COUNTS = 3

/** A list that keeps at most `limit` addresses and as many texts; when it is full, the lighter half is removed. */
export function createRejectedKeys(table: KeyTable, limit = MOST_KEYS): RejectedKeys {
  const texts = createTop<KeyCounts>({ weigh: ({ rejected }) => rejected, join: joinCounts, limit })
  /** Positions of addresses from 1. */
  let positions = createNumberMap()
  let addresses = new Int32Array(64)
  let counts = new Float64Array(addresses.length * COUNTS)
  let size = 0

  const place = (address: number): number => {
    if (size === limit) removeLightHalf()
    if (size === addresses.length) {
      const [oldAddresses, oldCounts] = [addresses, counts]
      addresses = new Int32Array(size * 2)
      counts = new Float64Array(addresses.length * COUNTS)
      addresses.set(oldAddresses)
      counts.set(oldCounts)
    }
    addresses[size] = address
    counts.fill(0, size * COUNTS, (size + 1) * COUNTS)
    size += 1
    positions.add(address, size)
    return size
  }
  const weight = (index: number): number => counts[index * COUNTS] ?? 0
  const sortedWeights = (): Float64Array => Float64Array.from({ length: size }, (_, index) => weight(index)).sort()
  /** Of equal weights the older ones are removed. */
  const removeLightHalf = (): void => {
    const half = size >> 1
    const sorted = sortedWeights()
    const least = sorted[size - half] ?? 0
    let surplus = size - half - sorted.indexOf(least)
    positions = createNumberMap()
    let kept = 0
    for (let index = 0; index < size; index += 1) {
      const isLight = weight(index) < least || (weight(index) === least && surplus-- > 0)
      if (isLight) continue
      const address = addresses[index] ?? 0
      addresses[kept] = address
      counts.copyWithin(kept * COUNTS, index * COUNTS, (index + 1) * COUNTS)
      kept += 1
      positions.add(address, kept)
    }
    size = kept
  }
  const heaviest = (length: number): readonly Ranked<KeyCounts>[] => {
    const least = sortedWeights()[Math.max(0, size - length)] ?? 0
    const found: Ranked<KeyCounts>[] = []
    for (let index = 0; index < size; index += 1) {
      if (weight(index) < least) continue
      const [rejected = 0, delayed = 0, passed = 0] = counts.subarray(index * COUNTS)
      found.push({ key: table.text((addresses[index] ?? 0) >>> 0), counts: { rejected, delayed, passed } })
    }
    return found
  }
  return {
    add(key, added) {
      if (key >= FIRST_TEXT) {
        texts.add(keyLabel(table.text(key)), added)
        return
      }
      const at = ((positions.get(key | 0) || place(key | 0)) - 1) * COUNTS
      counts[at] = (counts[at] ?? 0) + added.rejected
      counts[at + 1] = (counts[at + 1] ?? 0) + added.delayed
      counts[at + 2] = (counts[at + 2] ?? 0) + added.passed
    },
    list: (length) =>
      [...heaviest(length), ...texts.list(length)]
        .sort((a, b) => b.counts.rejected - a.counts.rejected || compareText(a.key, b.key))
        .slice(0, length),
  }
}

const joinCounts = (a: KeyCounts, b: KeyCounts): KeyCounts => ({
  passed: a.passed + b.passed,
  delayed: a.delayed + b.delayed,
  rejected: a.rejected + b.rejected,
})
