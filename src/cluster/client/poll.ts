/** Repeats a task every minute, and sooner after a failure. */
import type { Clock } from './clock.ts'
import { reasonOf } from './failure.ts'

export type Polling = {
  readonly clock: Clock
  attempt(isStopped: () => boolean): Promise<void>
  /** Called with what went wrong, in one line. */
  failed(reason: string): void
}

/** Milliseconds between two attempts, and after a failure. */
const PERIOD = 60_000
const RETRY_DELAY = 5_000

/** Starts at once, and repeats until stopped. Never throws. */
export function poll({ clock, attempt, failed }: Polling): { stop(): void } {
  let isStopped = false
  let cancel = (): void => undefined
  const repeat = async (): Promise<void> => {
    let next = PERIOD
    await attempt(() => isStopped).catch((error: unknown) => {
      next = RETRY_DELAY
      if (!isStopped) failed(reasonOf(error))
    })
    if (!isStopped) cancel = clock.after(next, () => void repeat())
  }
  void repeat()
  return {
    stop() {
      isStopped = true
      cancel()
    },
  }
}
