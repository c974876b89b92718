/** `sluice help`, and the help of every command. */

import { wrap } from '../../reports/style.ts'
import { nearest } from '../../text/nearest.ts'
import { type Command, type CommandHelp, type CommandRow, command, findPart, partName } from '../core/command.ts'
import type { Flag } from '../core/flags.ts'
import { EXIT, InputError } from '../core/io.ts'

/** The help command for a table of commands. */
export const createHelpCommand = (rows: readonly CommandRow[]): Command =>
  command({
    name: 'help',
    summary: 'show how to use a command',
    usage: '[command]',
    flags: {},
    examples: [
      { line: 'sluice help', does: 'list the commands' },
      { line: 'sluice help lint', does: 'the flags and examples of lint' },
      { line: 'sluice help serve mesh', does: 'of one of the servers' },
    ],
    run: async (io, { positionals }) => {
      const [name, ...rest] = positionals
      const found = name === undefined ? undefined : await loadCommand(name, rows)
      io.stdout.write(found ? describeCommand(findPart(found, rest) ?? found) : overview(rows))
      io.onWork?.()
      return EXIT.clean
    },
  })

/** Loads a command by its name. Throws {@link InputError} if there is none. */
export async function loadCommand(name: string, rows: readonly CommandRow[]): Promise<Command> {
  const row = rows.find((command) => command.name === name)
  if (row) return await row.load()
  const meant = nearest(
    name,
    rows.map((command) => command.name),
  )
  const path = /[./*\\]/.test(name) ? `lint ${name}` : undefined
  const hint = meant ?? path
  throw new InputError(
    `unknown command "${name}"; ${hint ? `did you mean "sluice ${hint}"?` : '"sluice help" lists them'}`,
  )
}

/** The width of the narrowest usual terminal. */
const COLUMNS = 80

type Rows = readonly (readonly [left: string, right: string])[]

/** What sluice is, in a line. */
export const SUMMARY = 'a policy linter for NGINX rate limiting on Kubernetes'

/** Command lines to begin with. */
export const EXAMPLES: Rows = [
  ['sluice lint', 'check the current folder'],
  ['sluice lint k8s --max-warnings 0', 'in CI: fail on warnings too'],
  ['helm template charts/shop | sluice lint -', 'check what Helm renders'],
  ['sluice explain gateway/rate-syntax', 'why a rule exists'],
]

/** What the exit codes mean. */
export const EXIT_CODES: Rows = [
  ['0', 'success: no findings that fail the run'],
  ['1', 'findings: errors, or more warnings than --max-warnings allows'],
  ['2', 'wrong usage, or input that cannot be read; all other input is still checked'],
  ['3', 'a fault in sluice, not in your files'],
]

/** The page of `sluice --help`. */
export function overview(rows: readonly CommandRow[]): string {
  return page([
    `sluice: ${SUMMARY}`,
    section('Usage', [['sluice <command> [flags]', '']]),
    section(
      'Commands',
      rows.map(({ name, summary }) => [name, summary]),
    ),
    section('Examples', EXAMPLES),
    section('Exit codes', EXIT_CODES),
    '"sluice help <command>" describes a command.',
  ])
}

/** The page of `sluice <command> --help`. */
export function describeCommand(help: CommandHelp): string {
  const { name, summary, usage, details, flags, examples, parts = [], kind = 'part' } = help
  const rows = Object.entries<Flag>({ ...flags, ...HELP_FLAG })
  return page([
    `sluice ${name}: ${summary}`,
    section('Usage', [[`sluice ${name} ${usage}`, '']]),
    details ?? '',
    section(
      `${kind[0]?.toUpperCase()}${kind.slice(1)}s`,
      parts.map((part) => [partName(part), part.summary]),
    ),
    section(
      'Flags',
      rows.map(([flag, spec]) => [flagName(flag, spec), spec.summary]),
    ),
    ['Examples', ...examples.map(({ line, does }) => `  # ${does}\n  ${line}`)].join('\n'),
    parts.length > 0 ? `"sluice ${name} <${kind}> --help" describes a ${kind}.` : '',
  ])
}

/** The flag that every command has. */
export const HELP_FLAG = { help: { short: 'h', summary: 'show how to use the command' } } as const

/** `-n, --namespace NS` */
export const flagName = (name: string, { short, value, isOptional = false }: Flag): string => {
  const behind = value === undefined ? '' : isOptional ? `[=${value}]` : ` ${value}`
  return `${short === undefined ? '' : `-${short}, `}--${name}${behind}`
}

const page = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

function section(title: string, rows: Rows): string {
  if (rows.length === 0) return ''
  const width = Math.max(...rows.map(([left]) => left.length))
  const described = rows.map(([left, right]) => {
    const [first = '', ...rest] = wrap(right, COLUMNS - width - 4, (text) => text.length)
    return [`  ${left.padEnd(width)}  ${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(width + 4) + line)].join(
      '\n',
    )
  })
  return [title, ...described].join('\n')
}
