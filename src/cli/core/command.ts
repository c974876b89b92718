/** What a command is. */
import { nearest } from '../../text/nearest.ts'
import { type Args, type Flags, parseArgs } from './flags.ts'
import { InputError, type Io } from './io.ts'

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
  /** What the first argument chooses, each with flags of its own: `serve admission`. */
  readonly parts?: readonly CommandHelp[]
  /** What a part is: `server`. */
  readonly kind?: string
}

/** One command. `run` returns the exit code. */
export type Command = CommandHelp & { run(io: Io, argv: readonly string[]): number | Promise<number> }

type Spec<Name extends string> = Omit<CommandHelp, 'flags' | 'parts' | 'kind'> & {
  readonly flags: Flags<Name>
  run(io: Io, args: Args<Name>): number | Promise<number>
}

/** Makes a command: `run` gets the arguments parsed. */
export function command<Name extends string>({ run, ...help }: Spec<Name>): Command {
  return { ...help, run: (io, argv) => run(io, parseArgs(help.flags, argv, `sluice ${help.name}`)) }
}

type GroupSpec = Omit<CommandHelp, 'flags' | 'usage' | 'parts'> & {
  readonly parts: readonly Command[]
  readonly kind: string
  /** What is missing where no part is named: `what to serve?`. */
  readonly question: string
}

/** Makes a command of which the first argument chooses a part. A flag that only other parts have is refused. */
export function commandGroup({ question, ...help }: GroupSpec): Command {
  const { name, parts } = help
  const all: Flags = Object.assign({}, ...parts.map(({ flags }) => flags))
  // Which flags need others is the part's to say.
  const lenient = Object.fromEntries(Object.entries(all).map(([flag, { needs: _, ...spec }]) => [flag, spec]))
  return {
    ...help,
    usage: `${parts.map(partName).join('|')} [flags]`,
    flags: {},
    run(io, argv) {
      const guess = findPart(help, argv)
      const { positionals, has } = parseArgs(lenient, argv, `sluice ${guess?.name ?? name}`, guess?.flags)
      const part = readPart(positionals, { ...help, question })
      const foreign = Object.keys(all).find((flag) => has(flag) && !Object.hasOwn(part.flags, flag))
      if (foreign === undefined) return part.run(io, argv)
      throw new InputError(
        `--${foreign} is a flag of ${listed(parts.filter(({ flags }) => Object.hasOwn(flags, foreign)))}`,
      )
    },
  }
}

const listed = (parts: readonly CommandHelp[]): string => parts.map(({ name }) => `"sluice ${name}"`).join(' or ')

function readPart([what = '', ...others]: readonly string[], { name, parts, kind, question }: GroupSpec): Command {
  const part = others.length === 0 ? parts.find((one) => partName(one) === what) : undefined
  if (part) return part
  const meant = others.length > 0 ? undefined : nearest(what, parts.map(partName))
  throw new InputError(
    meant === undefined
      ? `${question} ${listed(parts)}`
      : `unknown ${kind} "${what}"; did you mean "sluice ${name} ${meant}"?`,
  )
}

/** The word that chooses a part: `admission` of `serve admission`. */
export const partName = ({ name }: CommandHelp): string => name.slice(name.indexOf(' ') + 1)

/** The part that the arguments seem to name; undefined where they name none. */
export const findPart = (
  { parts = [] }: Pick<CommandHelp, 'parts'>,
  argv: readonly string[],
): CommandHelp | undefined => argv.flatMap((argument) => parts.filter((part) => partName(part) === argument))[0]

/** A row of the table of commands: what the overview shows, and how to load the rest. */
export type CommandRow = {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}
