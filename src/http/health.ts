/** The port for probes and metrics: is the server alive, is it ready, what has it counted. */
import type { Express } from 'express'
import { asHttpError, createApp, endRoutes, shownPath } from './app.ts'
import { sendProblem, sendText } from './http-error.ts'
import { close, createPlainServer, listen, type StopTimes } from './listen.ts'
import type { Log } from './log.ts'
import type { ShownMetrics } from './metrics.ts'

/** What the port shows. */
type Shown = {
  readonly metrics: ShownMetrics
  /** Why requests cannot be served now; undefined while they can. */
  notReady(): string | undefined
}

/** The port for probes and metrics; without a host on all addresses. */
export type HealthOptions = Shown & {
  readonly host: string | undefined
  readonly healthPort: number
  /** Gets faults while metrics are read. */
  readonly log?: Pick<Log, 'error'>
}

/** Builds `/healthz`, `/readyz` and `/metrics`. */
function createHealthApp({ metrics, notReady, log }: Shown & Pick<HealthOptions, 'log'>): Express {
  const app = createApp()
  app.get('/healthz', (_request, response) => sendText(response, 200, 'ok\n'))
  app.get('/readyz', (_request, response) => {
    const reason = notReady()
    sendText(response, reason === undefined ? 200 : 503, `${reason ?? 'ok'}\n`)
  })
  app.get('/metrics', async (_request, response) => {
    const text = await metrics.metrics()
    response.setHeader('content-type', metrics.contentType)
    response.end(text)
  })
  return endRoutes(app, {
    notFound: ({ path }) => `there is nothing at ${shownPath(path)}`,
    fail(error, _request, response) {
      const problem = asHttpError(error)
      if (problem.status === 500) log?.error({ error }, 'a request failed')
      sendProblem(response, problem)
    },
  })
}

/** What stops a server. */
type Stopping = { stop(times: StopTimes): Promise<void> }

/**
 * Serves them beside another server, which is stopped first, and is not ready from then on. Rejects where the port cannot be
 * used, after the other one was stopped at once.
 */
export async function serveWithHealth<Beside extends Stopping>(
  beside: Beside,
  { healthPort, host, metrics, notReady, ...options }: HealthOptions,
): Promise<Beside & { readonly healthPort: number }> {
  let isClosing = false
  const server = createPlainServer(
    createHealthApp({ ...options, metrics, notReady: () => (isClosing ? 'shutting down' : notReady()) }),
  )
  const port = await listen(server, { host, port: healthPort }).catch(async (error: unknown) => {
    await beside.stop({ drain: 0, grace: 0 })
    throw error
  })
  return {
    ...beside,
    healthPort: port,
    async stop(times) {
      isClosing = true
      await beside.stop(times)
      await close(server, { idle: 0, grace: 0 })
    },
  }
}
