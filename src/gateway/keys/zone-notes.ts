/**
 * What the mutating webhook notes about zones in an annotation of a policy: the size that it wrote in place of another,
 * so that the same manifest applied again changes nothing; and the sizes and keys that a zone had before, since an nginx
 * that has not reloaded since then still has them.
 */
import { asList, asNumber, asString, type Json, member } from '../../json/member.ts'
import { DEFAULT_ZONE_SIZE, parseSize, type Size } from '../../limits/size.ts'
import type { ZoneNaming } from '../../limits/zone.ts'
import { isSameZoneKey } from '../../nginx/memory.ts'
import { cachedBy } from '../../world/cache.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'
import { keepsZoneName } from './zone-name.ts'

/** The annotation: a list of {@link ZoneNote} in JSON. */
export const ZONES_ANNOTATION = 'sluice.policy/zones'

/** A size that a zone had, and its key without quotes and escapes. */
type UsedZone = { readonly size: string; readonly key: string }

/** What is noted about the zone of one limit. */
type ZoneNote = {
  /** The position of the limit. */
  readonly zone: number
  /** The size that the author wrote, where the webhook wrote another one. */
  readonly written?: string | undefined
  /** The size that the webhook wrote instead. */
  readonly size?: string | undefined
  /** What the zone had before, the newest last. */
  readonly used?: readonly UsedZone[]
}

/** How many former sizes and keys of a zone are noted. */
const MOST_USED = 4
/** UTF-16 units of the annotation up to which former keys are noted: an object has room for 256 KiB of annotations. */
const LONGEST_NOTES = 16_384

/** The notes of a policy by position; empty where there are none or they cannot be read. */
const zoneNotes = (policy: PolicyView): ReadonlyMap<number, ZoneNote> =>
  policy.metadata.annotations.value?.[ZONES_ANNOTATION] === undefined ? NO_NOTES : notesOf(policy)

const NO_NOTES: ReadonlyMap<number, ZoneNote> = new Map()

const notesOf = cachedBy(({ metadata }: PolicyView): ReadonlyMap<number, ZoneNote> => {
  const text = metadata.annotations.value?.[ZONES_ANNOTATION]
  if (typeof text !== 'string') return NO_NOTES
  const notes = asList(parsed(text)) ?? []
  return new Map(notes.flatMap((note) => readNote(note) ?? []).map((note) => [note.zone, note]))
})

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function readNote(note: Json): ZoneNote | undefined {
  const zone = member(note, '', 'zone', asNumber).value
  if (zone === undefined) return undefined
  const used = (member(note, '', 'used', asList).value ?? []).flatMap((one) => readUsed(one) ?? [])
  return { zone, written: sizeText(note, 'written'), size: sizeText(note, 'size'), used }
}

function readUsed(one: Json): UsedZone | undefined {
  const [size, key] = [sizeText(one, 'size'), member(one, '', 'key', asString).value]
  return size === undefined || key === undefined ? undefined : { size, key }
}

const sizeText = (parent: Json, name: string): string | undefined =>
  member(parent, '', name, (raw) => (typeof raw === 'string' && parseSize(raw) ? raw : undefined)).value

/** The size of a limit's zone in bytes; undefined where it cannot be read. */
const zoneBytes = ({ zoneSize }: LimitView): number | undefined =>
  (zoneSize.raw === undefined ? DEFAULT_ZONE_SIZE : zoneSize.value)?.bytes

const bytesOf = (size: string): number | undefined => parseSize(size)?.bytes

/** What the notes say about a new size of a zone. */
type Noted = {
  /** The size that the webhook wrote once, where the author still writes the one before. */
  readonly kept?: string
  /** The other key that the zone had with the new size. */
  readonly key?: string | undefined
  /** The new size. */
  readonly size?: string | undefined
}

/** The versions of a policy, and how its zones are named. */
type NotedIn = { readonly policy: PolicyView; readonly previous: PolicyView; readonly naming: ZoneNaming }

