/**
 * Zones that a running nginx would refuse to take over: same name, same size, another key.
 * Zones are named by position, so moving a limit changes keys too. Source: seed 000, "Errors".
 */
import { DEFAULT_ZONE_SIZE, fitFourDigits, type Size } from '../limits/size.ts'
import { isSameZoneKey } from '../nginx/zone-key.ts'
import type { LimitView, PolicyView } from './policy.ts'

/** A zone that keeps name and size while its key becomes another. */
export type ZoneChange = {
  readonly limit: LimitView
  /** Keys without quotes and escapes, as nginx compares them. */
  readonly oldKey: string
  readonly newKey: string
  readonly size: Size
}

/** What the author did to the list of limits. */
export type ListChange = 'changed' | 'inserted' | 'removed' | 'reordered'

/** The size of a limit's zone; undefined where it cannot be read. */
export function zoneSizeOf({ zoneSize }: LimitView): Size | undefined {
  return zoneSize.raw === undefined ? DEFAULT_ZONE_SIZE : zoneSize.value
}

/** The zones whose key changes without their size, in order of position. */
export function zoneChanges(previous: PolicyView, current: PolicyView): readonly ZoneChange[] {
  return current.limits.flatMap((limit) => {
    const old = previous.limits[limit.index]
    const oldKey = old?.key.value?.unquoted
    const newKey = limit.key.value?.unquoted
    const size = zoneSizeOf(limit)
    if (!old || oldKey === undefined || newKey === undefined || size === undefined) return []
    const sameSize = zoneSizeOf(old)?.bytes === size.bytes
    return sameSize && !isSameZoneKey(oldKey, newKey) ? [{ limit, oldKey, newKey, size }] : []
  })
}

/** Says how the list of keys came from the previous one. */
export function listChange(previous: PolicyView, current: PolicyView): ListChange {
  const before = keysOf(previous)
  const after = keysOf(current)
  if (after.length > before.length && isSubsequence(before, after)) return 'inserted'
  if (after.length < before.length && isSubsequence(after, before)) return 'removed'
  const sameKeys = [...before].sort().join('\n') === [...after].sort().join('\n')
  return sameKeys && before.length > 1 ? 'reordered' : 'changed'
}

/** Another size near this one, so that nginx makes a new zone: one unit more, or less where more cannot be written. */
export function otherSize({ bytes }: Size): string {
  const step = bytes % 1024 ** 2 === 0 ? 1024 ** 2 : 1024
  return fitFourDigits(bytes + step) ?? fitFourDigits(bytes - step) ?? '11m'
}

const keysOf = ({ limits }: PolicyView): readonly string[] => limits.map(({ key }) => key.value?.unquoted ?? '')

function isSubsequence(shorter: readonly string[], longer: readonly string[]): boolean {
  let matched = 0
  for (const key of longer) if (key === shorter[matched]) matched += 1
  return matched === shorter.length
}
