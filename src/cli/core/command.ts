/** What a command is. */
import { type Flags, type Given, readFlags } from './flags.ts'
import type { Io } from './io.ts'

/** A command line with what it does. */
export type Example = { readonly line: string; readonly does: string }

/** What the help says of a command. */
export type CommandHelp = {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** What follows the name: `[paths…] [flags]`. */
  readonly usage: string
  /** Paragraphs below the usage. */
  readonly details?: string
  readonly flags: Flags
  readonly examples: readonly Example[]
}

/** One command. `run` answers the exit code. */
export type Command = CommandHelp & { run(io: Io, argv: readonly string[]): number | Promise<number> }

type Spec<Name extends string> = Omit<CommandHelp, 'flags'> & {
  readonly flags: Flags<Name>
  run(io: Io, given: Given<Name>): number | Promise<number>
}

/** Makes a command of its flags and of what it does with them. */
export function command<Name extends string>({ run, ...help }: Spec<Name>): Command {
  return { ...help, run: (io, argv) => run(io, readFlags(help.flags, argv, `sluice ${help.name}`)) }
}

/** A row of the table of commands: what the overview says, and how to get the rest. */
export type CommandRow = {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}
