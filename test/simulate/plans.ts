/** Small plans for the tests. */
import { keyParts } from '../../src/limits/key.ts'
import { parseRate } from '../../src/limits/rate.ts'
import type { VariablePlatform } from '../../src/nginx/variables.ts'
import type { Batch } from '../../src/simulate/core/batch.ts'
import { createKeyTable, type KeyTable, NO_KEY, parseIpv4 } from '../../src/simulate/core/keys.ts'
import { createTextPacker } from '../../src/simulate/core/packed-texts.ts'
import {
  COMMON_LOCATIONS,
  type LocationRow,
  type Plan,
  type PlannedLocation,
  type SimulatedLimit,
} from '../../src/simulate/core/plan.ts'

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
    zoneBytes,
    zoneMaxKeys: null,
    key,
    parts: keyParts(key),
    rate,
    requestsPerSecond: parsed.thousandths / 1000,
    thousandths: parsed.thousandths,
    burst,
    delay: null,
    noDelay: false,
    rejectCode: 503,
    dryRun: false,
    expression: index,
  }
}

/** A location for each path; `limits` are positions. With `hop` the first limit stands before the others; `header` is one that requests must have. */
export type LocationText = {
  readonly path: string
  readonly limits: readonly number[]
  readonly dryRun?: boolean
  readonly hop?: boolean
  readonly header?: string
}

/** A plan in which each limit has an expression of its own. */
export function planOf(limits: readonly LimitText[], locations: readonly LocationText[]): Plan {
  const all = limits.map(limitOf)
  const own = locations.map(({ path, limits: positions, dryRun = false, hop = false }): PlannedLocation => {
    const groups = hop ? [positions.slice(0, 1), positions.slice(1)] : [positions]
    const route = { kind: 'HTTPRoute', namespace: 'shop', name: path }
    return { route, stages: groups.map((group) => ({ limits: group, dryRun })) }
  })
  const rows = locations.map(
    ({ path, header }, index): LocationRow => ({
      hostname: '',
      path: { type: 'PathPrefix', value: path },
      method: undefined,
      headers: header === undefined ? [] : [{ name: header, type: 'RegularExpression', value: '.*' }],
      query: [],
      route: index,
      rule: 0,
      redirects: false,
      location: COMMON_LOCATIONS.length + index,
    }),
  )
  return {
    expressions: all.map(({ parts }) => parts),
    scenarios: [
      {
        composition: 'stack',
        limits: all,
        locations: [...COMMON_LOCATIONS, ...own],
        rows,
        ports: [],
        forced: undefined,
      },
    ],
  }
}

/** The number of a text in a table of keys: an IPv4 address has one of its own. */
export function numberOf(text: string, table: KeyTable): number {
  const address = parseIpv4(text)
  if (address !== undefined) return address >>> 0
  const packer = createTextPacker()
  packer.add(Buffer.from(text, 'latin1'))
  return table.numbers(packer.take())[0] ?? NO_KEY
}

/** Finds the texts of keys in the batches of one reader. */
export function createKeyTexts({
  expressions,
}: Plan): (batch: Batch) => (expression: number, key: number) => string | undefined {
  let tables = expressions.map(createKeyTable)
  return (batch) => {
    if (batch.reset) tables = expressions.map(createKeyTable)
    for (const [expression, texts] of batch.newTexts.entries()) tables[expression]?.numbers(texts)
    return (expression, key) => (key < 0 ? undefined : tables[expression]?.text(key))
  }
}
