/** Expensive work, a few pieces at a time: what is more important comes first, and what waits is bounded. */
import { HttpError } from '../../../http/http-error.ts'

/** How a queue is bounded. */
export type WorkQueueOptions = {
  readonly parallel: number
  readonly mostWaiting: number
  /** A number from 0 up to, but not including, 1. */
  random(): number
}

type Waiting = { readonly rank: number; start(): void; refuse(error: HttpError): void }

/**
 * Creates a queue. Work of a lower rank is done first, and in the order of its arrival. Where too much waits, one piece of the
 * highest rank is refused with 503, chosen by chance, also among those that wait already: whoever sends a lot pushes out
 * mostly what he has sent himself, and nobody is kept out by always being late.
 */
export function createWorkQueue({ parallel, mostWaiting, random }: WorkQueueOptions) {
  const waiting: Waiting[] = []
  let running = 0
  const next = () => {
    if (running >= parallel) return
    const first = waiting.shift()
    if (!first) return
    running += 1
    first.start()
  }
  const add = (one: Waiting) => {
    const place = waiting.findIndex(({ rank }) => rank > one.rank)
    waiting.splice(place < 0 ? waiting.length : place, 0, one)
    if (waiting.length <= mostWaiting) return
    const start = waiting.findIndex(({ rank }) => rank === waiting.at(-1)?.rank)
    const [dropped] = waiting.splice(start + Math.floor(random() * (waiting.length - start)), 1)
    dropped?.refuse(new HttpError(503, 'too many logins at once: nothing was changed', { retryAfter: 2 }))
  }
  return <Value>(rank: number, work: () => Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      const start = () => {
        work()
          .then(resolve, reject)
          .finally(() => {
            running -= 1
            next()
          })
      }
      add({ rank, start, refuse: reject })
      next()
    })
}
