/** The units of the form. The API counts per second, in whole megabytes: every other unit is converted exactly, or refused. */

/** Seconds of each unit of a limit. */
export const LIMIT_UNITS = { 'per second': 1, 'per minute': 60, 'per hour': 3_600, 'per day': 86_400 } as const
export type LimitUnit = keyof typeof LIMIT_UNITS

/** Kibibytes of each unit of a zone. */
export const ZONE_UNITS = { K: 1, M: 1_024, G: 1_048_576 } as const
export type ZoneUnit = keyof typeof ZONE_UNITS

/** A value of the API, or why there is none. */
export type Converted =
  | { readonly value: string; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }

/** However large: the rules say what is too large. */
const isWhole = (text: string): boolean => /^[0-9]+$/.test(text)

/** The rate of a limit, such as `5r/s`. */
export function toRate(limit: string, unit: LimitUnit): Converted {
  if (!isWhole(limit)) return { problem: 'Write a whole number of requests, such as 10.' }
  if (unit === 'per second') return { value: `${limit}r/s` }
  const seconds = LIMIT_UNITS[unit]
  const [below, rest] = divided(limit, seconds)
  if (rest === 0n) return { value: `${below}r/s` }
  const near = nearest(below, (count) => `${count * BigInt(seconds)} ${unit} (${count} per second)`)
  return { problem: `The API counts per second, and ${limit} ${unit} is no whole number of that. Write ${near}.` }
}

/** The size of a zone, such as `10M`. */
export function toZoneSize(size: string, unit: ZoneUnit): Converted {
  if (!isWhole(size)) return { problem: 'Write a whole number, such as 10.' }
  if (unit === 'M') return { value: `${size}M` }
  if (unit === 'G') return { value: `${BigInt(size) * 1_024n}M` }
  const [below, rest] = divided(size, ZONE_UNITS.M)
  if (rest === 0n) return { value: `${below}M` }
  const near = nearest(below, (count) => `${count * BigInt(ZONE_UNITS.M)} K (${count}M)`)
  return { problem: `The API takes whole megabytes, and ${size} K is no whole number of these. Write ${near}.` }
}

const divided = (text: string, by: number): readonly [bigint, bigint] => [
  BigInt(text) / BigInt(by),
  BigInt(text) % BigInt(by),
]

/** The numbers on both sides of what is between `below` and the next one; none below one. */
const nearest = (below: bigint, say: (count: bigint) => string): string =>
  below === 0n ? say(1n) : `${say(below)} or ${say(below + 1n)}`
