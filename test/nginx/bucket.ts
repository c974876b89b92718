/**
 * The leaky bucket of `limit_req`, as nginx computes it: integers, thousandths of a request, milliseconds.
 * Source: nginx 1.22 to 1.31, `limit_req_zone`, `limit_req`, `limit_req_dry_run`.
 */

import { LONGEST_KEY_BYTES } from '../../src/nginx/memory.ts'
import { DELAY_LEVEL, type LogLevel } from '../../src/nginx/responses.ts'
import { utf8Length } from '../../src/text/utf8.ts'

/** What one key left behind. */
type Entry = {
  readonly key: string
  /** Thousandths of a request above the rate. */
  excess: number
  /** Milliseconds; `-Infinity` for an entry whose first request was not accounted. */
  last: number
  newer: Entry | undefined
  older: Entry | undefined
}

/** The shared memory of a limit: one bucket a key, the least recently used forgotten first. */
export type Zone = {
  readonly name: string
  /** Thousandths of a request per second, as `parseRate` reads them. At least 1. */
  readonly rate: number
  /** Keys that fit (see `keysHeld`), at least 1. */
  readonly capacity: number
  readonly entries: Map<string, Entry>
  newest: Entry | undefined
  oldest: Entry | undefined
  /** The entry that the request at hand has met and not yet accounted. */
  met: Entry | undefined
}

/** One `limit_req` of a location. */
export type Limit = {
  readonly zone: Zone
  /** Thousandths of a request. */
  readonly burst: number
  /** Thousandths of a request above which requests wait; Infinity for `nodelay`. */
  readonly delay: number
}

/** How nginx calls it in `$limit_req_status`. */
export type Outcome = 'PASSED' | 'DELAYED' | 'REJECTED' | 'DELAYED_DRY_RUN' | 'REJECTED_DRY_RUN'

/** What happens to a request. */
export type Decision = {
  readonly outcome: Outcome
  /** Milliseconds that the request waits, or would wait but for the dry run. */
  readonly wait: number
  /** The limit that decided: it rejects, or makes wait longest. Undefined where the request just passes. */
  readonly limit: Limit | undefined
  /** Thousandths of a request above that limit's rate, as the record in the log says. */
  readonly excess: number
}

const PASSED: Decision = Object.freeze({ outcome: 'PASSED', wait: 0, limit: undefined, excess: 0 })
const NEVER = Number.NEGATIVE_INFINITY
/** An entry may be forgotten when it has rested this long, in milliseconds, and has no excess left. */
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
    met: undefined,
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
 * An empty key, or one above 65,535 bytes, skips its limit. A rejection accounts nothing, in no zone.
 */
export function decide(limits: readonly Limit[], keys: readonly string[], now: number, dryRun = false): Decision {
  for (let i = 0; i < limits.length; i += 1) {
    const limit = limits[i]
    const key = keys[i] ?? ''
    if (limit === undefined || skips(key)) continue
    const entry = meet(limit.zone, key, now)
    const excess = excessAt(entry, limit.zone.rate, now)
    if (excess > limit.burst) {
      for (let met = i; met >= 0; met -= 1) forgetMet(limits[met])
      return { outcome: dryRun ? 'REJECTED_DRY_RUN' : 'REJECTED', wait: 0, limit, excess }
    }
  }
  return account(limits, now, dryRun)
}

const skips = (key: string): boolean =>
  key === '' || (key.length > LONGEST_KEY_BYTES / 3 && utf8Length(key) > LONGEST_KEY_BYTES)

function forgetMet(limit: Limit | undefined): void {
  if (limit) limit.zone.met = undefined
}

/** The last directive comes first, so that of equal waits the last one's wins. */
function account(limits: readonly Limit[], now: number, dryRun: boolean): Decision {
  let longest: Limit | undefined
  let wait = 0
  let excess = 0
  for (let i = limits.length - 1; i >= 0; i -= 1) {
    const limit = limits[i]
    const entry = limit?.zone.met
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

/** Accounts the request that the zone has met; the entry's new excess. */
function pour(entry: Entry, zone: Zone, now: number): number {
  const elapsed = elapsedSince(entry.last, now)
  entry.excess = excessAt(entry, zone.rate, now)
  if (elapsed !== 0) entry.last = now
  zone.met = undefined
  return entry.excess
}

/** Thousandths above the rate with this request. Below 2^53 wherever it is above 0, so floor divides as integers do. */
function excessAt(entry: Entry, rate: number, now: number): number {
  const excess = entry.excess - Math.floor((rate * elapsedSince(entry.last, now)) / 1000) + 1000
  return Math.max(excess, 0)
}

/** A clock that went back a little stands still; one that went back over a minute counts as one millisecond. */
function elapsedSince(last: number, now: number): number {
  const elapsed = now - last
  if (elapsed >= 0) return elapsed
  return elapsed < -60_000 ? 1 : 0
}

/** Finds a key's entry or makes one, and remembers it as the most recently used. */
function meet(zone: Zone, key: string, now: number): Entry {
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
  zone.met = entry
  return entry
}

/** Frees up to two rested entries; where the zone is full all the same, the oldest goes by force and up to two more. */
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

/** One record of the error log, without time, process and request. */
export type LogRecord = { readonly level: LogLevel; readonly text: string }

/** The record that nginx writes about a decision where `limit_req_log_level` is `level`; undefined for one that passes. */
export function recordOf({ outcome, limit, excess }: Decision, level: LogLevel): LogRecord | undefined {
  if (limit === undefined) return undefined
  const dryRun = outcome.endsWith('_DRY_RUN') ? ', dry run' : ''
  const amount = `${Math.floor(excess / 1000)}.${String(excess % 1000).padStart(3, '0')}`
  if (outcome.startsWith('REJECTED')) {
    return { level, text: `limiting requests${dryRun}, excess: ${amount} by zone "${limit.zone.name}"` }
  }
  return {
    level: DELAY_LEVEL[level],
    text: `delaying request${dryRun}, excess: ${amount}, by zone "${limit.zone.name}"`,
  }
}
