/**
 * Zones that a running nginx would refuse to take over: same name, same size, another key.
 * Zones are named by position, so moving a limit changes keys too. Source: specification of RateLimitPolicy, "Errors".
 */
import { fitFourDigits, type Size } from '../../limits/size.ts'
import { isSameZoneKey } from '../../nginx/zone-key.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'
import { usableSize } from './zone-memory.ts'

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

/**
 * The zones whose key changes without their size, in order of position. `pageSize` is the platform's memory page in
 * bytes: a zone that nginx refuses for its size was never there.
 */
export function zoneChanges(previous: PolicyView, current: PolicyView, pageSize: number): readonly ZoneChange[] {
  return current.limits.flatMap((limit) => {
    const old = previous.limits[limit.index]
    const oldKey = old?.key.value?.unquoted
    const newKey = limit.key.value?.unquoted
    const size = usableSize(limit, pageSize)
    if (!old || oldKey === undefined || newKey === undefined || size === undefined) return []
    const sameSize = usableSize(old, pageSize)?.bytes === size.bytes
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
