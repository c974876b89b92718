/** How servers end, and why they cannot begin. */
import { InputError } from '../core/io.ts'

/** Resolves to the name of the first signal that asks this process to end. */
export const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
  })

/** Milliseconds until the endpoints of a Service no longer name this replica. */
export const DRAIN = 3_000

/** Turns errors of listening that the user can fix into {@link InputError}, and throws the others again. */
export function throwListenError(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const port = error instanceof Error && 'port' in error ? `port ${error.port}` : 'that address'
  if (code === 'EADDRINUSE')
    throw new InputError(`${port} is in use: choose another with --port or --health-port; 0 is a free one`)
  if (code === 'EACCES') throw new InputError(`no permission to listen on ${port}: choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new InputError('--host is not an address of this machine')
  throw error
}
