/** Rates: `10r/s`, `30r/m`. Source: specification of RateLimitPolicy (rule object), nginx `limit_req_zone`. */

/** A rate, as a policy writes it and as nginx counts it. */
export type Rate = {
  /** The count in digits, without leading zeros: it may be too large for a number. */
  readonly digits: string
  readonly unit: 's' | 'm'
  /**
   * Thousandths of a request per second, the integer that nginx keeps: `n*1000` or `floor(n*1000/60)`.
   * Exact up to 2^53, rounded above.
   */
  readonly thousandths: number
}

/** With a larger count nginx, which multiplies it by 1000, overflows. */
const LARGEST_RATE_PER_SECOND = 9_223_372_036_854_775n

const RATE = /^(\d+)r\/([sm])$/

/** Reads a rate as the CRD's schema accepts it: `^\d+r/[sm]$`. Undefined for anything else. */
export function parseRate(text: string): Rate | undefined {
  const match = RATE.exec(text)
  if (!match) return undefined
  const digits = (match[1] ?? '').replace(/^0+(?=\d)/, '')
  const unit = match[2] === 'm' ? 'm' : 's'
  return { digits, unit, thousandths: toThousandths(digits, unit) }
}

function toThousandths(digits: string, unit: 's' | 'm'): number {
  if (digits.length < 13) return Math.floor((Number(digits) * 1000) / (unit === 'm' ? 60 : 1))
  if (digits.length > 20) return (Number(digits) * 1000) / (unit === 'm' ? 60 : 1)
  return Number((BigInt(digits) * 1000n) / (unit === 'm' ? 60n : 1n))
}

/** Whether the rate times 1000 overflows nginx's signed 64-bit arithmetic. Compares lengths first: digits may be many. */
export function rateOverflows({ digits }: Rate): boolean {
  return digits.length > 16 || (digits.length === 16 && BigInt(digits) > LARGEST_RATE_PER_SECOND)
}

/** Seconds between two requests at exactly this rate; Infinity for a rate of 0. */
export const secondsPerRequest = ({ thousandths }: Rate): number => 1000 / thousandths

const LOOSE_RATE =
  /^\s*(\d{1,15})(?:\s*(?:r|reqs?|requests?))?\s*(?:\/|per\s)\s*(?:1\s?)?(s|secs?|seconds?|m|mins?|minutes?)\s*$/i
const SHORT_RATE = /^\s*(\d{1,15})\s*(?:r|req)p([sm])\s*$/i

/** The rate that a misspelt string certainly means (`10R/S`, `10 r/s`, `10r/sec`, `10rps`); undefined in doubt. */
export function repairRate(text: string): string | undefined {
  const match = LOOSE_RATE.exec(text) ?? SHORT_RATE.exec(text)
  const digits = match?.[1]?.replace(/^0+/, '')
  return digits ? `${digits}r/${match?.[2]?.charAt(0).toLowerCase()}` : undefined
}

/** What is wrong with a string that is not a valid rate. */
type RateFault =
  /** It certainly means the rate `meant`. */
  | { readonly type: 'misspelt'; readonly meant: string }
  /** A fraction of a request per second; `meant` is the same rate per minute. */
  | { readonly type: 'fraction'; readonly meant: string }
  /** A count without a unit of time. */
  | { readonly type: 'unitless'; readonly count: string }
  /** Per hour, per day, per ten seconds … */
  | { readonly type: 'period' }
  | { readonly type: 'unclear' }

const FRACTION = /^\s*(\d{1,9}\.\d{1,2})(?:\s*r)?\s*\/\s*s\s*$/i
const UNITLESS = /^\s*(\d{1,15})(?:\s*r)?\/?\s*$/i
const OTHER_PERIOD = /^\s*\d{1,15}(?:\s*r)?\s*\/\s*(?:h|hr|hours?|d|days?|w|weeks?|ms|\d{1,9}\s?[smh])\s*$/i

/** Why a string is not a valid rate. Expects a string that {@link parseRate} does not accept. */
export function rateFault(text: string): RateFault {
  const meant = repairRate(text)
  if (meant !== undefined) return { type: 'misspelt', meant }
  const exact = perMinute(text)
  if (exact !== undefined) return { type: 'fraction', meant: exact }
  const count = UNITLESS.exec(text)?.[1]
  if (count !== undefined) return { type: 'unitless', count }
  return { type: OTHER_PERIOD.test(text) ? 'period' : 'unclear' }
}

/** A fractional rate per minute (`0.5r/s` is `30r/m`); undefined where that is not an integer either. */
function perMinute(text: string): string | undefined {
  const hundredths = Math.round(Number(FRACTION.exec(text)?.[1] ?? 0) * 100)
  const count = (hundredths * 60) / 100
  return count > 0 && Number.isInteger(count) ? `${count}r/m` : undefined
}

/** Units of time, their length in seconds, and from how many seconds they are used. */
const TIMES = [
  { unit: 'days', seconds: 86_400, from: 172_800, decimals: 1 },
  { unit: 'hours', seconds: 3600, from: 7200, decimals: 1 },
  { unit: 'minutes', seconds: 60, from: 120, decimals: 1 },
  { unit: 's', seconds: 1, from: 1, decimals: 3 },
  { unit: 'ms', seconds: 0.001, from: 0, decimals: 3 },
] as const

/** Formats seconds in a suitable unit: `62.5 s`, `600.24 ms`, `2.5 hours`. */
export function describeSeconds(time: number): string {
  const { unit, seconds, decimals } = TIMES.find(({ from }) => time >= from) ?? TIMES[3]
  return `${Number((time / seconds).toFixed(decimals))} ${unit}`
}

/** Prints a rate in its shortest form. */
export const printRate = ({ digits, unit }: Rate): string => `${digits}r/${unit}`
