/** How much memory the zones of a policy take, and how many keys fit. */
import { DEFAULT_ZONE_SIZE, type Size } from '../../limits/size.ts'
import { keysHeld } from '../../nginx/memory.ts'
import { zoneSizeProblem } from '../../nginx/refusals.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { LimitView } from '../objects/policy.ts'
import { keyTraits } from './key-traits.ts'

/** The size of a limit's zone; undefined where it cannot be read and where nginx refuses it. */
export function usableSize({ zoneSize }: LimitView, pageSize: number): Size | undefined {
  const size = zoneSize.raw === undefined ? DEFAULT_ZONE_SIZE : zoneSize.value
  return size && zoneSizeProblem(size, pageSize) === undefined ? size : undefined
}

/** Bytes that each key of a limit has at least; undefined where the limit needs no more than one key, or cannot be read. */
export function leastKeyBytes(limit: LimitView, platform: VariablePlatform): number | undefined {
  const traits = keyTraits(limit, platform)
  return traits && traits.parts.length > 0 && !traits.isConstant ? traits.leastBytes : undefined
}

/** The smallest zone, in whole megabytes of up to four digits, that holds so many keys; undefined where none does. */
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
