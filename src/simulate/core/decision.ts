/** Decides requests against the limits of a location, as nginx does. The tests hold it against `test/nginx/bucket.ts`. */
import type { WaitHistogram } from './waits.ts'
import { meet } from './zone-lru.ts'
import { count, excessAt, pour, type ZoneState } from './zone-state.ts'

/** What a limit has done so far. */
export type LimitTally = {
  /** Requests that reached it with a key. */
  requests: number
  /** Neither refused nor delayed by it, whatever another limit did. */
  passed: number
  /** Its wait was the longest. */
  delayed: number
  /** Refused by it. */
  rejected: number
  /** Refused by another limit of the location, and so not accounted. */
  refusedByOther: number
  /** Requests without a key, or with one of more than 65,535 bytes. */
  withoutKey: number
  /** What it would have done but for the dry run; these requests are among the passed. */
  dryRunDelayed: number
  dryRunRejected: number
  /** Of the rejected: those for whose key the zone had no memory. */
  noMemory: number
}

export const emptyTally = (): LimitTally => ({
  requests: 0,
  passed: 0,
  delayed: 0,
  rejected: 0,
  refusedByOther: 0,
  withoutKey: 0,
  dryRunDelayed: 0,
  dryRunRejected: 0,
  noMemory: 0,
})

/** A limit at work. */
export type LimitState = {
  /** Its position in the scenario. */
  readonly number: number
  readonly zone: ZoneState
  /** Thousandths of a request. */
  readonly burst: number
  /** Thousandths of a request above which requests wait; Infinity for `nodelay`. */
  readonly delay: number
  readonly tally: LimitTally
  /** Waits that it caused or, in a dry run, would have caused. */
  readonly waits: WaitHistogram
  /** The request at hand: its entry, or 0, and its excess with it. */
  entry: number
  excess: number
}

/** The limits of one location, in the order of their directives, and where their keys stand among a request's keys. */
export type StageState = {
  readonly limits: readonly LimitState[]
  readonly keyPositions: readonly number[]
  readonly dryRun: boolean
}

/** What becomes of a request, as a number. */
export const [PASSED, DELAYED, REJECTED] = [0, 1, 2] as const

/** Where a decision is written. */
export type Verdict = {
  outcome: number
  /** Milliseconds that the request waits: none where it is a dry run. */
  wait: number
  /** The position of the limit that decided within its stage; -1 where the request just passes. */
  limit: number
}

/** A request at a place in a list of many. */
export type RequestAt = {
  /** Milliseconds. */
  time: number
  /** The numbers of its keys begin at `at`; below 0 stands for a key that skips its limit. */
  keys: Float64Array
  at: number
}

/** Decides one request against the limits of one location. */
export function decideStage(stage: StageState, { time: now, keys, at }: RequestAt, verdict: Verdict): void {
  const { limits, keyPositions } = stage
  for (let index = 0; index < limits.length; index += 1) {
    const limit = limits[index]
    if (limit === undefined) continue
    const key = keys[at + (keyPositions[index] ?? 0)] ?? -1
    limit.entry = 0
    if (key < 0) {
      limit.tally.withoutKey += 1
      continue
    }
    limit.tally.requests += 1
    const entry = meet(limit.zone, key, now)
    limit.entry = entry
    if (entry === 0) limit.tally.noMemory += 1
    else limit.excess = excessAt(limit.zone, entry, now)
    if (entry === 0 || limit.excess > limit.burst) {
      reject(stage, index, verdict)
      return
    }
  }
  account(stage, now, verdict)
}

/** Nothing is accounted anywhere. */
function reject({ limits, dryRun }: StageState, rejecting: number, verdict: Verdict): void {
  for (let index = 0; index < rejecting; index += 1) {
    const other = limits[index]
    if (other === undefined || other.entry === 0) continue
    if (dryRun) pass(other)
    else other.tally.refusedByOther += 1
  }
  const limit = limits[rejecting]
  if (limit !== undefined) {
    if (limit.entry !== 0) count(limit.zone, limit.entry, REJECTED)
    if (dryRun) {
      limit.tally.dryRunRejected += 1
      limit.tally.passed += 1
    } else limit.tally.rejected += 1
  }
  verdict.outcome = dryRun ? PASSED : REJECTED
  verdict.wait = 0
  verdict.limit = rejecting
}

function pass(limit: LimitState): void {
  limit.tally.passed += 1
  count(limit.zone, limit.entry, PASSED)
}

function account({ limits, dryRun }: StageState, now: number, verdict: Verdict): void {
  const longest = pourAll(limits, now, verdict)
  const { wait } = verdict
  for (let index = 0; index < limits.length; index += 1) {
    const limit = limits[index]
    if (limit === undefined || limit.entry === 0) continue
    if (index === longest) delay(limit, wait, dryRun)
    else pass(limit)
  }
  verdict.outcome = wait > 0 && !dryRun ? DELAYED : PASSED
  if (dryRun) verdict.wait = 0
  verdict.limit = longest
}

/** The limit that makes wait longest, and its wait. The last directive comes first, so that of equal waits its counts. */
function pourAll(limits: readonly LimitState[], now: number, verdict: Verdict): number {
  let longest = -1
  verdict.wait = 0
  for (let index = limits.length - 1; index >= 0; index -= 1) {
    const limit = limits[index]
    if (limit === undefined || limit.entry === 0) continue
    pour(limit.zone, limit.entry, limit.excess, now)
    const own = limit.excess > limit.delay ? Math.floor(((limit.excess - limit.delay) * 1000) / limit.zone.rate) : 0
    if (own <= verdict.wait) continue
    longest = index
    verdict.wait = own
  }
  return longest
}

function delay(limit: LimitState, wait: number, dryRun: boolean): void {
  count(limit.zone, limit.entry, DELAYED)
  limit.waits.add(wait)
  if (dryRun) {
    limit.tally.dryRunDelayed += 1
    limit.tally.passed += 1
  } else limit.tally.delayed += 1
}
