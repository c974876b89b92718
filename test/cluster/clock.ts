/** A clock that moves only when a test moves it. */
import type { Clock } from '../../src/cluster/client/clock.ts'

/** A clock in a test's hand. */
export type MovedClock = {
  readonly clock: Clock
  /** Moves it by milliseconds; what waits for it is called then. */
  advance(milliseconds: number): void
  /** True where something waits. */
  isIdle(): boolean
  /** For how many milliseconds, from when it began. */
  waits(): readonly number[]
}

/** Makes a clock that stands at a moment, in milliseconds since 1970. */
export function createClock(begin = Date.now()): MovedClock {
  let now = begin
  let waiting: { readonly call: () => void; readonly milliseconds: number }[] = []
  const clock: Clock = {
    now: () => now,
    after(milliseconds, call) {
      const one = { call, milliseconds }
      waiting.push(one)
      return () => {
        waiting = waiting.filter((other) => other !== one)
      }
    },
    random: () => 0,
  }
  const advance = (milliseconds: number): void => {
    now += milliseconds
    const due = waiting
    waiting = []
    for (const { call } of due) call()
  }
  return {
    clock,
    advance,
    isIdle: () => waiting.length > 0,
    waits: () => waiting.map(({ milliseconds }) => milliseconds),
  }
}
