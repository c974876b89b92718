/** Flags of a command line, read after a table. */
import { nearest } from '../../text/nearest.ts'
import { InputError } from './io.ts'

/** One flag. */
export type Flag = {
  /** One letter: `-h`. */
  readonly short?: string
  /** What its value is called in the help; without it the flag takes none. */
  readonly value?: string
  /** True where the flag may stand alone. Its value is then written behind an equals sign only: `--fix=all`. */
  readonly isOptional?: boolean
  readonly summary: string
}

/** Flags by name. */
export type Flags<Name extends string = string> = Readonly<Record<Name, Flag>>

/** What a command line says. */
export type Given<Name extends string = string> = {
  has(name: Name): boolean
  /** Its value, the last where it was given more than once; empty where it stands alone. */
  value(name: Name): string | undefined
  values(name: Name): readonly string[]
  /** Everything that is no flag. */
  readonly positionals: readonly string[]
}

/**
 * Reads arguments: `--name value`, `--name=value`, `-n value`, `--name` alone where the flag may, and after `--` no
 * more flags. `command` names the command in errors: `sluice lint`. Throws {@link InputError}.
 */
export function readFlags<Name extends string>(
  flags: Flags<Name>,
  argv: readonly string[],
  command: string,
): Given<Name> {
  const given = new Map<string, readonly string[]>()
  const positionals: string[] = []
  const rest = [...argv]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') positionals.push(...rest.splice(0))
    else if (!/^-./.test(argument)) positionals.push(argument)
    else {
      const { name, value } = readFlag(argument, rest, flags, command)
      given.set(name, [...(given.get(name) ?? []), value])
    }
  }
  const values = (name: Name) => given.get(name) ?? []
  return { has: (name) => given.has(name), value: (name) => values(name).at(-1), values, positionals }
}

/** Reads one flag, and its value from what follows. The value is empty where the flag takes none. */
function readFlag(argument: string, rest: string[], flags: Flags, command: string): { name: string; value: string } {
  const equals = argument.startsWith('--') ? argument.indexOf('=') : -1
  const written = equals === -1 ? argument : argument.slice(0, equals)
  const inline = equals === -1 ? undefined : argument.slice(equals + 1)
  const [name, flag] = findFlag(written, flags) ?? []
  if (!name || !flag) throw new InputError(unknownFlag(written, flags, command))
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

/** A negative number is a value, another flag is none. */
const isValue = (argument: string | undefined): boolean => argument !== undefined && !/^-\D/.test(argument)

const findFlag = (written: string, flags: Flags): [name: string, flag: Flag] | undefined =>
  Object.entries(flags).find(([name, { short }]) => written === `--${name}` || written === `-${short}`)

function unknownFlag(rawName: string, flags: Flags, command: string): string {
  const meant = rawName.startsWith('--') ? nearest(rawName.slice(2), Object.keys(flags)) : undefined
  const hint = meant === undefined ? `"${command} --help" lists them` : `did you mean --${meant}?`
  return `unknown flag ${rawName}; ${hint}`
}
