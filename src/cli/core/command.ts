/** What a command is. */
import { type Args, type Flags, parseArgs } from './flags.ts'
import type { Io } from './io.ts'

/** A command line and what it does. */
type Example = { readonly line: string; readonly does: string }

/** The content of a command's help. */
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

/** One command. `run` returns the exit code. */
export type Command = CommandHelp & { run(io: Io, argv: readonly string[]): number | Promise<number> }

type Spec<Name extends string> = Omit<CommandHelp, 'flags'> & {
  readonly flags: Flags<Name>
  run(io: Io, args: Args<Name>): number | Promise<number>
}

/** Makes a command: `run` gets the arguments parsed. */
export function command<Name extends string>({ run, ...help }: Spec<Name>): Command {
  return { ...help, run: (io, argv) => run(io, parseArgs(help.flags, argv, `sluice ${help.name}`)) }
}

/** A row of the table of commands: what the overview shows, and how to load the rest. */
export type CommandRow = {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}
