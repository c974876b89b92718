/** `sluice serve studio`: serves the page on this machine, and stops it on a signal. */
import { join } from 'node:path'
import { serve } from '../../http/listen.ts'
import { readAssets } from '../../servers/studio/assets.ts'
import { createStudioApp } from '../../servers/studio/router.ts'
import { InputError, type Io } from '../core/io.ts'
import { isLoopback, readPort, type StudioArgs } from './flags.ts'
import { runServer, throwListenError } from './run-server.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export async function runStudio(process: Io, args: StudioArgs): Promise<number> {
  const host = args.value('host') ?? '127.0.0.1'
  if (!isLoopback(host))
    throw new InputError(`the page is served without TLS, on a loopback address such as 127.0.0.1; --host is ${host}`)
  const address = { host, port: readPort(args, 'port', 8080), material: undefined }
  return await runServer(process, args, async ({ io, log }) => {
    const app = createStudioApp(readAssets(STUDIO, 'index'), log)
    const { port, stop } = await serve(() => app, address).catch(throwListenError)
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
    return {
      fields: { port, host, url },
      follow: () => void io.stderr.write(`Open ${url}playground in a browser. Ctrl-C ends it.\n`),
      stop: () => stop({ drain: 0, grace: 1_000, idle: 0 }),
    }
  })
}

/** The build writes the page beside the command line. */
export const STUDIO = join(import.meta.dirname, 'studio')
