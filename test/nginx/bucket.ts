/**
 * The leaky bucket of `limit_req`, as nginx computes it: integers, thousandths of a request, milliseconds.
 * Source: nginx 1.22 to 1.31, `limit_req_zone`, `limit_req`, `limit_req_dry_run`.
 */

import { LONGEST_KEY_BYTES } from '../../src/nginx/memory.ts'
import { DELAY_LEVEL, type LogLevel } from '../../src/nginx/responses.ts'
import { utf8Length } from '../../src/text/utf8.ts'

/** The state of one key. */
type Entry = {
  readonly key: string
  /** Thousandths of a request above the rate. */
  excess: number
  /** Milliseconds; `-Infinity` for an entry whose first request was not counted. */
  last: number
  newer: Entry | undefined
  older: Entry | undefined
}

/** The shared memory of a limit: one bucket for each key; the least recently used one is removed first. */
export type Zone = {
  readonly name: string
  /** Thousandths of a request per second, as `parseRate` reads them. At least 1. */
  readonly rate: number
  /** Keys that fit (see `keysHeld`), at least 1. */
  readonly capacity: number
  readonly entries: Map<string, Entry>
  newest: Entry | undefined
  oldest: Entry | undefined
  /** The entry that the current request uses and has not yet been counted in. */
  current: Entry | undefined
}

/** One `limit_req` of a location. */
export type Limit = {
  readonly zone: Zone
  /** Thousandths of a request. */
  readonly burst: number
  /** Thousandths of a request above which requests are delayed; Infinity for `nodelay`. */
  readonly delay: number
}

/** The values of `$limit_req_status`. */
export type Outcome = 'PASSED' | 'DELAYED' | 'REJECTED' | 'DELAYED_DRY_RUN' | 'REJECTED_DRY_RUN'

/** What happens to a request. */
export type Decision = {
  readonly outcome: Outcome
  /** Milliseconds by which the request is delayed, or would be without the dry run. */
  readonly wait: number
  /** The limit that decides: the one that rejects, or the one with the longest delay. Undefined where the request passes. */
  readonly limit: Limit | undefined
  /** Thousandths of a request above the rate of that limit, as in the error log. */
  readonly excess: number
}

const PASSED: Decision = Object.freeze({ outcome: 'PASSED', wait: 0, limit: undefined, excess: 0 })
const NEVER = Number.NEGATIVE_INFINITY
/** Milliseconds without a request after which an entry without excess may be removed. */
const REST = 60_000

/** An empty zone; `rate` in thousandths of a request per second, `capacity` in keys (unbounded where absent). */
export function createZone(zone: { readonly name: string; readonly rate: number; readonly capacity?: number }): Zone {
  return {
    name: zone.name,
    rate: zone.rate,
    capacity: Math.max(1, zone.capacity ?? Number.POSITIVE_INFINITY),
    entries: new Map(),
    newest: undefined,
    oldest: undefined,
    current: undefined,
  }
}

/** A limit in the terms of a policy: `burst` and `delay` in requests, both 0 where absent; `noDelay` overrules `delay`. */
export function createLimit(
  zone: Zone,
  rule: { readonly burst?: number; readonly delay?: number; readonly noDelay?: boolean } = {},
): Limit {
  return {
    zone,
    burst: (rule.burst ?? 0) * 1000,
    delay: rule.noDelay ? Number.POSITIVE_INFINITY : (rule.delay ?? 0) * 1000,
  }
}

/**
 * Decides one request at `now` (milliseconds of any steady clock) against the limits of its location, in the order of
 * their directives, and updates their zones; `keys` holds the key's value for each limit. Zones must differ.
 * An empty key, or one above 65,535 bytes, skips its limit. A rejected request is counted in no zone.
 */
export function decide(limits: readonly Limit[], keys: readonly string[], now: number, dryRun = false): Decision {
  for (let i = 0; i < limits.length; i += 1) {
    const limit = limits[i]
    const key = keys[i] ?? ''
    if (limit === undefined || skips(key)) continue
    const entry = touch(limit.zone, key, now)
    const excess = excessAt(entry, limit.zone.rate, now)
    if (excess > limit.burst) {
      for (let met = i; met >= 0; met -= 1) forgetCurrent(limits[met])
      return { outcome: dryRun ? 'REJECTED_DRY_RUN' : 'REJECTED', wait: 0, limit, excess }
    }
  }
  return account(limits, now, dryRun)
}

const skips = (key: string): boolean =>
  key === '' || (key.length > LONGEST_KEY_BYTES / 3 && utf8Length(key) > LONGEST_KEY_BYTES)

