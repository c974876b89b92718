/** The tightest limit of each key. */
import { isTighter } from '../../nginx/bucket.ts'
import type { PlacedLimit } from '../objects/policy.ts'

/** The limit with the lowest rate, then the smallest burst, by key as nginx reads it. Limits with an empty key are left out. */
export function tightestByKey(limits: readonly PlacedLimit[]): ReadonlyMap<string, PlacedLimit> {
  const byKey = new Map<string, PlacedLimit>()
  for (const placed of limits) {
    const key = placed.limit.key.value?.unquoted
    const best = key && byKey.get(key)
    if (key && (!best || isTighter(placed.limit, best.limit))) byKey.set(key, placed)
  }
  return byKey
}
