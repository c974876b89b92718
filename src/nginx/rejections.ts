/**
 * Values that the CRD accepts and nginx rejects when it reads its configuration, or accepts but cannot use. Source:
 * nginx, limit_req_zone, limit_req, include; measured on 1.22.1 and 1.31.3.
 */
import { parseRate, rateOverflows } from '../limits/rate.ts'
import type { Size } from '../limits/size.ts'
import { memoise } from '../text/memo.ts'
import { readParameter } from './parameter.ts'

/** Memory pages of the smallest zone. */
const SMALLEST_ZONE_PAGES = 8

/** `unit`: nginx knows only k and m ("invalid zone size"). `too-small`: fewer than eight pages. */
type ZoneSizeProblem = 'unit' | 'too-small'

/** Why nginx rejects a zone of this size; undefined where it accepts it. `pageSize` is the platform's memory page in bytes. */
export function zoneSizeProblem(size: Size, pageSize: number): ZoneSizeProblem | undefined {
  if (size.unit === 'g') return 'unit'
  return size.bytes < smallestZone(pageSize) ? 'too-small' : undefined
}

/** Bytes of the smallest zone: 32 KiB on pages of 4 KiB. */
export const smallestZone = (pageSize: number): number => SMALLEST_ZONE_PAGES * pageSize

/**
 * - `too-long`: leading zeros that exceed nginx's parameter buffer;
 * - `zero`: "invalid rate";
 * - `too-large`: "invalid rate", over 9223372036854775807;
 * - `overflow`: accepted, but the rate times 1000 overflows, so that nginx limits by another rate, or not at all;
 * - `crash`: accepted, but the rate times 1000 overflows to 0: a worker that delays a request divides by it and crashes.
 */
type RateProblem = 'too-long' | 'zero' | 'too-large' | 'overflow' | 'crash'

const LARGEST_INTEGER = 2n ** 63n - 1n

/** Why nginx cannot limit by a rate, as written (`10r/s`) at the end of its directive; undefined also for an invalid rate. */
export const rateProblem = memoise((written: string): RateProblem | undefined => {
  const read = readParameter(`rate=${written}`, ';')
  if (!read.ok && read.problem === 'too-long') return 'too-long'
  const rate = parseRate(written)
  if (!rate) return undefined
  if (rate.digits === '0') return 'zero'
  if (!rateOverflows(rate)) return undefined
  const count = BigInt(rate.digits)
  if (count > LARGEST_INTEGER) return 'too-large'
  return wrapped(count * 1000n) / (rate.unit === 'm' ? 60n : 1n) === 0n ? 'crash' : 'overflow'
})

/** A number in nginx's signed 64-bit arithmetic. */
const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value)

/** The largest `burst` and `delay` of the CRD (int32), in requests. nginx itself accepts 2^63-1, and stores it times 1000 in 64 bits. */
export const LARGEST_COUNT = 2 ** 31 - 1

/** Why a `burst` or `delay` is not valid; undefined where it is. 0 is valid: no parameter is rendered for it. */
export function countProblem(value: number): 'negative' | 'fraction' | 'too-large' | undefined {
  if (value < 0) return 'negative'
  if (!Number.isInteger(value)) return 'fraction'
  return value > LARGEST_COUNT ? 'too-large' : undefined
}

/**
 * The parameters of `limit_req` after the zone, as nginx accepts them: it rejects a `burst` or `delay` of 0, and
 * `nodelay` together with `delay=`. Without either of these two, all excess requests are delayed.
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

/** Bytes of the longest file name on common file systems; a longer one in `include` fails with "File name too long". */
export const LONGEST_FILE_NAME = 255
