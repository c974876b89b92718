/** The command line: finds the command, runs it, and turns what it throws into one line. */
import { COMMANDS } from './commands.ts'
import { guardLog } from './guard-log.ts'
import { EXIT, InputError, type Io, offerTo } from './io.ts'

/** Runs one command line and returns the exit code. Never throws. */
export async function main(unguarded: Io): Promise<number> {
  const io = guardLog(unguarded)
  try {
    return await dispatch(io)
  } catch (error) {
    return printError(error, io)
  }
}

async function dispatch(io: Io): Promise<number> {
  const [first, ...rest] = io.argv
  if (first === undefined || first.startsWith('-')) return await dispatchFlag(first, io)
  const row = COMMANDS.find(({ name }) => name === first)
  const command = row ? await row.load() : await (await import('../help/help.ts')).loadCommand(first, COMMANDS)
  if (!wantsHelp(rest)) return await command.run(io, rest)
  const { describeCommand } = await import('../help/help.ts')
  const { findPart } = await import('./command.ts')
  io.stdout.write(describeCommand(findPart(command, rest) ?? command))
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

/** `--help` takes precedence over everything else before `--`. */
function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).some((argument) => argument === '--help' || argument === '-h')
}

function printError(error: unknown, { stderr, argv }: Io): number {
  if (error instanceof InputError) {
    offerTo(stderr, `sluice: ${error.message}\n`)
    return EXIT.input
  }
  const isVerbose = argv.includes('--verbose')
  const message = error instanceof Error ? error.message : String(error)
  offerTo(
    stderr,
    `sluice: a fault in sluice, not in your files: ${message}${isVerbose ? '' : ' (--verbose shows where)'}\n`,
  )
  if (isVerbose && error instanceof Error) offerTo(stderr, `${error.stack}\n`)
  return EXIT.fault
}
