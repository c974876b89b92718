/** Compares two versions of the limits on the same traffic, request by request. */
import { fromBytes } from '../../traffic/escaping.ts'
import type { ChangedKey, ChangedRequests, SimulationComparison } from '../report/report.ts'
import { REJECTED } from './decision.ts'
import { type KeyTable, keyLabel } from './keys.ts'
import type { Scenario } from './plan.ts'
import type { RequestOutcome } from './scenario-run.ts'
import { createTop, type Top } from './top.ts'

/** Collects the outcomes of both versions. */
export type Comparer = {
  /** Scenario 0 is the new version, 1 the old one. */
  add(scenario: number, outcome: RequestOutcome, keys: readonly KeyTable[]): void
  /** The differences, with at most `length` keys each. */
  summary(length: number): Pick<SimulationComparison, 'newlyRejected' | 'noLongerRejected'>
}

/** The limit that rejected a request, and the request's key; undefined where no limit did. */
type Rejection = { readonly limit: number; readonly key: string } | undefined

/** Requests by limit and key: the key of the list is `LIMIT KEY`. */
type Changes = { requests: number; readonly keys: Top<number> }

/** A comparer for the two scenarios of a plan. */
export function createComparer([current, old]: readonly Scenario[]): Comparer {
  /** Rejections of requests that only one version has decided yet. */
  const open = new Map<number, Rejection>()
  const newly = noChanges()
  const noLonger = noChanges()
  return {
    add(scenario, outcome, keys) {
      const limits = (scenario === 0 ? current : old)?.limits ?? []
      const rejection = rejectionOf(outcome, keys, limits)
      if (!open.has(outcome.request)) {
        open.set(outcome.request, rejection)
        return
      }
      const other = open.get(outcome.request)
      open.delete(outcome.request)
      const [now, before] = scenario === 0 ? [rejection, other] : [other, rejection]
      if (now && !before) count(newly, now)
      if (before && !now) count(noLonger, before)
    },
    summary: (length) => ({
      newlyRejected: summaryOf(newly, current, length),
      noLongerRejected: summaryOf(noLonger, old, length),
    }),
  }
}

const noChanges = (): Changes => ({
  requests: 0,
  keys: createTop<number>({ weigh: (requests) => requests, join: (a, b) => a + b }),
})

function rejectionOf(
  { outcome, limit, key }: RequestOutcome,
  keys: readonly KeyTable[],
  limits: Scenario['limits'],
): Rejection {
  if (outcome !== REJECTED || !limit) return undefined
  const expression = limits[limit.number]?.expression
  return { limit: limit.number, key: expression === undefined ? '' : keyLabel(keys[expression]?.text(key) ?? '') }
}

function count(changes: Changes, rejection: NonNullable<Rejection>): void {
  changes.requests += 1
  changes.keys.add(`${rejection.limit} ${rejection.key}`, 1)
}

function summaryOf({ requests, keys }: Changes, scenario: Scenario | undefined, length: number): ChangedRequests {
  const top = keys.list(length).map(({ key: both, counts }): ChangedKey => {
    const space = both.indexOf(' ')
    const limit = scenario?.limits[Number(both.slice(0, space))]
    return {
      policy: limit?.policy ?? { namespace: '', name: '' },
      index: limit?.index ?? 0,
      key: fromBytes(both.slice(space + 1)),
      requests: counts,
    }
  })
  return { requests, keys: keys.size, top }
}
