/**
 * The bucket under a clock that is only nearly known. nginx decides by a coarse clock, which moves in ticks of some
 * milliseconds, and writes the exact one into its log: whoever has the log knows the moment of a decision to a tick.
 */
import type { Limit, Outcome } from './bucket.ts'

/** What becomes of a request, whether in a dry run or not. */
export type Plain = 'PASSED' | 'DELAYED' | 'REJECTED'

export type Bounds = {
  /** What can become of a request that is logged to have come at `time`, in milliseconds. */
  possible(limits: readonly Limit[], keys: readonly string[], time: number): ReadonlySet<Plain>
  /** Accounts what has become of it. */
  account(limits: readonly Limit[], keys: readonly string[], time: number, outcome: Plain): void
}

export const plain = (outcome: Outcome): Plain =>
  outcome.startsWith('REJECTED') ? 'REJECTED' : outcome.startsWith('DELAYED') ? 'DELAYED' : 'PASSED'

/** Thousandths of a request that a key's bucket would hold at time 0, had nothing ever run dry: the least and the most. */
type Level = { readonly least: number; readonly most: number }

/** Each step rounds down once: so many thousandths at most. */
const ROUNDING = 1

/** Bounds for a clock of decisions that is up to `slack` milliseconds behind the one that is logged. */
export function createBounds(slack: number): Bounds {
  const levels = new Map<string, Level>()
  const nameOf = ({ zone }: Limit, key: string): string => `${zone.name} ${key}`
  const met = (limits: readonly Limit[], keys: readonly string[]) =>
    limits.flatMap((limit, index) => {
      const key = keys[index] ?? ''
      return key === '' ? [] : [{ limit, name: nameOf(limit, key), level: levels.get(nameOf(limit, key)) }]
    })
  return {
    possible(limits, keys, time) {
      const all = met(limits, keys).map(({ limit, level }) => ({ limit, excess: excessAt(level, limit, time, slack) }))
      const outcomes = new Set<Plain>()
      if (all.some(({ limit, excess }) => excess.most > limit.burst)) outcomes.add('REJECTED')
      if (all.some(({ limit, excess }) => excess.least > limit.burst)) return outcomes
      if (all.every(({ limit, excess }) => waitFor(excess.least, limit) === 0)) outcomes.add('PASSED')
      if (all.some(({ limit, excess }) => waitFor(excess.most, limit) > 0)) outcomes.add('DELAYED')
      return outcomes
    },
    account(limits, keys, time, outcome) {
      if (outcome === 'REJECTED') return
      for (const { limit, name, level } of met(limits, keys)) levels.set(name, filled(level, limit, time, slack))
    },
  }
}

const drained = ({ zone }: Limit, time: number): number => (zone.rate * time) / 1000

function excessAt(level: Level | undefined, limit: Limit, time: number, slack: number): Level {
  if (!level) return { least: 0, most: 0 }
  return {
    least: Math.max(0, level.least - drained(limit, time) + 1000),
    most: Math.max(0, level.most - drained(limit, time - slack) + 1000 + ROUNDING),
  }
}

function filled(level: Level | undefined, limit: Limit, time: number, slack: number): Level {
  const [early, late] = [drained(limit, time - slack), drained(limit, time)]
  if (!level) return { least: early, most: late }
  return { least: Math.max(level.least + 1000, early), most: Math.max(level.most + 1000 + ROUNDING, late) }
}

const waitFor = (excess: number, limit: Limit): number =>
  Math.floor((Math.max(0, excess - limit.delay) * 1000) / limit.zone.rate)
