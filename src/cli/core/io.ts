/** What a command gets of the process that runs it, and what it may end with. */

/** A stream that takes text. */
export type Output = {
  /** Writes all of it, or nothing more once nobody reads. */
  write(text: string): void
  readonly isTTY: boolean
  /** Columns of the terminal; undefined where it is none. */
  readonly columns: number | undefined
}

/** The surroundings of a command. */
export type Io = {
  /** Arguments without the program's own name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The bytes of the standard input. */
  readonly stdin: Iterable<Uint8Array>
  readonly stdout: Output
  readonly stderr: Output
  /** Milliseconds of a clock that never goes back; zero is the start of the process. */
  now(): number
  /** `20.19.0`. */
  readonly nodeVersion: string
  /** Hears when a command did what it is there for, not merely that there was nothing to do. */
  onWork?(): void
}

/** Exit codes. */
export const EXIT = {
  clean: 0,
  /** Findings at or above the threshold. */
  findings: 1,
  /** Wrong usage, or input that cannot be read. */
  input: 2,
  /** A fault of ours. */
  fault: 3,
} as const

/** What a user can cause: one line that says what is wrong and what to do. Exit code 2. */
export class InputError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InputError'
  }
}
