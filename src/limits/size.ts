/** Zone sizes: `10m`, `512k`. Source: specification of RateLimitPolicy (`zoneSize`), nginx `ngx_parse_size`. */

/** A zone size as written and in bytes. */
export type Size = {
  readonly count: number
  /** Empty for bytes. */
  readonly unit: '' | 'k' | 'm' | 'g'
  readonly bytes: number
}

const BYTES = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const

/** The size of a zone whose limit has no `zoneSize`. */
export const DEFAULT_ZONE_SIZE: Size = { count: 10, unit: 'm', bytes: 10 * BYTES.m }

const SIZE = /^(\d{1,4})([kmg]?)$/

/** Reads a size as the CRD's schema accepts it: `^\d{1,4}(k|m|g)?$`. Undefined for anything else. */
export function parseSize(text: string): Size | undefined {
  const [, digits, letter] = SIZE.exec(text) ?? []
  if (digits === undefined) return undefined
  const count = Number(digits)
  const unit = toUnit(letter) ?? ''
  return { count, unit, bytes: count * BYTES[unit] }
}

const toUnit = (letter: string | undefined) => (['k', 'm', 'g'] as const).find((unit) => unit === letter)

const LOOSE_SIZE = /^\s*(\d{1,15})\s*([kmg])(?:i?b|i)?\s*$/i

/** The size that a misspelt string certainly means (`10M` is `10m`, and so is `10240k`); undefined in doubt. */
export function repairSize(text: string): string | undefined {
  const [, digits, letter] = LOOSE_SIZE.exec(text) ?? []
  const unit = toUnit(letter?.toLowerCase())
  if (!unit) return undefined
  const count = Number(digits)
  return unit !== 'g' && count > 0 && count <= 9999 ? `${count}${unit}` : fitFourDigits(count * BYTES[unit])
}

const MEGABYTES = /^(\d+)M$/

/** Reads a size as the API management policy writes it: a number and `M`. Undefined for anything else. */
export function parseMegabytes(text: string): Size | undefined {
  const digits = MEGABYTES.exec(text)?.[1]
  if (digits === undefined) return undefined
  const count = Number(digits)
  return { count, unit: 'm', bytes: count * BYTES.m }
}

/** The whole megabytes that a misspelt size certainly means, as {@link parseMegabytes} reads it (`10m` is `10M`); undefined in doubt. */
export function repairMegabytes(text: string): string | undefined {
  const [, digits, letter] = LOOSE_SIZE.exec(text) ?? []
  const unit = toUnit(letter?.toLowerCase())
  const count = unit && (Number(digits) * BYTES[unit]) / BYTES.m
  return count && Number.isSafeInteger(count) ? `${count}M` : undefined
}

/** Bytes in a unit of nginx (m, then k) with at most four digits; undefined where that is impossible. */
export function fitFourDigits(bytes: number): string | undefined {
  for (const unit of ['m', 'k'] as const) {
    const count = bytes / BYTES[unit]
    if (Number.isInteger(count) && count > 0 && count <= 9999) return `${count}${unit}`
  }
  return undefined
}

/** Formats bytes in a suitable unit: `10 MiB`, `1.5 GiB`. */
export function describeBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let index = 0
  while (value >= 1024 && index < units.length - 1) {
    value /= 1024
    index += 1
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[index]}`
}
