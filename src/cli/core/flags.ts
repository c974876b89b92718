/** The flags of a command line, parsed by a table of them. */
import { append } from '../../text/append.ts'
import { nearest } from '../../text/nearest.ts'
import { InputError } from './io.ts'

/** One flag. */
export type Flag = {
  /** One letter: `-h`. */
  readonly short?: string
  /** What its value is called in the help; without it the flag takes no value. */
  readonly value?: string
  /** True where the value may be left out. It must then follow an equals sign: `--fix=all`. */
  readonly isOptional?: boolean
  /** Flags of which one must be there too: without them this one means nothing. */
  readonly needs?: readonly string[]
  /** The values that it takes, for completion; without them its name says what it is, such as FILE. */
  readonly choices?: readonly string[]
  readonly summary: string
}

/** Flags by name. */
export type Flags<Name extends string = string> = Readonly<Record<Name, Flag>>

/** The arguments of a command line. */
export type Args<Name extends string = string> = {
  // Members, not methods: who reads a flag that a command does not have is then an error of types.
  readonly has: (name: Name) => boolean
  /** The value of a flag, the last one where it is repeated; empty where the flag has none. */
  readonly value: (name: Name) => string | undefined
  readonly values: (name: Name) => readonly string[]
  /** Every argument that is not a flag. */
  readonly positionals: readonly string[]
}

/**
 * Parses arguments: `--name value`, `--name=value`, `-n value`, `--name` where the value may be left out, and after
 * `--` positionals only. `list` says in errors where flags are listed: `"sluice lint --help" lists all flags`; `suggested` are
 * the flags that they suggest, default: all. Throws {@link InputError}.
 */
export function parseArgs<Name extends string>(
  flags: Flags<Name>,
  argv: readonly string[],
  list: string,
  suggested: Flags = flags,
): Args<Name> {
  const parsed = new Map<string, readonly string[]>()
  const positionals: string[] = []
  const rest = [...argv]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '') throw new InputError('an argument is empty: ""')
    if (argument === '--') append(positionals, rest.splice(0))
    else if (!/^-./.test(argument)) positionals.push(argument)
    else {
      const { name, value } = parseFlag(argument, rest, flags, (written) => unknownFlag(written, suggested, list))
      parsed.set(name, [...(parsed.get(name) ?? []), value])
    }
  }
  for (const name of parsed.keys()) {
    const { needs = [] } = Object.entries<Flag>(flags).find(([known]) => known === name)?.[1] ?? {}
    if (needs.length > 0 && !needs.some((other) => parsed.has(other)))
      throw new InputError(`--${name} needs ${needs.map((other) => `--${other}`).join(' or ')}`)
  }
  const values = (name: Name) => parsed.get(name) ?? []
  return { has: (name) => parsed.has(name), value: (name) => values(name).at(-1), values, positionals }
}

/** Parses one flag, and takes its value from `rest` where it is there. The value is empty where the flag has none. */
function parseFlag(
  argument: string,
  rest: string[],
  flags: Flags,
  unknown: (written: string) => string,
): { name: string; value: string } {
  const equals = argument.startsWith('--') ? argument.indexOf('=') : -1
  const written = equals === -1 ? argument : argument.slice(0, equals)
  const inline = equals === -1 ? undefined : argument.slice(equals + 1)
  const [name, flag] = findFlag(written, flags) ?? []
  if (!name || !flag) throw new InputError(unknown(written))
  if (flag.value === undefined) {
    if (inline !== undefined) throw new InputError(`${written} takes no value`)
    return { name, value: '' }
  }
  if (flag.isOptional && inline === undefined) return { name, value: '' }
  const value = inline ?? (isValue(rest[0]) ? rest.shift() : undefined)
  if (!value) throw new InputError(`${written} needs a value: ${withValue(written, flag)}`)
  return { name, value }
}

const withValue = (written: string, { value, isOptional = false }: Flag): string =>
  `${written}${isOptional ? '=' : ' '}${value}`

/** Something like `-5` is a value; anything else that begins with a hyphen is a flag. */
const isValue = (argument: string | undefined): boolean => argument !== undefined && !/^-\D/.test(argument)

const findFlag = (written: string, flags: Flags): [name: string, flag: Flag] | undefined =>
  Object.entries(flags).find(([name, { short }]) => written === `--${name}` || written === `-${short}`)

function unknownFlag(written: string, flags: Flags, list: string): string {
  const meant = written.startsWith('--') ? nearest(written.slice(2), Object.keys(flags)) : undefined
  const hint = meant === undefined ? list : `did you mean --${meant}?`
  return `unknown flag ${written}; ${hint}`
}
