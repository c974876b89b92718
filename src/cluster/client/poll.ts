/** Something that is looked after from time to time, and again soon where that failed. */
import type { Clock } from './clock.ts'
import { reasonOf } from './failure.ts'

export type Looking = {
  readonly clock: Clock
  look(isStopped: () => boolean): Promise<void>
  /** Called with what went wrong, in one line. */
  failed(reason: string): void
}

/** Milliseconds between two looks, and after a failure. */
const PERIOD = 60_000
const PATIENCE = 5_000

/** Looks at once, and on until stopped. Never throws. */
export function keepLooking({ clock, look, failed }: Looking): { stop(): void } {
  let isStopped = false
  let cancel = (): void => undefined
  const goOn = async (): Promise<void> => {
    let next = PERIOD
    await look(() => isStopped).catch((error: unknown) => {
      next = PATIENCE
      if (!isStopped) failed(reasonOf(error))
    })
    if (!isStopped) cancel = clock.after(next, () => void goOn())
  }
  void goOn()
  return {
    stop() {
      isStopped = true
      cancel()
    },
  }
}
