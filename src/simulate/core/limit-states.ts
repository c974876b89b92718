/** The limits of a scenario at work; each begins when the first request reaches it. */
import { emptyTally, type LimitState } from './decision.ts'
import { FIRST_TEXT } from './dictionary.ts'
import type { KeyTable } from './key-table.ts'
import { keyLabel } from './keys.ts'
import type { Scenario } from './plan.ts'
import { createSlab } from './slab.ts'
import { createTop, type Top } from './top.ts'
import { createWaitHistogram } from './waits.ts'
import { createZoneState, type KeyCounts, visitKeys } from './zone-state.ts'

/** A limit that a request has reached, and the keys it has refused and forgotten since. */
export type UsedLimit = { readonly state: LimitState; readonly refused: Top<KeyCounts> }

export type LimitStates = {
  /** Undefined for limits that cannot be simulated. */
  state(limit: number): LimitState | undefined
  /** By their position; undefined where no request came. */
  used(limit: number): UsedLimit | undefined
  /** Names the numbers of all texts of an expression that zones remember. */
  nameKeys(expression: number, name: (number: number) => void): void
  /** Counts the keys that are still remembered: once, at the end. */
  close(): void
}

const join = (a: KeyCounts, b: KeyCounts): KeyCounts => ({
  passed: a.passed + b.passed,
  delayed: a.delayed + b.delayed,
  rejected: a.rejected + b.rejected,
})

/** `keys` holds a table for each expression; `pageSize` is the platform's memory page in bytes. */
export function createLimitStates({ limits }: Scenario, keys: readonly KeyTable[], pageSize: number): LimitStates {
  const used: (UsedLimit | undefined)[] = limits.map(() => undefined)
  const begin = (number: number): UsedLimit | undefined => {
    const limit = limits[number]
    const table = keys[limit?.expression ?? -1]
    if (!limit || !table) return undefined
    const refused = createTop<KeyCounts>({ weigh: ({ rejected }) => rejected, join })
    const zone = createZoneState({
      rate: limit.rate,
      keys: table,
      slab: createSlab({ bytes: limit.zoneBytes, name: limit.zone, pageSize }),
      onForget: (key, counts) => {
        if (counts.rejected > 0) refused.add(keyLabel(table.text(key)), counts)
      },
    })
    const [burst, delay] = [limit.burst * 1000, limit.delay * 1000]
    const state = { number, zone, burst, delay, tally: emptyTally(), waits: createWaitHistogram(), entry: 0, excess: 0 }
    return { state, refused }
  }
  return {
    state(number) {
      const known = used[number] ?? begin(number)
      used[number] = known
      return known?.state
    },
    used: (number) => used[number],
    nameKeys(expression, name) {
      for (const [number, limit] of used.entries())
        if (limit && limits[number]?.expression === expression) visitTexts(limit.state.zone, name)
    },
    close() {
      for (const limit of used) if (limit) visitKeys(limit.state.zone, limit.state.zone.onForget)
    },
  }
}

const visitTexts = (zone: LimitState['zone'], visit: (key: number) => void): void =>
  visitKeys(zone, (key) => {
    if (key >= FIRST_TEXT) visit(key)
  })
