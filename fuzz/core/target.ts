/** What is fuzzed: how a target makes its inputs, and what must hold for each. */
import type { Random } from '../../bench/random.ts'

/** An input: plain data, so that it can be written to a file, made smaller and tried again. */
export type Input = null | boolean | number | string | Input[] | { [member: string]: Input }

/** What does not hold for an input. */
export type Problem = {
  /** The same for inputs with the same mistake. */
  readonly what: string
  readonly detail: string
}

/** One part of sluice that reads what others wrote. */
export type Target = {
  readonly name: string
  /** What it reads, in a few words. */
  readonly reads: string
  /** A random input: the same for the same random numbers. */
  make(random: Random): Input
  open(): Promise<OpenTarget>
}

/** A target that is ready to be asked. */
export type OpenTarget = {
  /** Called with inputs that are checked next, for targets that ask another program about many at once. */
  prepare?(inputs: readonly Input[]): void
  /** Everything that does not hold for an input. What it throws is a problem as well. */
  check(input: Input): readonly Problem[] | Promise<readonly Problem[]>
  /** Called after the last input. */
  close?(): Promise<readonly Problem[]>
}
