/**
 * Limits as nginx counts them: what happens to requests above the rate, and which of two limits is tighter. Source:
 * specification of RateLimitPolicy (rule object); nginx, limit_req (the leaky bucket).
 */

import type { Member } from '../../json/member.ts'
import { countProblem } from '../../nginx/rejections.ts'
import { cachedBy } from '../../world/cache.ts'
import type { LimitView } from '../objects/policy.ts'
import type { PlacedLimit } from './level.ts'

/** What a limit does with requests above its rate. */
type Queue = {
  /** Requests above the rate that are not rejected; 0 where there is no burst. */
  readonly burst: number
  /** How many of them are served without delay; undefined where the policy does not set it. */
  readonly delay: number | undefined
  readonly noDelay: boolean
}

/** Reads `burst`, `delay` and `noDelay` of a limit; undefined where one of them cannot be read. */
export function queueOf({ burst, delay, noDelay }: LimitView): Queue | undefined {
  if (!isCount(burst) || !isCount(delay) || (noDelay.raw !== undefined && noDelay.value === undefined)) return undefined
  return { burst: burst.value ?? 0, delay: delay.value, noDelay: noDelay.value ?? false }
}

const isCount = ({ raw, value }: Member<number>): boolean =>
  raw === undefined || (value !== undefined && countProblem(value) === undefined)

/** How many requests can be delayed at the same time. */
export function waiting({ burst, delay = 0, noDelay }: Queue): number {
  return noDelay ? 0 : Math.max(0, burst - delay)
}

/** A limit in comparable numbers. */
type Bucket = {
  /** Thousandths of a request per second. */
  readonly rate: number
  /** Requests. */
  readonly burst: number
  /** Requests that are served without delay; Infinity where none is ever delayed. */
  readonly undelayed: number
}

/** Undefined for a limit that nginx would reject. */
function bucketOf(limit: LimitView): Bucket | undefined {
  const queue = queueOf(limit)
  const rate = limit.rate.value?.thousandths
  if (!queue || !rate) return undefined
  return { rate, burst: queue.burst, undelayed: queue.noDelay ? Number.POSITIVE_INFINITY : (queue.delay ?? 0) }
}

/**
 * True where the inner limit can never be reached: the requests that the outer limit passes, by the same key and at the
 * same moments, neither exceed nor delay the inner one, and the outer limit is the tighter of the two.
 */
export function shadows(outer: LimitView, inner: LimitView): boolean {
  const [a, b] = [bucketOf(outer), bucketOf(inner)]
  if (!a || !b || a.rate > b.rate || a.burst > b.burst) return false
  if (Math.min(a.undelayed, a.burst) > b.undelayed) return false
  return a.rate < b.rate || a.burst < b.burst
}

/** True where a limit passes no more requests than another one by the same key. */
export function isAtLeastAsTight(limit: LimitView, than: LimitView): boolean {
  const [a, b] = [bucketOf(limit), bucketOf(than)]
  return a !== undefined && b !== undefined && a.rate <= b.rate && a.burst <= b.burst
}

/** The limit with the lowest rate, then the smallest burst, by key as nginx reads it. Limits with an empty key are left out. */
export const tightestByKey = cachedBy((limits: readonly PlacedLimit[]): ReadonlyMap<string, PlacedLimit> => {
  const byKey = new Map<string, PlacedLimit>()
  for (const placed of limits) {
    const key = placed.limit.key.value?.unquoted
    const best = key && byKey.get(key)
    if (key && (!best || isLower(placed.limit, best.limit))) byKey.set(key, placed)
  }
  return byKey
})

function isLower(limit: LimitView, than: LimitView): boolean {
  const [a, b] = [bucketOf(limit), bucketOf(than)]
  if (!a || !b) return a !== undefined
  return a.rate < b.rate || (a.rate === b.rate && a.burst < b.burst)
}
