/**
 * The shared memory of a limit in flat arrays, fast enough for many millions of requests: the bucket of each key, the
 * least recently used removed first. The tests compare it with the reference model of nginx's leaky bucket.
 * Source: nginx 1.22 to 1.31, ngx_http_limit_req_module (lookup, expire, account).
 */
import { createKeyIndex, type KeyIndex } from './key-index.ts'
import type { KeyTable } from './keys.ts'
import type { Slab } from './slab.ts'

/** Counts of one key's requests. */
export type KeyCounts = { passed: number; delayed: number; rejected: number }

/** The state of a zone. Entries are numbered from 1; 0 means none. */
export type ZoneState = {
  /** Thousandths of a request per second. */
  readonly rate: number
  readonly keys: KeyTable
  readonly slab: Slab
  /** Called with the number and the counts of a key that is removed and had rejected requests. */
  onRemove(key: number, counts: KeyCounts): void
  readonly entries: KeyIndex
  /**
   * All entries, each in a line of the processor's cache: as floats the excess in thousandths of a request, the time
   * in milliseconds and the key, as integers the rest.
   */
  levels: Float64Array
  fields: Int32Array
  newest: number
  oldest: number
  /** Entries that are free again, chained by `NEWER`. */
  free: number
  /** Entries that were ever used, plus one. */
  end: number
  /** Keys in memory now, and the most that ever were. */
  size: number
  peak: number
  /** Keys that were removed by force because memory was short. */
  evictions: number
}

/** Floats and integers per entry, and the position of each member in its entry. */
const LEVELS = 8
const FIELDS = 16
const [EXCESS, LAST, KEY] = [0, 1, 2] as const
const [NEWER, OLDER, MEMORY, PASSED, DELAYED, REJECTED] = [6, 7, 8, 9, 10, 11] as const
/** The time of an entry whose first request was not accounted: so long ago that everything has leaked. */
const NEVER = Number.NEGATIVE_INFINITY

/** Entries for which there is room at first. */
const FIRST_SIZE = 64

/** An empty zone. */
export function createZoneState(zone: Pick<ZoneState, 'rate' | 'keys' | 'slab' | 'onRemove'>): ZoneState {
  return {
    ...zone,
    entries: createKeyIndex(),
    ...memoryFor(FIRST_SIZE),
    newest: 0,
    oldest: 0,
    free: 0,
    end: 1,
    size: 0,
    peak: 0,
    evictions: 0,
  }
}

function memoryFor(entries: number): Pick<ZoneState, 'levels' | 'fields'> {
  const levels = new Float64Array(entries * LEVELS)
  return { levels, fields: new Int32Array(levels.buffer) }
}

/** The excess of an entry with one more request at `now` (milliseconds), in thousandths of a request. */
export function excessAt(zone: ZoneState, entry: number, now: number): number {
  const elapsed = elapsedSince(zone.levels[LEVELS * entry + LAST] ?? 0, now)
  return Math.max(0, (zone.levels[LEVELS * entry + EXCESS] ?? 0) - Math.floor((zone.rate * elapsed) / 1000) + 1000)
}

/** Accounts a request with the excess that {@link excessAt} computed. */
export function accountRequest(zone: ZoneState, entry: number, excess: number, now: number): void {
  zone.levels[LEVELS * entry + EXCESS] = excess
  if (elapsedSince(zone.levels[LEVELS * entry + LAST] ?? 0, now) !== 0) zone.levels[LEVELS * entry + LAST] = now
}

/** A clock that went back a little stands still; one that went back over a minute counts as one millisecond. */
function elapsedSince(last: number, now: number): number {
  const elapsed = now - last
  if (elapsed >= 0) return elapsed
  return elapsed < -60_000 ? 1 : 0
}

/** Counts a request of an entry: `outcome` 0 passed, 1 delayed, 2 rejected. */
export function countOutcome(zone: ZoneState, entry: number, outcome: number): void {
  const at = FIELDS * entry + PASSED + outcome
  zone.fields[at] = (zone.fields[at] ?? 0) + 1
}

/** Visits every key in memory, the most recently used first. */
export function visitKeys(zone: ZoneState, visit: (key: number, counts: KeyCounts) => void): void {
  for (let entry = zone.newest; entry !== 0; entry = field(zone, entry, OLDER))
    visit(keyAt(zone, entry), countsOf(zone, entry))
}

