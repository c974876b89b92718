/**
 * The zones of a policy: their memory, and changes that a running nginx rejects because a zone keeps its name and size
 * and gets another key. Where zones are named by position alone, moving a limit changes keys too. Source: specification of
 * RateLimitPolicy, "Errors"; nginx, limit_req_zone.
 */
import { DEFAULT_ZONE_SIZE, fitFourDigits, type Size } from '../../limits/size.ts'
import type { ZoneNaming } from '../../limits/zone.ts'
import { isSameZoneKey, keysHeld } from '../../nginx/memory.ts'
import { zoneSizeProblem } from '../../nginx/rejections.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'
import { keyTraits } from './keys.ts'
import { keepsZoneName } from './zone-name.ts'

/** The size of a limit's zone; undefined where it cannot be read or nginx rejects it. `pageSize` in bytes. */
export function usableSize({ zoneSize }: LimitView, pageSize: number): Size | undefined {
  const size = zoneSize.raw === undefined ? DEFAULT_ZONE_SIZE : zoneSize.value
  return size && zoneSizeProblem(size, pageSize) === undefined ? size : undefined
}

/** Bytes of the shortest possible key of a limit; undefined where the limit has only one key, or it cannot be read. */
export function leastKeyBytes(limit: LimitView, platform: VariablePlatform): number | undefined {
  const traits = keyTraits(limit, platform)
  return traits && traits.parts.length > 0 && traits.sharing !== 'always' ? traits.leastBytes : undefined
}

/**
 * The smallest zone size that holds a number of keys, in whole megabytes of up to four digits; undefined where none
 * does. `keyBytes` and `pageSize` in bytes.
 */
export function sizeForKeys(keys: number, keyBytes: number, pageSize: number): string | undefined {
  const holds = (count: number): boolean => keysHeld({ zoneBytes: count * 1024 ** 2, keyBytes, pageSize }) >= keys
  let [least, most] = [1, 9999]
  if (!holds(most)) return undefined
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (holds(middle)) most = middle
    else least = middle + 1
  }
  return `${least}m`
}

/** A zone that keeps its name and size and gets another key. */
export type ZoneChange = {
  readonly limit: LimitView
  /** Keys without quotes and escapes, as nginx compares them. */
  readonly oldKey: string
  readonly newKey: string
  readonly size: Size
}

/** What the author did to the list of limits. */
type ListChange = 'changed' | 'inserted' | 'removed' | 'reordered'

/**
 * The zones whose key changes without their size, in order of position. `pageSize` is the platform's memory page in
 * bytes: a zone that nginx rejects for its size never existed.
 */
export function zoneChanges(
  previous: PolicyView,
  current: PolicyView,
  { pageSize, naming }: { readonly pageSize: number; readonly naming: ZoneNaming },
): readonly ZoneChange[] {
  return current.limits.flatMap((limit) => {
    const old = previous.limits[limit.index]
    const oldKey = old?.key.value?.unquoted
    const newKey = limit.key.value?.unquoted
    const size = usableSize(limit, pageSize)
    if (!old || oldKey === undefined || newKey === undefined || size === undefined) return []
    const sameSize = usableSize(old, pageSize)?.bytes === size.bytes
    const isKept = sameSize && keepsZoneName(oldKey, newKey, naming)
    return isKept && !isSameZoneKey(oldKey, newKey) ? [{ limit, oldKey, newKey, size }] : []
  })
}

/** How the list of keys differs from the previous one. */
export function listChange(previous: PolicyView, current: PolicyView): ListChange {
  const before = keysOf(previous)
  const after = keysOf(current)
  if (after.length > before.length && isSubsequence(before, after)) return 'inserted'
  if (after.length < before.length && isSubsequence(after, before)) return 'removed'
  const sameKeys = [...before].sort().join('\n') === [...after].sort().join('\n')
  return sameKeys && before.length > 1 ? 'reordered' : 'changed'
}

/**
 * Another size near this one, so that nginx creates a new zone: the next one that is not taken (in bytes), in steps of
 * one unit, or the one before where four digits do not suffice.
 */
export function otherSize({ bytes }: Size, isTaken: (bytes: number) => boolean = () => false): string {
  const step = bytes % 1024 ** 2 === 0 ? 1024 ** 2 : 1024
  for (const direction of [step, -step])
    for (let other = bytes + direction; ; other += direction) {
      const size = fitFourDigits(other)
      if (size === undefined) break
      if (!isTaken(other)) return size
    }
  return '11m'
}

const keysOf = ({ limits }: PolicyView): readonly string[] => limits.map(({ key }) => key.value?.unquoted ?? '')

function isSubsequence(shorter: readonly string[], longer: readonly string[]): boolean {
  let matched = 0
  for (const key of longer) if (key === shorter[matched]) matched += 1
  return matched === shorter.length
}
