/** A clock that moves only when a test moves it. */
import type { Clock } from '../../src/cluster/client/clock.ts'

/** A clock in a test's hand. */
export type MovedClock = {
  readonly clock: Clock
  /** Moves it by milliseconds; what waits for it is called then. */
  advance(milliseconds: number): void
  /** True where something waits. */
  isIdle(): boolean
}

/** Makes a clock that stands at a moment, in milliseconds since 1970. */
export function createClock(begin = Date.now()): MovedClock {
  let now = begin
  let waiting: (() => void)[] = []
  const clock: Clock = {
    now: () => now,
    after(_milliseconds, call) {
      waiting.push(call)
      return () => {
        waiting = waiting.filter((other) => other !== call)
      }
    },
    random: () => 0,
  }
  const advance = (milliseconds: number): void => {
    now += milliseconds
    const due = waiting
    waiting = []
    for (const call of due) call()
  }
  return { clock, advance, isIdle: () => waiting.length > 0 }
}
