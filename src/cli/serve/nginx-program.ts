/** The nginx that a server is to drive. */
import type { Log } from '../../http/log.ts'
import type { Args } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

/** True where nginx ends with its server: as asked, and in a container, which ends with its process 1. */
export const endsNginx = (args: Args<'stop-nginx'>): boolean => args.has('stop-nginx') || process.pid === 1

/** Logs at the end of a server that its nginx does not end, if it runs. */
export function logThatNginxGoesOn(log: Log, pid: number | undefined, fields: object = {}): void {
  if (pid === undefined) return
  log.info(
    { ...fields, pid },
    `nginx goes on serving: "kill -QUIT ${pid}" ends it; with --stop-nginx it ends with the server`,
  )
}

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
