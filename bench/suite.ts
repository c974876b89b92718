/** What a suite of the benchmarks is. */

/** What came out of a suite. */
export type Measured = {
  readonly figure: string
  /** Undefined where it could not be measured. */
  readonly kept: boolean | undefined
  /** The times or amounts behind the figure. */
  readonly details: string
  /** What else was measured in the same surroundings, as they are dear to make. */
  readonly beside?: readonly (Measured & Pick<Suite, 'what' | 'bar'>)[]
}

export type Suite = {
  readonly name: string
  readonly what: string
  /** The figure to stay at or under. */
  readonly bar: string
  /** Measures `runs` times, in an empty folder of its own. */
  measure(folder: string, runs: number): Measured | Promise<Measured>
}

/** For a suite whose program is not there. */
export const notMeasured = (why: string): Measured => ({ figure: 'not measured', kept: undefined, details: why })
