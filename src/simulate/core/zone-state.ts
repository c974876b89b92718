/**
 * The shared memory of a limit in flat arrays: what `test/nginx/bucket.ts` keeps in objects, for many millions of
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
export const LEVELS = 8
export const FIELDS = 16
export const [EXCESS, LAST, KEY] = [0, 1, 2] as const
export const [NEWER, OLDER, MEMORY, PASSED, DELAYED, REJECTED] = [6, 7, 8, 9, 10, 11] as const
/** The time of an entry whose first request was not accounted: so long ago that all has leaked. */
export const NEVER = Number.NEGATIVE_INFINITY

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

/** Memory for so many entries. */
export function memoryFor(entries: number): Pick<ZoneState, 'levels' | 'fields'> {
  const levels = new Float64Array(entries * LEVELS)
  return { levels, fields: new Int32Array(levels.buffer) }
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

/** The key of an entry. */
export const keyAt = (zone: ZoneState, entry: number): number => zone.levels[LEVELS * entry + KEY] ?? 0

/** An integer of an entry. */
export const field = (zone: ZoneState, entry: number, name: number): number => zone.fields[FIELDS * entry + name] ?? 0

/** What the key of an entry met. */
export const countsOf = (zone: ZoneState, entry: number): KeyCounts => ({
  passed: field(zone, entry, PASSED),
  delayed: field(zone, entry, DELAYED),
  rejected: field(zone, entry, REJECTED),
})
