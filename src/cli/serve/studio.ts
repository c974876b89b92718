/** `sluice serve studio`: serves the page on this machine, and stops it on a signal. */
import { join } from 'node:path'
import { createLog } from '../../http/log.ts'
import { readAssets } from '../../servers/studio/assets.ts'
import { serveStudio } from '../../servers/studio/serve.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { nextSignal, throwListenError } from './ending.ts'
import { isLoopback, readPort, type StudioArgs } from './flags.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export async function runStudio(io: Io, args: StudioArgs): Promise<number> {
  const host = args.value('host') ?? '127.0.0.1'
  if (!isLoopback(host))
    throw new InputError(`the page is served without TLS, on a loopback address such as 127.0.0.1; --host is ${host}`)
  const log = createLog((line) => io.stdout.write(line, 'json'), args.has('verbose') ? 'debug' : 'info')
  const serving = await serveStudio({ host, port: readPort(args, 'port', 8080) }, readAssets(STUDIO, 'index')).catch(
    throwListenError,
  )
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${serving.port}/`
  log.info({ port: serving.port, host, url }, 'listening')
  io.stderr.write(`Open ${url}playground in a browser. Ctrl-C ends it.\n`)
  io.onWork?.()
  log.info({ signal: await nextSignal() }, 'shutting down')
  await serving.stop()
  return EXIT.clean
}

/** The build writes the page beside the command line. */
export const STUDIO = join(import.meta.dirname, 'studio')
