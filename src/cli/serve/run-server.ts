/** What all servers do from the command line: a log, a signal that ends them, and an orderly end. */
import { countLost, createLog, type Lines, type Log } from '../../http/log.ts'
import { createMetrics, type Metrics, registerLostLines } from '../../http/metrics.ts'
import type { Args } from '../core/flags.ts'
import { EXIT, InputError, type Io, type Output, offerTo } from '../core/io.ts'
import { VERSION } from '../version/version.ts'

/** What a server gets while it is started. */
export type Starting = {
  /** What is written to it may be lost, but never ends the server. */
  readonly io: Io
  readonly log: Log
  /** Writes a line that another process has made for the same log. */
  readonly writeLine: Lines['write']
  /** Describes this process. */
  readonly metrics: Metrics
  /** Calls a function when the server has ended, or could not be started; the last one first. */
  atEnd(end: () => void | Promise<void>): void
}

/** A server that listens. */
export type Started = {
  /** For the first line of the log. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Begins what it does beside requests, such as to follow files. */
  follow?(): void
  /** Lets it end what it does. */
  stop(): Promise<void>
  /** The last line of the log; undefined: there is none. */
  readonly stopped?: string
}

/** Runs a server until the process gets a signal to end. `start` throws {@link InputError} for what the user can fix. */
export async function runServer(
  { stdout, stderr, ...around }: Io,
  args: Args<'verbose'>,
  start: (starting: Starting) => Promise<Started>,
): Promise<number> {
  const io: Io = { ...around, stdout: surviving(stdout), stderr: surviving(stderr) }
  const { write: writeLine, lost } = countLost(
    (line, onLost) => offerTo(stdout, line, 'json', onLost),
    (reason) => io.stderr.write(`sluice: the log cannot be written: ${reason}; the server goes on without it\n`),
  )
  const log = createLog(writeLine, args.has('verbose') ? 'debug' : 'info')
  const metrics = createMetrics(VERSION)
  registerLostLines(metrics, lost)
  const ends: (() => void | Promise<void>)[] = []
  let stopped: string | undefined
  try {
    const server = await start({ io, log, writeLine, metrics, atEnd: (end) => void ends.push(end) })
    stopped = server.stopped
    log.info(server.fields, 'listening')
    server.follow?.()
    io.onWork?.()
    log.info({ signal: await nextSignal() }, 'shutting down')
    await server.stop()
  } finally {
    for (const end of ends.reverse()) await end()
  }
  if (stopped !== undefined) log.info({}, stopped)
  return EXIT.clean
}

const surviving = (output: Output): Output => ({
  ...output,
  write: (text, syntax) => offerTo(output, text, syntax),
})

/** Resolves to the name of the first signal that asks this process to end. */
const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
  })

/** Milliseconds until the endpoints of a Service no longer name this replica. */
const DRAIN = 3_000

/** Milliseconds until the requests in progress must have been answered. */
const GRACE = 15_000

/** How long a server has to stop, where clients find it by a Service, or not. */
export const stopTimes = (isInService: boolean) => ({ drain: isInService ? DRAIN : 0, grace: GRACE })

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
