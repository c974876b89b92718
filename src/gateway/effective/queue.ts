/** The queue of a limit: `burst`, `delay` and `noDelay` read together. Source: specification of RateLimitPolicy (rule object), nginx `limit_req`. */

import type { Member } from '../../json/member.ts'
import { countProblem } from '../../nginx/refusals.ts'
import type { LimitView } from '../objects/policy.ts'

/** How a limit treats the requests above its rate. */
export type Queue = {
  /** Requests above the rate that are kept instead of rejected; 0 where there is no burst. */
  readonly burst: number
  /** How many of them are served at once; undefined where the policy does not say. */
  readonly delay: number | undefined
  readonly noDelay: boolean
}

/** Reads the queue of a limit; undefined where one of its members cannot be read, as then nothing can be said. */
export function queueOf({ burst, delay, noDelay }: LimitView): Queue | undefined {
  if (!isCount(burst) || !isCount(delay) || (noDelay.raw !== undefined && noDelay.value === undefined)) return undefined
  return { burst: burst.value ?? 0, delay: delay.value, noDelay: noDelay.value ?? false }
}

const isCount = ({ raw, value }: Member<number>): boolean =>
  raw === undefined || (value !== undefined && countProblem(value) === undefined)

/** Requests that can be waiting at the same time. */
export function waiting({ burst, delay = 0, noDelay }: Queue): number {
  return noDelay ? 0 : Math.max(0, burst - delay)
}
