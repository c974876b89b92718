/** Keys that are an IPv4 address and nothing else: asked for line by line, looked up many at a time. */
import type { Dictionary } from './dictionary.ts'
import type { Plan } from './plan.ts'

export type AddressQueue = {
  /** Asks for the number of an address for an expression; it will belong at a place. */
  ask(expression: number, ipv4: number, place: number): void
  /** Answers all that was asked for. */
  settle(put: (place: number, key: number) => void): void
}

export function createAddressQueue({ expressions }: Pick<Plan, 'expressions'>, dictionary: Dictionary): AddressQueue {
  const queues = expressions.map(() => ({ addresses: new Int32Array(64), places: new Int32Array(64), size: 0 }))
  return {
    ask(expression, ipv4, place) {
      const queue = queues[expression]
      if (!queue) return
      if (queue.size === queue.places.length) {
        queue.addresses = enlarge(queue.addresses)
        queue.places = enlarge(queue.places)
      }
      queue.addresses[queue.size] = ipv4
      queue.places[queue.size] = place
      queue.size += 1
    },
    /** One short loop, in which the processor waits for many places in memory at once. */
    settle(put) {
      for (const [expression, queue] of queues.entries()) {
        const { addresses, places, size } = queue
        for (let index = 0; index < size; index += 1) {
          put(places[index] ?? 0, dictionary.numberOfAddress(expression, addresses[index] ?? 0))
        }
        queue.size = 0
      }
    },
  }
}

function enlarge(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
