/** When the controller looks at the cluster: shortly after changes, and never twice at a time. */
import type { Clock } from '../cluster/client/clock.ts'

export type RoundsOptions = {
  readonly clock: Clock
  /** Has nginx run what the cluster says; undefined where there is no nginx. */
  readonly enforce: (() => Promise<void>) | undefined
  /** Compares statuses. */
  compare(): void
  /** A fault; the next change begins another round. */
  failed(error: unknown): void
}

export type Rounds = {
  /** Something has changed. */
  schedule(): void
  /** Begins no other round, and waits for the one that runs. */
  stop(): Promise<void>
}

/** Milliseconds in which changes are collected. */
const COLLECTED = 50

/** How often nginx gets what has changed while it was asked, before statuses are compared all the same. */
const TURNS = 3

/** First nginx, then the statuses with what it said: a status that changed twice would be read twice. */
export function createRounds({ clock, enforce, compare, failed }: RoundsOptions): Rounds {
  let cancel: (() => void) | undefined
  let current: Promise<void> | undefined
  let isOutdated = false
  let isStopped = false

  async function round(): Promise<void> {
    isOutdated = false
    await enforce?.()
    for (let turn = 1; enforce && isOutdated && turn < TURNS && !isStopped; turn++) {
      isOutdated = false
      await enforce()
    }
    if (!isStopped) compare()
  }
  function begin(): void {
    cancel = undefined
    current = round()
      .catch(failed)
      .then(() => {
        current = undefined
        if (isOutdated) schedule()
      })
  }
  function schedule(): void {
    isOutdated = true
    if (!isStopped && !current) cancel ??= clock.after(COLLECTED, begin)
  }
  return {
    schedule,
    async stop() {
      isStopped = true
      cancel?.()
      await current
    },
  }
}
