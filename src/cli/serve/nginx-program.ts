/** The nginx that a server is to drive. */
import type { Args } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

/** In milliseconds. */
const VERSION_TIMEOUT = 10_000

/** Reads `--nginx-bin`, and asks the program for its version. Throws {@link InputError} where that is no nginx. */
export async function readNginxProgram(args: Args<'nginx-bin'>): Promise<string> {
  const program = args.value('nginx-bin') ?? 'nginx'
  const { versionOf } = await import('../../proxy/program.ts')
  await versionOf(program, VERSION_TIMEOUT).catch((error: unknown) => {
    throw new InputError(`--nginx-bin ${program}: ${error instanceof Error ? error.message : String(error)}`)
  })
  return program
}
