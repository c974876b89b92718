/** What a command gets from the process that runs it, and how it can end. */
import type { Syntax } from '../../reports/escapes.ts'

/** `exact`: a text of our own, or one that the user wants as it is. */
type OutputSyntax = Syntax | 'exact'

/** A stream of text. */
export type Output = {
  /**
   * Writes the whole text; nothing once the reader has closed the stream. The syntax says how words of others in it are
   * made harmless; default: that of a text for people.
   */
  write(text: string, syntax?: OutputSyntax): void
  /**
   * The same for a server, which goes on whatever becomes of its output: never throws, and never waits for a reader.
   * `onLost` is called, now or later, where the text could not be written; default: as `write` does it.
   */
  offer?(text: string, syntax: OutputSyntax | undefined, onLost: (reason: string) => void): void
  readonly isTTY: boolean
  /** Resolves when a text could not be written because the reader has closed the stream. */
  readonly closed?: Promise<undefined>
  /** True for a file on the disk. */
  readonly isFile: boolean
  /** Columns of the terminal; undefined where it is not one. */
  readonly columns: number | undefined
}

/** Everything that a command uses of its process. */
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
  /** The date in UTC: `2027-01-31`. */
  today(): string
  /** `20.19.0`. */
  readonly nodeVersion: string
  /** Is called when a command did its work, not merely found that there was nothing to do. */
  onWork?(): void
}

/** Writes a text without ever throwing: for servers, and for the last words of a command. */
export function offerTo(
  output: Output,
  text: string,
  syntax?: OutputSyntax,
  onLost: (reason: string) => void = () => {},
): void {
  try {
    if (output.offer) output.offer(text, syntax, onLost)
    else output.write(text, syntax)
  } catch (error) {
    onLost(error instanceof Error ? error.message : String(error))
  }
}

/** Exit codes. */
export const EXIT = {
  clean: 0,
  /** Findings at or above the threshold. */
  findings: 1,
  /** Wrong usage, or input that cannot be read. */
  input: 2,
  /** A fault in sluice. */
  fault: 3,
} as const

/** What a user can cause: one line that says what is wrong and what to do. Exit code 2. */
export class InputError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InputError'
  }
}

/** Throws {@link InputError} where the running Node is older than `minimum`, written `major.minor`. */
export function requireNode(minimum: string, { nodeVersion }: Pick<Io, 'nodeVersion'>): void {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = minimum.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return
  throw new InputError(`this command needs Node ${minimum} or newer; this is ${nodeVersion}`)
}
