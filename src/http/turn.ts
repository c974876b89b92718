/** When work is done: at the end of a turn of the event loop, or one after the other. */

let end: Promise<void> | undefined

/**
 * Resolves when the input of this turn of the event loop has been processed; all calls of one turn share one promise.
 * Responses that are sent together then wake their reader once. Costs nothing when there is only one request.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      resolve()
    })
  })
  return end
}

/** Runs work of one kind one after the other. Settles as the work does. */
export type Queue = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Creates a queue. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
