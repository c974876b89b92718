/** Time and random numbers for watches and certificates; an argument, so that tests control them. */

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls a function after some milliseconds; returns what cancels it. A waiting call does not keep the process alive. */
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
