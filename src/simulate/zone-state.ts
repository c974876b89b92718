/**
 * The shared memory of a limit in flat arrays: what `src/nginx/bucket.ts` keeps in objects, for many millions of
 * requests. The tests hold the two against each other.
 */
import { createKeyIndex, type KeyIndex } from './key-index.ts'
import type { KeyTable } from './key-table.ts'
import type { Slab } from './slab.ts'

/** Counts of what one key met. */
export type KeyCounts = { passed: number; delayed: number; rejected: number }

/** The state of a zone. Entries are numbered from 1; 0 means none. */
export type ZoneState = {
  /** Thousandths of a request per second. */
  readonly rate: number
  readonly keys: KeyTable
  readonly slab: Slab
  /** Hears of a key that is forgotten. */
  onForget(key: number, counts: KeyCounts): void
  readonly entries: KeyIndex
  /**
   * All entries, each in a line of the processor's cache: as floats the excess in thousandths of a request, the time
   * in milliseconds and the key, as integers the rest.
   */
  levels: Float64Array
  fields: Int32Array
  newest: number
  oldest: number
  /** Entries that are free again, chained by `newer`. */
  free: number
  /** Entries that were ever used, plus one. */
  end: number
  /** Keys that are remembered now, and the most that ever were. */
  size: number
  peak: number
  /** Keys that were forgotten by force. */
  evictions: number
}

/** Floats, and integers, that an entry takes, and which stand where. */
const LEVELS = 8
const FIELDS = 16
const [EXCESS, LAST, KEY] = [0, 1, 2] as const
const [NEWER, OLDER, MEMORY, PASSED, DELAYED, REJECTED] = [6, 7, 8, 9, 10, 11] as const
/** The time of an entry whose first request was not accounted: so long ago that all has leaked. */
const NEVER = Number.NEGATIVE_INFINITY
/** Milliseconds after which an entry without excess may go. */
const REST = 60_000

/** Entries for which there is room at first. */
const FIRST_SIZE = 64

/** An empty zone. */
export function createZoneState(zone: Pick<ZoneState, 'rate' | 'keys' | 'slab' | 'onForget'>): ZoneState {
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

/** Finds the entry of a key or makes one, and makes it the most recently used; 0 where there is no memory for it. */
export function meet(zone: ZoneState, key: number, now: number): number {
  const entry = zone.entries.get(key)
  if (entry === 0) return insert(zone, key, now)
  if (zone.newest !== entry) {
    takeOut(zone, entry)
    putFirst(zone, entry)
  }
  return entry
}

/** The excess of an entry with one more request at `now`, in thousandths. */
export function excessAt(zone: ZoneState, entry: number, now: number): number {
  const elapsed = elapsedSince(zone.levels[LEVELS * entry + LAST] ?? 0, now)
  const excess = (zone.levels[LEVELS * entry + EXCESS] ?? 0) - Math.floor((zone.rate * elapsed) / 1000) + 1000
  return excess > 0 ? excess : 0
}

/** Accounts a request with the excess that it makes. */
export function pour(zone: ZoneState, entry: number, excess: number, now: number): void {
  zone.levels[LEVELS * entry + EXCESS] = excess
  if (elapsedSince(zone.levels[LEVELS * entry + LAST] ?? 0, now) !== 0) zone.levels[LEVELS * entry + LAST] = now
}

/** A clock that went back a little stands still; one that went back over a minute counts as one millisecond. */
function elapsedSince(last: number, now: number): number {
  const elapsed = now - last
  if (elapsed >= 0) return elapsed
  return elapsed < -60_000 ? 1 : 0
}

/** Counts for an entry: `outcome` 0 passed, 1 delayed, 2 rejected. */
export function count(zone: ZoneState, entry: number, outcome: number): void {
  const at = FIELDS * entry + PASSED + outcome
  zone.fields[at] = (zone.fields[at] ?? 0) + 1
}

/** Tells of every key that is still remembered. */
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

/** Up to two rested entries go; where memory is short all the same, the oldest goes by force and up to two more. */
function insert(zone: ZoneState, key: number, now: number): number {
  freeRested(zone, now)
  const length = zone.keys.length(key)
  let memory = zone.slab.take(length)
  if (memory === NO_MEMORY) {
    if (zone.oldest !== 0) {
      zone.evictions += 1
      forget(zone, zone.oldest)
      freeRested(zone, now)
    }
    memory = zone.slab.take(length)
    if (memory === NO_MEMORY) return 0
  }
  const entry = newEntry(zone)
  zone.levels[LEVELS * entry + EXCESS] = 0
  zone.levels[LEVELS * entry + LAST] = NEVER
  zone.levels[LEVELS * entry + KEY] = key
  const { fields } = zone
  fields[FIELDS * entry + MEMORY] = memory
  fields[FIELDS * entry + PASSED] = 0
  fields[FIELDS * entry + DELAYED] = 0
  fields[FIELDS * entry + REJECTED] = 0
  zone.entries.add(key, entry)
  putFirst(zone, entry)
  return entry
}

const NO_MEMORY = -1

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
  if (zone.size > zone.peak) zone.peak = zone.size
  return entry
}

function freeRested(zone: ZoneState, now: number): void {
  for (let freed = 0; freed < 2 && zone.oldest !== 0; freed += 1) {
    const entry = zone.oldest
    const rested = Math.abs(now - (zone.levels[LEVELS * entry + LAST] ?? 0))
    if (rested < REST || (zone.levels[LEVELS * entry + EXCESS] ?? 0) - Math.floor((zone.rate * rested) / 1000) > 0)
      return
    forget(zone, entry)
  }
}

function forget(zone: ZoneState, entry: number): void {
  takeOut(zone, entry)
  const key = keyAt(zone, entry)
  zone.onForget(key, countsOf(zone, entry))
  zone.slab.give(field(zone, entry, MEMORY))
  zone.entries.remove(key)
  zone.fields[FIELDS * entry + NEWER] = zone.free
  zone.free = entry
  zone.size -= 1
}

function putFirst(zone: ZoneState, entry: number): void {
  zone.fields[FIELDS * entry + NEWER] = 0
  zone.fields[FIELDS * entry + OLDER] = zone.newest
  if (zone.newest !== 0) zone.fields[FIELDS * zone.newest + NEWER] = entry
  else zone.oldest = entry
  zone.newest = entry
}

function takeOut(zone: ZoneState, entry: number): void {
  const newer = field(zone, entry, NEWER)
  const older = field(zone, entry, OLDER)
  if (newer !== 0) zone.fields[FIELDS * newer + OLDER] = older
  else zone.newest = older
  if (older !== 0) zone.fields[FIELDS * older + NEWER] = newer
  else zone.oldest = newer
}
