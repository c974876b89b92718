/** Which of two limits by the same key is met first. Source: nginx, limit_req (the leaky bucket). */

import type { LimitView } from '../objects/policy.ts'
import type { PlacedLimit } from './level.ts'
import { queueOf } from './queue.ts'

/** A limit in comparable numbers. */
type Bucket = {
  /** Thousandths of a request per second. */
  readonly rate: number
  /** Requests. */
  readonly burst: number
  /** Requests that pass at once; Infinity where none ever waits. */
  readonly free: number
}

/** Undefined for what nginx would refuse. */
function bucketOf(limit: LimitView): Bucket | undefined {
  const queue = queueOf(limit)
  const rate = limit.rate.value?.thousandths
  if (!queue || !rate) return undefined
  const free = queue.noDelay ? Number.POSITIVE_INFINITY : (queue.delay ?? 0)
  return { rate, burst: queue.burst, free }
}

/**
 * True where the inner limit can never be met: whatever the outer one lets through, at the same moments and for the same key,
 * neither fills nor delays the inner one, and the outer one is the tighter of the two.
 */
export function shadows(outer: LimitView, inner: LimitView): boolean {
  const [a, b] = [bucketOf(outer), bucketOf(inner)]
  if (!a || !b || a.rate > b.rate || a.burst > b.burst) return false
  if (Math.min(a.free, a.burst) > b.free) return false
  return a.rate < b.rate || a.burst < b.burst
}

/** True where one limit lets through no more than another by the same key. */
export function isAtLeastAsTight(limit: LimitView, than: LimitView): boolean {
  const [a, b] = [bucketOf(limit), bucketOf(than)]
  return a !== undefined && b !== undefined && a.rate <= b.rate && a.burst <= b.burst
}

const tightest = new WeakMap<readonly PlacedLimit[], ReadonlyMap<string, PlacedLimit>>()

/** The limit with the lowest rate, then the smallest burst, for each key as nginx reads it; an empty key limits nobody. */
export function tightestByKey(limits: readonly PlacedLimit[]): ReadonlyMap<string, PlacedLimit> {
  const known = tightest.get(limits)
  if (known) return known
  const byKey = new Map<string, PlacedLimit>()
  for (const placed of limits) {
    const key = placed.limit.key.value?.unquoted
    const best = key && byKey.get(key)
    if (key && (!best || isLower(placed.limit, best.limit))) byKey.set(key, placed)
  }
  tightest.set(limits, byKey)
  return byKey
}

function isLower(limit: LimitView, than: LimitView): boolean {
  const [a, b] = [bucketOf(limit), bucketOf(than)]
  if (!a || !b) return a !== undefined
  return a.rate < b.rate || (a.rate === b.rate && a.burst < b.burst)
}