function forgetCurrent(limit: Limit | undefined): void {
  if (limit) limit.zone.current = undefined
}

/** The last directive comes first, so that it decides among equal delays. */
function account(limits: readonly Limit[], now: number, dryRun: boolean): Decision {
  let longest: Limit | undefined
  let wait = 0
  let excess = 0
  for (let i = limits.length - 1; i >= 0; i -= 1) {
    const limit = limits[i]
    const entry = limit?.zone.current
    if (limit === undefined || entry === undefined) continue
    const own = pour(entry, limit.zone, now)
    const ownWait = own > limit.delay ? Math.floor(((own - limit.delay) * 1000) / limit.zone.rate) : 0
    if (ownWait <= wait) continue
    longest = limit
    wait = ownWait
    excess = own
  }
  if (longest === undefined) return PASSED
  return { outcome: dryRun ? 'DELAYED_DRY_RUN' : 'DELAYED', wait, limit: longest, excess }
}

/** Counts the current request in its entry; returns the new excess. */
function pour(entry: Entry, zone: Zone, now: number): number {
  const elapsed = elapsedSince(entry.last, now)
  entry.excess = excessAt(entry, zone.rate, now)
  if (elapsed !== 0) entry.last = now
  zone.current = undefined
  return entry.excess
}

/** Thousandths above the rate with this request. Below 2^53 wherever it is above 0, so floor divides as integers do. */
function excessAt(entry: Entry, rate: number, now: number): number {
  const excess = entry.excess - Math.floor((rate * elapsedSince(entry.last, now)) / 1000) + 1000
  return Math.max(excess, 0)
}

/** A clock that goes back by up to a minute counts as unchanged; by more, as one millisecond later. */
function elapsedSince(last: number, now: number): number {
  const elapsed = now - last
  if (elapsed >= 0) return elapsed
  return elapsed < -60_000 ? 1 : 0
}

/** Finds or creates the entry of a key, and makes it the most recently used. */
function touch(zone: Zone, key: string, now: number): Entry {
  let entry = zone.entries.get(key)
  if (entry === undefined) {
    makeRoom(zone, now)
    entry = { key, excess: 0, last: NEVER, newer: undefined, older: undefined }
    zone.entries.set(key, entry)
    putFirst(zone, entry)
  } else if (zone.newest !== entry) {
    takeOut(zone, entry)
    putFirst(zone, entry)
  }
  zone.current = entry
  return entry
}

/** Removes up to two expired entries; if the zone is still full, the least recently used one and up to two more. */
function makeRoom(zone: Zone, now: number): void {
  freeRested(zone, now)
  if (zone.entries.size < zone.capacity) return
  forget(zone, zone.oldest)
  freeRested(zone, now)
}

function freeRested(zone: Zone, now: number): void {
  for (let freed = 0; freed < 2; freed += 1) {
    const entry = zone.oldest
    if (entry === undefined) return
    const rested = Math.abs(now - entry.last)
    if (rested < REST || entry.excess - Math.floor((zone.rate * rested) / 1000) > 0) return
    forget(zone, entry)
  }
}

function forget(zone: Zone, entry: Entry | undefined): void {
  if (entry === undefined) return
  takeOut(zone, entry)
  zone.entries.delete(entry.key)
}

function putFirst(zone: Zone, entry: Entry): void {
  entry.newer = undefined
  entry.older = zone.newest
  if (zone.newest) zone.newest.newer = entry
  else zone.oldest = entry
  zone.newest = entry
}

function takeOut(zone: Zone, { newer, older }: Entry): void {
  if (newer) newer.older = older
  else zone.newest = older
  if (older) older.newer = newer
  else zone.oldest = newer
}

/** One message of the error log, without time, process and request. */
export type LogRecord = { readonly level: LogLevel; readonly text: string }

/** What nginx logs about a decision where `limit_req_log_level` is `level`; undefined for a request that passes. */
export function recordOf({ outcome, limit, excess }: Decision, level: LogLevel): LogRecord | undefined {
  if (limit === undefined) return undefined
  const dryRun = outcome.endsWith('_DRY_RUN') ? ', dry run' : ''
  const amount = `${Math.floor(excess / 1000)}.${String(excess % 1000).padStart(3, '0')}`
  if (outcome.startsWith('REJECTED'))
    return { level, text: `limiting requests${dryRun}, excess: ${amount} by zone "${limit.zone.name}"` }

  return {
    level: DELAY_LEVEL[level],
    text: `delaying request${dryRun}, excess: ${amount}, by zone "${limit.zone.name}"`,
  }
}
