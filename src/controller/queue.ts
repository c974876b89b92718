/**
 * Writes that wait: the newest for each object, several at a time, again later where one fails, and ever more slowly where
 * somebody keeps undoing them.
 */
import type { Clock } from '../cluster/client/clock.ts'
import { statusOf } from '../cluster/client/failure.ts'
import type { StatusWrite } from './write.ts'

export type QueueOptions = {
  readonly clock: Clock
  /** True while writes may be made. */
  mayWrite(): boolean
  /** Rejects with the error of the API server. */
  perform(write: StatusWrite): Promise<void>
  written(write: StatusWrite): void
  /** `delay` in milliseconds is how long the object is left alone; none where a new version of it is all that is needed. */
  failed(write: StatusWrite, error: unknown, delay: number): void
  /** Called when something may have to be written that was put off. */
  again(): void
}

export type Queue = {
  /** Replaces what waits. */
  offer(writes: readonly StatusWrite[]): void
  /** How many writes wait or are being made. */
  size(): number
  /** Makes no more writes; resolves when those that have begun are done. */
  stop(): Promise<void>
}

/** Writes at a time. */
const LANES = 8

/** Milliseconds before an object is tried again: doubled with each failure. */
const RETRY = { first: 250, most: 300_000 }
/** Milliseconds for which a write may not be seen by the watch: the same one is not made again before. */
const UNSEEN = 30_000
/** An object that is written more often than this, without a pause in between, is fought over. */
const PEACEFUL = { writes: 10, pause: 60_000 }

/** What is known of the latest write of an object. */
type Latest = {
  readonly basedOn: string
  /** Consecutive failures, and consecutive writes. */
  readonly failures: number
  readonly writes: number
  /** Nothing is written before; for what is based on the same version, before `sameFrom`. */
  readonly from: number
  readonly sameFrom: number
}

/** Creates an empty queue. */
export function createQueue(options: QueueOptions): Queue {
  const { clock, mayWrite, perform, written, failed, again } = options
  let waiting = new Map<string, StatusWrite>()
  const running = new Map<string, Promise<void>>()
  const latest = new Map<string, Latest>()
  let isStopped = false
  let cancel = (): void => undefined

  const startOf = ({ key, basedOn }: StatusWrite): number => {
    const last = latest.get(key)
    return last ? (last.basedOn === basedOn ? Math.max(last.from, last.sameFrom) : last.from) : 0
  }
  const run = async (write: StatusWrite): Promise<void> => {
    const before = latest.get(write.key)
    try {
      await perform(write)
      latest.set(write.key, afterWrite(write, before, clock.now()))
      written(write)
    } catch (error) {
      const next = afterFailure(write, before, { now: clock.now(), random: clock.random(), error })
      latest.set(write.key, next)
      failed(write, error, next.from - clock.now())
    }
    running.delete(write.key)
    if (running.size === 0 && waiting.size === 0) again()
    else work()
  }
  const work = (): void => {
    for (const [key, write] of waiting) {
      if (isStopped || running.size >= LANES || !mayWrite()) return
      waiting.delete(key)
      running.set(key, run(write))
    }
  }
  return {
    offer(writes) {
      const now = clock.now()
      for (const [key, { from, sameFrom }] of latest)
        if (Math.max(from, sameFrom) + PEACEFUL.pause < now) latest.delete(key)
      const free = writes.filter(({ key }) => !running.has(key))
      const putOff = free.map(startOf).filter((start) => start > now)
      waiting = new Map(free.filter((write) => startOf(write) <= now).map((write) => [write.key, write]))
      cancel()
      if (putOff.length > 0) cancel = clock.after(Math.min(...putOff) - now, again)
      work()
    },
    size: () => waiting.size + running.size,
    async stop() {
      isStopped = true
      cancel()
      await Promise.all(running.values())
    },
  }
}

const backoff = (times: number, random: number): number =>
  Math.min(RETRY.most, RETRY.first * 2 ** Math.min(times - 1, 20)) * (1 - random / 4)

function afterWrite({ basedOn }: StatusWrite, before: Latest | undefined, now: number): Latest {
  const writes = (before?.writes ?? 0) + 1
  const excess = writes - PEACEFUL.writes
  return { basedOn, failures: 0, writes, from: now + (excess > 0 ? backoff(excess, 0) : 0), sameFrom: now + UNSEEN }
}

type Failed = { readonly now: number; readonly random: number; readonly error: unknown }

/** After a conflict, or where the object is gone, the watch brings another version, which may be tried at once. */
function afterFailure({ basedOn }: StatusWrite, before: Latest | undefined, { now, random, error }: Failed): Latest {
  const failures = (before?.failures ?? 0) + 1
  const start = now + backoff(failures, random)
  const status = statusOf(error)
  const isOutdated = status === 409 || status === 404
  return { basedOn, failures, writes: before?.writes ?? 0, from: isOutdated ? now : start, sameFrom: start }
}
