/** Shapes of traffic as people write them. */

import { counted } from '../text/plural.ts'
import type { ShapeName } from './shape.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `500ms`, `60s`, `5m` or `1h`, at least one; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text)
  const milliseconds = Math.round(Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN))
  return milliseconds >= 1 ? milliseconds : undefined
}

/** `20 clients at 5r/s for 60s, steady`; rate and duration as written. */
export function shapeTitle(clients: number, rate: string, duration: string, name: ShapeName): string {
  return `${counted(clients, 'client')} at ${rate} for ${duration}, ${name}`
}