/** What the notes say about a limit; empty where its size stays. */
export function noted(limit: LimitView, { policy, previous, naming }: NotedIn): Noted {
  const old = previous.limits[limit.index]
  const bytes = zoneBytes(limit)
  if (!old || zoneBytes(old) === bytes) return {}
  const { written, size } = zoneNotes(policy).get(limit.index) ?? {}
  const isKept = written !== undefined && size !== undefined && hasSameKey(limit, old)
  if (isKept && bytes === bytesOf(written) && zoneBytes(old) === bytesOf(size)) return { kept: size, size: written }
  return { key: formerKey(limit, policy, { bytes, naming }), size: sizeOf(limit) }
}

/** A zone's size in bytes, where it is known, and how zones are named. */
type ZoneAt = { readonly bytes: number | undefined; readonly naming: ZoneNaming }

/** The former key of a limit's zone with a size, where it was another one than now; undefined where there was none. */
export function formerKey(limit: LimitView, policy: PolicyView, { bytes, naming }: ZoneAt): string | undefined {
  const key = limit.key.value?.unquoted
  const { used = [] } = zoneNotes(policy).get(limit.index) ?? {}
  if (key === undefined) return undefined
  return used.findLast(
    (one) => bytesOf(one.size) === bytes && keepsZoneName(one.key, key, naming) && !isSameZoneKey(one.key, key),
  )?.key
}

/** True where two versions of a limit have the same key. */
function hasSameKey(limit: LimitView, other: LimitView): boolean {
  const [key, otherKey] = [limit.key.value?.unquoted, other.key.value?.unquoted]
  return key !== undefined && otherKey !== undefined && isSameZoneKey(key, otherKey)
}

/** The versions of a policy that is being changed. */
type Versions = {
  readonly previous: PolicyView
  /** As its author sent it. */
  readonly written: PolicyView
  /** As it will be stored. */
  readonly next: PolicyView
}

/** The annotation with which a changed policy will be stored; undefined where there is nothing to note. */
export function notesAfter({ previous, written, next }: Versions): string | undefined {
  const notes = next.limits.flatMap((limit) => {
    const [old, sent] = [previous.limits[limit.index], written.limits[limit.index]]
    const note = old && sent ? noteAfter({ old, sent, limit }, zoneNotes(written).get(limit.index)) : undefined
    return note ? [note] : []
  })
  if (notes.length === 0) return undefined
  const text = JSON.stringify(notes)
  return text.length <= LONGEST_NOTES ? text : JSON.stringify(notes.map(({ used, ...rest }) => rest))
}

type LimitVersions = { readonly old: LimitView; readonly sent: LimitView; readonly limit: LimitView }

function noteAfter({ old, sent, limit }: LimitVersions, before: ZoneNote | undefined): ZoneNote | undefined {
  const replaced = replacedAfter({ old, sent, limit }, before)
  const used = usedAfter({ old, limit }, before?.used ?? [])
  if (!replaced && used.length === 0) return undefined
  return { zone: limit.index, ...replaced, ...(used.length > 0 ? { used } : {}) }
}

/** The size that the webhook writes now, or wrote once and that the zone still has. */
function replacedAfter(
  { old, sent, limit }: LimitVersions,
  before: ZoneNote | undefined,
): { readonly written: string; readonly size: string } | undefined {
  const { written, size } = before ?? {}
  if (written !== undefined && size !== undefined && bytesOf(size) === zoneBytes(limit) && hasSameKey(limit, old))
    return { written, size }
  const [own, next] = [sizeOf(sent), sizeOf(limit)]
  if (own === undefined || next === undefined || zoneBytes(sent) === zoneBytes(limit)) return undefined
  return { written: own, size: next }
}

/** Adds what the zone had until now, where that changes. */
function usedAfter(
  { old, limit }: Pick<LimitVersions, 'old' | 'limit'>,
  used: readonly UsedZone[],
): readonly UsedZone[] {
  const [size, key] = [sizeOf(old), old.key.value?.unquoted]
  if (size === undefined || key === undefined) return used
  if (hasSameKey(limit, old) && zoneBytes(limit) === zoneBytes(old)) return used
  return [...used.filter((one) => one.size !== size || one.key !== key), { size, key }].slice(-MOST_USED)
}

/** The size of a limit's zone as text; undefined where it cannot be read. */
const sizeOf = ({ zoneSize }: LimitView): string | undefined =>
  zoneSize.raw === undefined ? textOf(DEFAULT_ZONE_SIZE) : zoneSize.value && textOf(zoneSize.value)

const textOf = ({ count, unit }: Size): string => `${count}${unit}`
