/** Decides requests against the limits of a location, as nginx does. The tests compare it with the reference model. */
import type { WaitHistogram } from './waits.ts'
import { accountRequest, countOutcome, excessAt, useEntry, type ZoneState } from './zone.ts'

/** Requests of one limit by outcome. */
type LimitCounters = {
  /** Requests that reached the limit with a key. */
  requests: number
  /** Neither rejected nor delayed by this limit, whatever another limit did. */
  passed: number
  /** Delayed by this limit: its wait was the longest. */
  delayed: number
  /** Rejected by this limit. */
  rejected: number
  /** Rejected by another limit of the location, and so not accounted here. */
  rejectedByOther: number
  /** Requests without a key, or with one of more than 65,535 bytes: nginx skips the limit. */
  withoutKey: number
  /** What the limit would have done without the dry run; these requests are among the passed. */
  delayedDryRun: number
  rejectedDryRun: number
  /** Rejected because the zone had no memory for the key; also among the rejected. */
  noMemory: number
}

/** Counters at zero. */
export const emptyCounters = (): LimitCounters => ({
  requests: 0,
  passed: 0,
  delayed: 0,
  rejected: 0,
  rejectedByOther: 0,
  withoutKey: 0,
  delayedDryRun: 0,
  rejectedDryRun: 0,
  noMemory: 0,
})

/** The state of a limit while requests are decided. */
export type LimitState = {
  /** The position of the limit in the scenario. */
  readonly number: number
  readonly zone: ZoneState
  /** Thousandths of a request. */
  readonly burst: number
  /** Thousandths of a request above which requests wait; Infinity for `nodelay`. */
  readonly delay: number
  readonly counters: LimitCounters
  /** Waits that the limit caused or, in a dry run, would have caused. */
  readonly waits: WaitHistogram
  /** Of the current request: its entry, or 0, and the entry's excess including it. */
  entry: number
  excess: number
}

/** The limits of one location in the order of their directives, and the positions of their keys among a request's keys. */
export type StageState = {
  readonly limits: readonly LimitState[]
  readonly keyPositions: readonly number[]
  readonly dryRun: boolean
}

/** The outcome of a request as a number. */
export const [PASSED, DELAYED, REJECTED] = [0, 1, 2] as const

/** Where a decision is written. */
export type Decision = {
  outcome: number
  /** Milliseconds that the request waits; 0 in a dry run. */
  wait: number
  /** The position within the stage of the limit that decided; -1 where the request passes at once. */
  limit: number
  /**
   * The fullest bucket of the request's limits with the request in it, as a share of its burst: from 0 to 1. It is 1 where
   * the request did not fit any more, and 0 where no limit has a burst.
   */
  fill: number
}

/** One request of a batch. */
export type RequestAt = {
  /** Milliseconds. */
  time: number
  /** The numbers of the request's keys begin at `at`; below 0 stands for a key that nginx skips. */
  keys: Float64Array
  at: number
}

/** Decides one request against the limits of one location. */
export function decideStage(stage: StageState, { time: now, keys, at }: RequestAt, decision: Decision): void {
  const { limits, keyPositions } = stage
  decision.fill = 0
  for (let index = 0; index < limits.length; index += 1) {
    const limit = limits[index]
    if (limit === undefined) continue
    const key = keys[at + (keyPositions[index] ?? 0)] ?? -1
    limit.entry = 0
    if (key < 0) {
      limit.counters.withoutKey += 1
      continue
    }
    limit.counters.requests += 1
    const entry = useEntry(limit.zone, key, now)
    limit.entry = entry
    if (entry === 0) limit.counters.noMemory += 1
    else limit.excess = excessAt(limit.zone, entry, now)
    if (entry === 0 || limit.excess > limit.burst) {
      reject(stage, index, decision)
      return
    }
  }
  accept(stage, now, decision)
}

/** Rejects: no limit accounts the request. */
function reject({ limits, dryRun }: StageState, rejecting: number, decision: Decision): void {
  for (let index = 0; index < rejecting; index += 1) {
    const other = limits[index]
    if (other === undefined || other.entry === 0) continue
    if (dryRun) pass(other)
    else other.counters.rejectedByOther += 1
  }
  const limit = limits[rejecting]
  if (limit !== undefined) {
    if (limit.entry !== 0) decision.fill = limit.burst > 0 ? 1 : 0
    countRejection(limit, dryRun)
  }
  decision.outcome = dryRun ? PASSED : REJECTED
  decision.wait = 0
  decision.limit = rejecting
}

function countRejection(limit: LimitState, dryRun: boolean): void {
  if (limit.entry !== 0) countOutcome(limit.zone, limit.entry, REJECTED)
  if (dryRun) {
    limit.counters.rejectedDryRun += 1
    limit.counters.passed += 1
  } else limit.counters.rejected += 1
}

function pass(limit: LimitState): void {
  limit.counters.passed += 1
  countOutcome(limit.zone, limit.entry, PASSED)
}

/** Lets the request pass, at once or after its wait. */
function accept({ limits, dryRun }: StageState, now: number, decision: Decision): void {
  const longest = accountAll(limits, now, decision)
  const { wait } = decision
  for (let index = 0; index < limits.length; index += 1) {
    const limit = limits[index]
    if (limit === undefined || limit.entry === 0) continue
    if (index === longest) delay(limit, wait, dryRun)
    else pass(limit)
  }
  decision.outcome = wait > 0 && !dryRun ? DELAYED : PASSED
  if (dryRun) decision.wait = 0
  decision.limit = longest
}

/** Returns the limit with the longest wait and writes the wait. Goes from the last directive: of equal waits its counts. */
function accountAll(limits: readonly LimitState[], now: number, decision: Decision): number {
  let longest = -1
  decision.wait = 0
  for (let index = limits.length - 1; index >= 0; index -= 1) {
    const limit = limits[index]
    if (limit === undefined || limit.entry === 0) continue
    accountRequest(limit.zone, limit.entry, limit.excess, now)
    if (limit.excess > decision.fill * limit.burst) decision.fill = limit.excess / limit.burst
    const own = limit.excess > limit.delay ? Math.floor(((limit.excess - limit.delay) * 1000) / limit.zone.rate) : 0
    if (own <= decision.wait) continue
    longest = index
    decision.wait = own
  }
  return longest
}

function delay(limit: LimitState, wait: number, dryRun: boolean): void {
  countOutcome(limit.zone, limit.entry, DELAYED)
  limit.waits.add(wait)
  if (dryRun) {
    limit.counters.delayedDryRun += 1
    limit.counters.passed += 1
  } else limit.counters.delayed += 1
}
