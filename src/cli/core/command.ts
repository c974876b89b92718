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
  return { ...help, run: (io, argv) => run(io, parseArgs(help.flags, argv, listOfFlags(help.name))) }
}

const listOfFlags = (name: string): string => `"sluice ${name} --help" lists all flags`

type GroupSpec = Omit<CommandHelp, 'flags' | 'usage' | 'parts'> & {
  readonly parts: readonly Command[]
  readonly kind: string
  /** What is missing where no part is named: `what to serve?`. */
  readonly question: string
  /** True where more arguments may follow the part: it reads them itself. */
  readonly takesMore?: boolean
}

/** Makes a command of which the first argument chooses a part. A flag that only other parts have is refused. */
export function commandGroup({ question, takesMore = false, ...help }: GroupSpec): Command {
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
      const list = guess
        ? listOfFlags(guess.name)
        : `"sluice ${name} --help" lists the ${help.kind}s, each of which has flags of its own`
      const { positionals, has } = parseArgs(lenient, argv, list, guess?.flags)
      const part = readPart(takesMore ? positionals.slice(0, 1) : positionals, { ...help, question })
      refuseForeign(
        Object.keys(all).filter(has),
        part.name,
        (flag) => parts.filter(({ flags }) => Object.hasOwn(flags, flag)).map((one) => one.name),
        ' or ',
      )
      return part.run(io, argv)
    },
  }
}

/** Throws {@link InputError} for a flag that only other parts have; `homesOf` lists the parts of a flag, none: all have it. */
export function refuseForeign(
  given: readonly string[],
  part: string,
  homesOf: (flag: string) => readonly string[],
  joint = ' and ',
): void {
  for (const flag of given) {
    const homes = homesOf(flag)
    if (homes.length > 0 && !homes.includes(part))
      throw new InputError(`--${flag} is a flag of ${quoted(homes, joint)}`)
  }
}

const quoted = (names: readonly string[], joint: string): string => names.map((name) => `"sluice ${name}"`).join(joint)

function readPart([what = '', ...others]: readonly string[], { name, parts, kind, question }: GroupSpec): Command {
  const part = others.length === 0 ? parts.find((one) => partName(one) === what) : undefined
  if (part) return part
  const meant = others.length > 0 ? undefined : nearest(what, parts.map(partName))
  throw new InputError(
    meant === undefined
      ? `${question} ${quoted(
          parts.map((one) => one.name),
          ' or ',
        )}`
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
