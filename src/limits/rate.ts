/** Rates: `10r/s`, `30r/m`. Source: seed 000 (rule object), nginx `limit_req_zone`. */
import { type Parsed, refused, understood } from './parsed.ts'

/** A rate as a policy writes it and as nginx counts it. */
export type Rate = {
  /** The count without leading zeros, as digits: it may exceed what a number holds. */
  readonly digits: string
  readonly unit: 's' | 'm'
  /**
   * What nginx keeps: integer thousandths of a request per second, `n*1000` or `floor(n*1000/60)`.
   * Exact up to 2^53; above it only its size matters.
   */
  readonly thousandths: number
}

/** `1r/s` and above: over this many requests per second the arithmetic of nginx overflows. */
export const LARGEST_RATE_PER_SECOND = 9_223_372_036_854_775n

const RATE = /^(\d+)r\/([sm])$/

/** Reads a rate as the CRD's schema accepts it: `^\d+r/[sm]$`. */
export function parseRate(text: string): Parsed<Rate, 'syntax'> {
  const match = RATE.exec(text)
  if (!match) return refused('syntax')
  const digits = (match[1] ?? '').replace(/^0+(?=\d)/, '')
  const unit = match[2] === 'm' ? 'm' : 's'
  return understood({ digits, unit, thousandths: toThousandths(digits, unit) })
}

function toThousandths(digits: string, unit: 's' | 'm'): number {
  if (digits.length < 13) return Math.floor((Number(digits) * 1000) / (unit === 'm' ? 60 : 1))
  return Number((BigInt(digits) * 1000n) / (unit === 'm' ? 60n : 1n))
}

/** True when the rate times 1000 no longer fits nginx's signed 64-bit arithmetic. */
export function rateOverflows({ digits }: Rate): boolean {
  return digits.length > 15 && BigInt(digits) > LARGEST_RATE_PER_SECOND
}

/** Seconds between two requests at exactly this rate; Infinity for a rate of nothing. */
export const secondsPerRequest = ({ thousandths }: Rate): number => 1000 / thousandths

const LOOSE_RATE =
  /^\s*(\d{1,15})\s*(?:r|req|reqs|request|requests)?\s*(?:\/|p(?:er)?\s*)\s*(s|sec|secs|second|seconds|m|min|mins|minute|minutes)\s*$/i

/** The rate that a misspelt text certainly means (`10R/S`, `10 r/s`, `10r/sec`), or undefined where a reader could doubt. */
export function repairRate(text: string): string | undefined {
  const match = LOOSE_RATE.exec(text)
  if (!match) return undefined
  return `${match[1]}r/${(match[2] ?? 's').charAt(0).toLowerCase()}`
}

/** Prints a rate in its shortest form. */
export const printRate = ({ digits, unit }: Rate): string => `${digits}r/${unit}`
