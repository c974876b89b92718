/** Turns of the event loop. */

let end: Promise<void> | undefined

/**
 * Resolves, for all who ask during one turn of the event loop at once, when everything that had come in by then has
 * been looked at. Answers that are sent together wake their reader once; where nobody else has asked, it is the next
 * thing that happens.
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
