/** The end of a turn of the event loop. */

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
