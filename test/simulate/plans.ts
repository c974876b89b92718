/** Small plans for the tests. */
import { keyParts } from '../../src/limits/key.ts'
import { parseRate } from '../../src/limits/rate.ts'
import type { VariablePlatform } from '../../src/nginx/variables.ts'
import type { Batch } from '../../src/simulate/core/batch.ts'
import { FIRST_TEXT } from '../../src/simulate/core/dictionary.ts'
import {
  COMMON_PLACES,
  type Place,
  type PlacedRow,
  type Plan,
  type SimulatedLimit,
} from '../../src/simulate/core/plan.ts'
import { printIpv4 } from '../../src/traffic/ipv4.ts'

export const PLATFORM: VariablePlatform = { nginxVersion: '1.31', plus: false, variables: [] }

/** One limit by its key. */
export type LimitText = {
  readonly key: string
  readonly rate?: string
  readonly burst?: number
  readonly zoneBytes?: number
}

function limitOf({ key, rate = '1r/s', burst = 0, zoneBytes = 2 ** 20 }: LimitText, index: number): SimulatedLimit {
  const parsed = parseRate(rate)
  if (!parsed) throw new Error(rate)
  return {
    policy: { namespace: 'shop', name: 'limits' },
    index,
    zone: `shop_rl_limits_rule${index}`,
    key,
    parts: keyParts(key),
    rateText: rate,
    rate: parsed.thousandths,
    burst,
    delay: 0,
    zoneBytes,
    expression: index,
  }
}

/** A place for each path; `limits` are positions. With `hop` the first limit stands before the others. */
export type PlaceText = {
  readonly path: string
  readonly limits: readonly number[]
  readonly dryRun?: boolean
  readonly hop?: boolean
}

/** A plan in which each limit has an expression of its own. */
export function planOf(limits: readonly LimitText[], places: readonly PlaceText[]): Plan {
  const all = limits.map(limitOf)
  const placed = places.map(({ path, limits: own, dryRun = false, hop = false }): Place => {
    const groups = hop ? [own.slice(0, 1), own.slice(1)] : [own]
    const route = { kind: 'HTTPRoute', namespace: 'shop', name: path }
    return { route, stages: groups.map((group) => ({ limits: group, dryRun })) }
  })
  const rows = places.map(
    ({ path }, index): PlacedRow => ({
      hostname: '',
      path: { type: 'PathPrefix', value: path },
      method: undefined,
      headers: [],
      query: [],
      route: index,
      rule: 0,
      redirects: false,
      place: COMMON_PLACES.length + index,
    }),
  )
  return {
    expressions: all.map(({ parts }) => parts),
    scenarios: [{ composition: 'stack', limits: all, places: [...COMMON_PLACES, ...placed], rows, forced: undefined }],
  }
}

/** Tells the texts of keys that batches of one reader carry. */
export function createKeyTexts(): (batch: Batch) => (expression: number, key: number) => string | undefined {
  let known: string[][] = []
  return (batch) => {
    if (batch.reset) known = []
    for (const [expression, texts] of batch.fresh.entries())
      known[expression] = [...(known[expression] ?? []), ...texts]
    return (expression, key) => {
      if (key < 0) return undefined
      return key < FIRST_TEXT ? printIpv4(key) : known[expression]?.[key - FIRST_TEXT]
    }
  }
}
