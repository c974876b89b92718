/** Repeats a task every minute, sooner after a failure, and whenever it is asked to. */
import type { Clock } from './clock.ts'
import { reasonOf } from './failure.ts'

export type Polling = {
  readonly clock: Clock
  attempt(isStopped: () => boolean): Promise<void>
  /** Called with what went wrong, in one line. */
  failed(reason: string): void
}

/** Milliseconds between two attempts, and after a failure. */
export const PERIOD = 60_000
const RETRY_DELAY = 5_000

/** A task that is repeated. */
export type Poll = {
  /** The next attempt begins in so many milliseconds, unless one is to begin before. */
  within(milliseconds: number): void
  stop(): void
}

/** Starts at once, and repeats until stopped: one attempt at a time. Never throws. */
export function poll({ clock, attempt, failed }: Polling): Poll {
  let isStopped = false
  let isRunning = false
  let next = 0
  let cancel = (): void => undefined
  const schedule = (at: number): void => {
    next = at
    if (isStopped || isRunning) return
    cancel()
    cancel = clock.after(Math.max(0, at - clock.now()), () => void run())
  }
  const run = async (): Promise<void> => {
    isRunning = true
    next = Number.POSITIVE_INFINITY
    let pause = PERIOD
    await attempt(() => isStopped).catch((error: unknown) => {
      pause = RETRY_DELAY
      if (!isStopped) failed(reasonOf(error))
    })
    isRunning = false
    schedule(Math.min(next, clock.now() + pause))
  }
  void run()
  return {
    within(milliseconds) {
      const at = clock.now() + milliseconds
      if (at < next) schedule(at)
    },
    stop() {
      isStopped = true
      cancel()
    },
  }
}
