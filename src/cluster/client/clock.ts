/** Time and chance, as the watches and the certificates take them. */

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls a function after some milliseconds; gives what calls it off. A waiting call keeps no process alive. */
  after(milliseconds: number, call: () => void): () => void
  /** A number of zero or more and below one. */
  random(): number
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: Date.now,
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
  random: Math.random,
}
