/** The command line: finds the command, runs it, and puts what goes wrong into one line. */
import { COMMANDS } from './commands.ts'
import { guardLog } from './guard-log.ts'
import { EXIT, InputError, type Io } from './io.ts'

/** Runs one command line; answers the exit code. Never throws. */
export async function main(surroundings: Io): Promise<number> {
  const io = guardLog(surroundings)
  try {
    return await dispatch(io)
  } catch (error) {
    return explainFailure(error, io)
  }
}

async function dispatch(io: Io): Promise<number> {
  const [first, ...rest] = io.argv
  if (first === undefined || first.startsWith('-')) return await dispatchFlag(first, io)
  const row = COMMANDS.find(({ name }) => name === first)
  const command = row ? await row.load() : await (await import('../help/help.ts')).loadCommand(first, COMMANDS)
  if (!asksForHelp(rest)) return await command.run(io, rest)
  const { describeCommand } = await import('../help/help.ts')
  io.stdout.write(describeCommand(command))
  return EXIT.clean
}

async function dispatchFlag(flag: string | undefined, io: Io): Promise<number> {
  if (flag === '--version' || flag === '-V') {
    const { VERSION } = await import('../version/version.ts')
    io.stdout.write(`${VERSION}\n`)
    io.onWork?.()
    return EXIT.clean
  }
  const { overview } = await import('../help/help.ts')
  if (flag === '--help' || flag === '-h') {
    io.stdout.write(overview(COMMANDS))
    return EXIT.clean
  }
  if (flag !== undefined) throw new InputError(`unknown flag ${flag}; a command comes first, such as "sluice lint"`)
  io.stderr.write(overview(COMMANDS))
  return EXIT.input
}

/** `--help` wins over everything that stands before `--`. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).some((argument) => argument === '--help' || argument === '-h')
}

function explainFailure(error: unknown, { stderr, argv }: Io): number {
  if (error instanceof InputError) {
    stderr.write(`sluice: ${error.message}\n`)
    return EXIT.input
  }
  const isVerbose = argv.includes('--verbose')
  const message = error instanceof Error ? error.message : String(error)
  stderr.write(
    `sluice: a fault of sluice, not of your files: ${message}${isVerbose ? '' : ' (--verbose shows where)'}\n`,
  )
  if (isVerbose && error instanceof Error) stderr.write(`${error.stack}\n`)
  return EXIT.fault
}
