/** `sluice help`, and the help of every command. */
import { nearest } from '../limits/nearest.ts'
import { type Command, type CommandHelp, command } from './command.ts'
import { COMMANDS } from './commands.ts'
import type { Flag } from './flags.ts'
import { InputError } from './io.ts'

export const helpCommand: Command = command({
  name: 'help',
  summary: 'say how a command is used',
  usage: '[command]',
  flags: {},
  examples: [
    { line: 'sluice help', does: 'the commands' },
    { line: 'sluice help lint', does: 'the flags of lint, with examples' },
  ],
  run: async ({ stdout }, { positionals }) => {
    const [name] = positionals
    stdout.write(name === undefined ? overview() : describeCommand(await loadCommand(name)))
    return 0
  },
})

/** Loads a command by its name. Throws {@link InputError} where there is none. */
export async function loadCommand(name: string): Promise<Command> {
  const row = COMMANDS.find((command) => command.name === name)
  if (row) return await row.load()
  const meant = nearest(
    name,
    COMMANDS.map((command) => command.name),
  )
  throw new InputError(`unknown command "${name}"; ${meant ? `did you mean "${meant}"?` : '"sluice help" lists them'}`)
}

/** The page of `sluice --help`. */
export function overview(): string {
  return page([
    'sluice: a policy linter for NGINX rate limiting on Kubernetes',
    section('Usage', [['sluice <command> [flags]', '']]),
    section(
      'Commands',
      COMMANDS.map(({ name, summary }) => [name, summary]),
    ),
    section('Examples', [
      ['sluice lint', 'judge the current folder'],
      ['sluice lint k8s --max-warnings 0', 'in CI: warnings fail too'],
      ['helm template charts/shop | sluice lint -', 'judge what Helm renders'],
      ['sluice explain gateway/rate-syntax', 'why a rule is there'],
    ]),
    '"sluice help <command>" says more of one. Exit codes: 0 clean, 1 findings, 2 usage or input, 3 a fault of sluice.',
  ])
}

/** The page of `sluice <command> --help`. */
export function describeCommand({ name, summary, usage, details, flags, examples }: CommandHelp): string {
  const rows = Object.entries<Flag>({ ...flags, help: { short: 'h', summary: 'show this page' } })
  return page([
    `sluice ${name}: ${summary}`,
    section('Usage', [[`sluice ${name} ${usage}`, '']]),
    details ?? '',
    section(
      'Flags',
      rows.map(([flag, spec]) => [flagName(flag, spec), spec.summary]),
    ),
    section(
      'Examples',
      examples.map(({ line, does }) => [line, does]),
    ),
  ])
}

const flagName = (name: string, { short, value }: Flag): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`

const page = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

function section(title: string, rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return [title, ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd())].join('\n')
}
