/**
 * Limits as nginx counts them: what happens to requests above the rate, and which of two limits is tighter. Source: nginx,
 * limit_req (the leaky bucket).
 */
import type { Rate } from '../limits/rate.ts'
import { countProblem } from './rejections.ts'

/** A value as read of an object: absent (`raw` is undefined), valid, or invalid (`value` is undefined). */
type Read<Value> = { readonly raw: unknown; readonly value: Value | undefined }

/** What decides, in a limit of any system, about the requests above its rate. */
type Throttle = { readonly burst: Read<number>; readonly delay: Read<number>; readonly noDelay: Read<boolean> }

/** A limit of any system without its key. */
type ReadLimit = Throttle & { readonly rate: Read<Rate> }

/** What a limit does with requests above its rate. */
type Queue = {
  /** Requests above the rate that are not rejected; 0 where there is no burst. */
  readonly burst: number
  /** How many of them are served without delay; undefined where the policy does not set it. */
  readonly delay: number | undefined
  readonly noDelay: boolean
}

/** Reads `burst`, `delay` and `noDelay` of a limit; undefined where one of them cannot be read. */
export function queueOf({ burst, delay, noDelay }: Throttle): Queue | undefined {
  if (!isCount(burst) || !isCount(delay) || (noDelay.raw !== undefined && noDelay.value === undefined)) return undefined
  return { burst: burst.value ?? 0, delay: delay.value, noDelay: noDelay.value ?? false }
}

const isCount = ({ raw, value }: Read<number>): boolean =>
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
function bucketOf(limit: ReadLimit): Bucket | undefined {
  const queue = queueOf(limit)
  const rate = limit.rate.value?.thousandths
  if (!queue || !rate) return undefined
  return { rate, burst: queue.burst, undelayed: queue.noDelay ? Number.POSITIVE_INFINITY : (queue.delay ?? 0) }
}

/**
 * True where the inner limit can never be reached: the requests that the outer limit passes, by the same key and at the
 * same moments, neither exceed nor delay the inner one, and the outer limit is the tighter of the two.
 */
export function shadows(outer: ReadLimit, inner: ReadLimit): boolean {
  const [a, b] = [bucketOf(outer), bucketOf(inner)]
  return a !== undefined && b !== undefined && covers(a, b) && (a.rate < b.rate || a.burst < b.burst)
}

/** True where the inner limit can never be reached, also where the two are alike. */
export function makesIdle(outer: ReadLimit, inner: ReadLimit): boolean {
  const [a, b] = [bucketOf(outer), bucketOf(inner)]
  return a !== undefined && b !== undefined && covers(a, b)
}

const covers = (a: Bucket, b: Bucket): boolean =>
  a.rate <= b.rate && a.burst <= b.burst && Math.min(a.undelayed, a.burst) <= b.undelayed

/** True where a limit passes no more requests than another one by the same key. */
export function isAtLeastAsTight(limit: ReadLimit, than: ReadLimit): boolean {
  const [a, b] = [bucketOf(limit), bucketOf(than)]
  return a !== undefined && b !== undefined && a.rate <= b.rate && a.burst <= b.burst
}

/** True where a limit has the lower rate, or the smaller burst at the same rate. One that nginx would reject never has. */
export function isTighter(limit: ReadLimit, than: ReadLimit): boolean {
  const [a, b] = [bucketOf(limit), bucketOf(than)]
  if (!a || !b) return a !== undefined
  return a.rate < b.rate || (a.rate === b.rate && a.burst < b.burst)
}