const keyAt = (zone: ZoneState, entry: number): number => zone.levels[LEVELS * entry + KEY] ?? 0
const field = (zone: ZoneState, entry: number, name: number): number => zone.fields[FIELDS * entry + name] ?? 0

const countsOf = (zone: ZoneState, entry: number): KeyCounts => ({
  passed: field(zone, entry, PASSED),
  delayed: field(zone, entry, DELAYED),
  rejected: field(zone, entry, REJECTED),
})

/** Finds or creates the entry of a key and makes it the most recently used; 0 where there is no memory for it. */
export function useEntry(zone: ZoneState, key: number, now: number): number {
  const entry = zone.entries.get(key)
  if (entry === 0) return createEntry(zone, key, now)
  if (zone.newest !== entry) {
    unlink(zone, entry)
    linkNewest(zone, entry)
  }
  return entry
}

/** Milliseconds after which an entry without excess expires. */
const EXPIRES_AFTER = 60_000
const NO_MEMORY = -1

/** Removes up to two expired entries; if memory is still short, the oldest is evicted and up to two more expire. */
function createEntry(zone: ZoneState, key: number, now: number): number {
  expire(zone, now)
  const length = zone.keys.length(key)
  let memory = zone.slab.allocate(length)
  if (memory === NO_MEMORY) {
    if (zone.oldest !== 0) {
      zone.evictions += 1
      remove(zone, zone.oldest)
      expire(zone, now)
    }
    memory = zone.slab.allocate(length)
    if (memory === NO_MEMORY) return 0
  }
  const entry = newEntry(zone)
  zone.levels[LEVELS * entry + LAST] = NEVER
  zone.levels[LEVELS * entry + KEY] = key
  const { fields } = zone
  fields[FIELDS * entry + MEMORY] = memory
  fields[FIELDS * entry + PASSED] = 0
  fields[FIELDS * entry + DELAYED] = 0
  fields[FIELDS * entry + REJECTED] = 0
  zone.entries.add(key, entry)
  linkNewest(zone, entry)
  return entry
}

function newEntry(zone: ZoneState): number {
  const entry = zone.free === 0 ? zone.end : zone.free
  if (zone.free === 0) zone.end += 1
  else zone.free = field(zone, entry, NEWER)
  if (LEVELS * zone.end > zone.levels.length) {
    const { fields } = zone
    Object.assign(zone, memoryFor((zone.levels.length * 2) / LEVELS))
    zone.fields.set(fields)
  }
  zone.size += 1
  zone.peak = Math.max(zone.peak, zone.size)
  return entry
}

function expire(zone: ZoneState, now: number): void {
  for (let removed = 0; removed < 2 && zone.oldest !== 0; removed += 1) {
    const entry = zone.oldest
    const idle = Math.abs(now - (zone.levels[LEVELS * entry + LAST] ?? 0))
    if (idle < EXPIRES_AFTER || (zone.levels[LEVELS * entry + EXCESS] ?? 0) - Math.floor((zone.rate * idle) / 1000) > 0)
      return
    remove(zone, entry)
  }
}

function remove(zone: ZoneState, entry: number): void {
  unlink(zone, entry)
  const key = keyAt(zone, entry)
  if (field(zone, entry, REJECTED) > 0) zone.onRemove(key, countsOf(zone, entry))
  zone.slab.free(field(zone, entry, MEMORY))
  zone.entries.remove(key)
  zone.fields[FIELDS * entry + NEWER] = zone.free
  zone.free = entry
  zone.size -= 1
}

function linkNewest(zone: ZoneState, entry: number): void {
  zone.fields[FIELDS * entry + NEWER] = 0
  zone.fields[FIELDS * entry + OLDER] = zone.newest
  if (zone.newest !== 0) zone.fields[FIELDS * zone.newest + NEWER] = entry
  else zone.oldest = entry
  zone.newest = entry
}

function unlink(zone: ZoneState, entry: number): void {
  const newer = field(zone, entry, NEWER)
  const older = field(zone, entry, OLDER)
  if (newer !== 0) zone.fields[FIELDS * newer + OLDER] = older
  else zone.newest = older
  if (older !== 0) zone.fields[FIELDS * older + NEWER] = newer
  else zone.oldest = newer
}
