/** Which keys a zone remembers: new ones come, rested ones go, the least recently used goes first. */
import {
  countsOf,
  DELAYED,
  EXCESS,
  FIELDS,
  field,
  KEY,
  keyAt,
  LAST,
  LEVELS,
  MEMORY,
  memoryFor,
  NEVER,
  NEWER,
  OLDER,
  PASSED,
  REJECTED,
  type ZoneState,
} from './zone-state.ts'

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

/** Milliseconds after which an entry without excess may go. */
const REST = 60_000

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
