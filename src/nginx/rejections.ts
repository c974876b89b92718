/**
 * What nginx refuses although the CRD accepts it, or accepts and then cannot do.
 * Source: nginx `limit_req_zone`, `limit_req`, `include`; measured on 1.22.1 and 1.31.3.
 */
import { parseRate, rateOverflows } from '../limits/rate.ts'
import type { Size } from '../limits/size.ts'
import { memoise } from '../text/memo.ts'
import { readParameter } from './parameter.ts'

/** Memory pages that a zone takes at least. */
export const SMALLEST_ZONE_PAGES = 8

/** `unit`: `invalid zone size`, nginx knows k and m only. `too-small`: fewer than eight pages. */
export type ZoneSizeProblem = 'unit' | 'too-small'

/** Why nginx refuses a zone of this size; `pageSize` is the platform's memory page in bytes. */
export function zoneSizeProblem(size: Size, pageSize: number): ZoneSizeProblem | undefined {
  if (size.unit === 'g') return 'unit'
  return size.bytes < smallestZone(pageSize) ? 'too-small' : undefined
}

/** Bytes of the smallest zone: 32 KiB on pages of 4 KiB. */
export const smallestZone = (pageSize: number): number => SMALLEST_ZONE_PAGES * pageSize

/**
 * - `too-long`: leading zeros beyond nginx's parameter buffer;
 * - `zero`: `invalid rate`, nothing could ever pass;
 * - `too-large`: `invalid rate`, over 9223372036854775807;
 * - `overflow`: accepted, but the rate times 1000 wraps around: it limits to something else, or to nothing.
 * - `crash`: accepted, but it wraps around to 0, by which a worker divides when it delays the first request.
 */
export type RateProblem = 'too-long' | 'zero' | 'too-large' | 'overflow' | 'crash'

const LARGEST_INTEGER = 2n ** 63n - 1n

/** Why nginx cannot limit by a rate as written (`10r/s`), last in its directive; undefined also for what is no rate. */
export const rateProblem = memoise((written: string): RateProblem | undefined => {
  if (!readParameter(`rate=${written}`, ';').ok) return 'too-long'
  const rate = parseRate(written)
  if (!rate.ok) return undefined
  if (rate.value.digits === '0') return 'zero'
  if (!rateOverflows(rate.value)) return undefined
  const count = BigInt(rate.value.digits)
  if (count > LARGEST_INTEGER) return 'too-large'
  return wrapped(count * 1000n) / (rate.value.unit === 'm' ? 60n : 1n) === 0n ? 'crash' : 'overflow'
})

/** A number as nginx's signed 64-bit arithmetic keeps it. */
const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value)

/** The largest `burst` and `delay` of the CRD (int32). nginx itself takes 2^63-1, and keeps it times 1000 in 64 bits. */
export const LARGEST_COUNT = 2 ** 31 - 1

/** Why a `burst` or `delay` cannot be kept. 0 has no problem: it is rendered as nothing at all. */
export function countProblem(value: number): 'negative' | 'fraction' | 'too-large' | undefined {
  if (value < 0) return 'negative'
  if (!Number.isInteger(value)) return 'fraction'
  return value > LARGEST_COUNT ? 'too-large' : undefined
}

/**
 * The parameters of `limit_req` behind the zone, as they must be written for nginx to take them: a `burst` or `delay`
 * of 0 is `invalid`, and no `delay=` already means that every excess request waits; `nodelay` excludes `delay=`.
 */
export function limitParameters(limit: {
  readonly burst?: number | undefined
  readonly delay?: number | undefined
  readonly noDelay?: boolean | undefined
}): readonly string[] {
  const burst = limit.burst ? [`burst=${limit.burst}`] : []
  if (limit.noDelay) return [...burst, 'nodelay']
  return limit.delay ? [...burst, `delay=${limit.delay}`] : burst
}

/** Bytes of a file's name that file systems take; a longer one in `include` fails with "File name too long". */
export const LONGEST_FILE_NAME = 255
