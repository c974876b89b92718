/** Two versions on the same traffic, request by request. */

import type { ChangedKey, Comparison } from '../report/report.ts'
import { REJECTED } from './decision.ts'
import type { KeyTable } from './key-table.ts'
import { keyLabel } from './keys.ts'
import type { Scenario } from './plan.ts'
import type { Settled } from './scenario-run.ts'
import { createTop, type Top } from './top.ts'

export type Comparer = {
  /** Scenario 0 is the new version, 1 the old one. */
  add(scenario: number, settled: Settled, keys: readonly KeyTable[]): void
  /** The outcome, with so many keys each. */
  summary(length: number): Pick<Comparison, 'newlyRefused' | 'noLongerRefused'>
}

/** Who refused a request; undefined where nobody did. */
type Refusal = { readonly limit: number; readonly key: string } | undefined

/** Requests by limit and key: the key of the list is `LIMIT KEY`. */
type Changes = { requests: number; readonly keys: Top<number> }

export function createComparer([now, before]: readonly Scenario[]): Comparer {
  /** What one version said of requests of which the other has not spoken yet. */
  const open = new Map<number, { readonly scenario: number; readonly refusal: Refusal }>()
  const newly = noChanges()
  const noLonger = noChanges()
  return {
    add(scenario, settled, keys) {
      const limits = (scenario === 0 ? now : before)?.limits ?? []
      const refusal = refusalOf(settled, keys, limits)
      const other = open.get(settled.request)
      if (!other || other.scenario === scenario) {
        open.set(settled.request, { scenario, refusal })
        return
      }
      open.delete(settled.request)
      const [current, former] = scenario === 0 ? [refusal, other.refusal] : [other.refusal, refusal]
      if (current && !former) count(newly, current)
      if (former && !current) count(noLonger, former)
    },
    summary: (length) => ({
      newlyRefused: summaryOf(newly, now, length),
      noLongerRefused: summaryOf(noLonger, before, length),
    }),
  }
}

const noChanges = (): Changes => ({
  requests: 0,
  keys: createTop<number>({ weigh: (requests) => requests, join: (a, b) => a + b }),
})

function refusalOf({ outcome, limit, key }: Settled, keys: readonly KeyTable[], limits: Scenario['limits']): Refusal {
  if (outcome !== REJECTED || !limit) return undefined
  const expression = limits[limit.number]?.expression
  return { limit: limit.number, key: expression === undefined ? '' : keyLabel(keys[expression]?.text(key) ?? '') }
}

function count(changes: Changes, refusal: NonNullable<Refusal>): void {
  changes.requests += 1
  changes.keys.add(`${refusal.limit} ${refusal.key}`, 1)
}

function summaryOf(
  { requests, keys }: Changes,
  scenario: Scenario | undefined,
  length: number,
): Comparison['newlyRefused'] {
  const top = keys.list(length).map(({ key: both, counts }): ChangedKey => {
    const blank = both.indexOf(' ')
    const limit = scenario?.limits[Number(both.slice(0, blank))]
    const policy = limit ? `${limit.policy.namespace}/${limit.policy.name}` : ''
    return { policy, rule: limit?.index ?? 0, key: both.slice(blank + 1), requests: counts }
  })
  return { requests, keys: keys.size, top }
}
