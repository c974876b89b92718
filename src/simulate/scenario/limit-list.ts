/** The limits of a scenario, each once: its zone is shared by all targets of its policy. */

import { queueOf } from '../../gateway/effective/bucket.ts'
import type { PlacedLimit } from '../../gateway/effective/level.ts'
import { usableSize } from '../../gateway/keys/zones.ts'
import { DEFAULT_ZONE_SIZE } from '../../limits/size.ts'
import { zoneName } from '../../limits/zone.ts'
import type { SimulatedLimit } from '../core/plan.ts'
import type { Note } from '../report/notes.ts'
import type { Expressions } from './expressions.ts'

export type LimitList = {
  /** The position of a limit. */
  add(limit: PlacedLimit): number
  readonly all: readonly SimulatedLimit[]
}

/** `pageSize`: bytes of a memory page. */
export function createLimitList(pageSize: number, expressions: Expressions, note: (note: Note) => void): LimitList {
  const all: SimulatedLimit[] = []
  const positions = new Map<PlacedLimit['limit'], number>()
  return {
    add(placed) {
      const known = positions.get(placed.limit)
      if (known !== undefined) return known
      const limit = simulated(placed, pageSize, expressions)
      if ('unknown' in limit) note({ type: 'unknown-variables', ...limit })
      const position = all.push(limit.limit) - 1
      positions.set(placed.limit, position)
      return position
    },
    all,
  }
}

type Simulated =
  | { readonly limit: SimulatedLimit }
  | { readonly limit: SimulatedLimit; readonly unknown: readonly string[] }

function simulated({ policy, limit }: PlacedLimit, pageSize: number, expressions: Expressions): Simulated {
  const { namespace = '', name = '' } = policy.identity
  const queue = queueOf(limit) ?? { burst: 0, delay: undefined, noDelay: false }
  const parts = limit.key.value?.parts ?? []
  const expression = expressions.of(parts)
  const common = {
    policy: { namespace, name },
    index: limit.index,
    zone: zoneName(namespace, name, limit.index),
    key: limit.key.value?.written ?? '',
    parts,
    rateText: typeof limit.rate.raw === 'string' ? limit.rate.raw : '',
    rate: limit.rate.value?.thousandths ?? 0,
    burst: queue.burst,
    delay: queue.noDelay ? Number.POSITIVE_INFINITY : (queue.delay ?? 0),
    zoneBytes: (usableSize(limit, pageSize) ?? DEFAULT_ZONE_SIZE).bytes,
  }
  if ('unknown' in expression) return { limit: { ...common, expression: undefined }, unknown: expression.unknown }
  return { limit: { ...common, expression: expression.number } }
}
