/** The fields of made-up clients: what they may hold, and the traffic that they describe. */
import type { ShapeTraffic } from '../../browser.ts'

type ShapeName = NonNullable<ShapeTraffic['shape']>

/** What each shape is like. */
export const SHAPES: Readonly<Record<ShapeName, string>> = {
  steady: 'equal intervals, one client after the other',
  poisson: 'at random times, as real crowds do',
  burst: 'many requests at once, then a pause',
  ramp: 'from nothing to the full rate at the end',
}

export const isShape = (text: string): text is ShapeName => Object.hasOwn(SHAPES, text)

/** The units of a rate, as nginx knows them, and their seconds. */
export const RATE_UNITS = { 'r/s': 1, 'r/m': 60 } as const
type RateUnit = keyof typeof RATE_UNITS

export const isRateUnit = (text: string): text is RateUnit => Object.hasOwn(RATE_UNITS, text)

/** A whole number that the user sets. */
export type NumberField = {
  readonly name: 'clients' | 'rate' | 'seconds' | 'period' | 'seed'
  readonly label: string
  readonly least: number
  readonly most: number
  /** What the number counts, shown behind it. */
  readonly unit?: string
  /** The values at which the slider stops; without them there is none. */
  readonly stops?: readonly number[]
}

/** 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20 … up to `most`: steps that look equal on a logarithmic scale. */
function stopsUpTo(most: number): readonly number[] {
  const stops: number[] = []
  for (let power = 1; power <= most; power *= 10)
    for (const factor of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]) {
      const stop = factor * power
      if (stop <= most && Number.isInteger(stop)) stops.push(stop)
    }
  return stops
}

export const NUMBERS: readonly NumberField[] = [
  { name: 'clients', label: 'Clients', least: 1, most: 100_000, stops: stopsUpTo(10_000) },
  { name: 'rate', label: 'Rate', least: 1, most: 100_000, stops: stopsUpTo(1000) },
  { name: 'seconds', label: 'Time', least: 1, most: 86_400, unit: 'seconds', stops: stopsUpTo(3000) },
  { name: 'period', label: 'Burst every', least: 1, most: 86_400, unit: 'seconds', stops: stopsUpTo(300) },
  { name: 'seed', label: 'Seed', least: 0, most: 2 ** 32 - 1 },
]

/** The fields as they stand on the page; numbers as they were typed. */
export type TrafficFields = Readonly<Record<NumberField['name'], string>> & {
  readonly unit: RateUnit
  readonly shape: ShapeName
  readonly path: string
  readonly host: string
  readonly method: string
}

export const FIRST_FIELDS: TrafficFields = {
  clients: '20',
  rate: '5',
  unit: 'r/s',
  shape: 'steady',
  seconds: '60',
  period: '10',
  seed: '1',
  path: '',
  host: '',
  method: '',
}

/** What is wrong with a number, in a sentence; undefined where nothing is. */
export function numberProblem({ label, least, most }: NumberField, text: string): string | undefined {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return undefined
  return `${label} must be a whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}.`
}

/** More would take longer than one waits for while a slider moves. */
const MOST_REQUESTS = 5_000_000

/** True for a field that the shape uses. */
export const isUsed = ({ name }: NumberField, shape: ShapeName): boolean => name !== 'period' || shape === 'burst'

/** The traffic of the fields, or what is wrong with them as a whole; undefined while a number is wrong. */
export function trafficOf(fields: TrafficFields): ShapeTraffic | { readonly problem: string } | undefined {
  const wrong = NUMBERS.some((field) => isUsed(field, fields.shape) && numberProblem(field, fields[field.name]))
  if (wrong) return undefined
  const { clients, rate, unit, shape, seconds, period, seed } = fields
  const requests = (Number(clients) * Number(rate) * Number(seconds)) / RATE_UNITS[unit]
  if (requests > MOST_REQUESTS) {
    const shown = Math.round(requests).toLocaleString('en')
    return { problem: `These are ${shown} requests; the page simulates up to 5 million. Lower clients, rate or time.` }
  }
  return {
    clients: Number(clients),
    rate: `${rate}${unit}`,
    for: `${seconds}s`,
    shape,
    seed: Number(seed),
    ...(shape === 'burst' ? { burstEvery: `${period}s` } : {}),
    ...given('path', fields.path),
    ...given('host', fields.host),
    ...given('method', fields.method),
  }
}

const given = (name: 'path' | 'host' | 'method', text: string) => (text.trim() === '' ? {} : { [name]: text.trim() })
