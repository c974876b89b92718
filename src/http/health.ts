/** The port for probes and metrics: is the server alive, is it ready, what has it counted. */
import express, { type Express } from 'express'
import { HttpError, sendProblem, sendText } from './http-error.ts'
import { type Address, close, createPlainServer, listen } from './listen.ts'
import type { ShownMetrics } from './metrics.ts'

/** What the port for probes and metrics shows. */
export type HealthOptions = {
  readonly metrics: ShownMetrics
  /** Why requests cannot be served now; undefined while they can. */
  notReady(): string | undefined
}

/** Builds `/healthz`, `/readyz` and `/metrics`. */
function createHealthApp({ metrics, notReady }: HealthOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
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
  app.use((request, response) => sendProblem(response, new HttpError(404, `there is nothing at ${request.path}`)))
  return app
}

/** Serves them. Rejects where the port cannot be used. */
export async function serveHealth(
  address: Address,
  options: HealthOptions,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = createPlainServer(createHealthApp(options))
  const port = await listen(server, address)
  return { port, stop: () => close(server, { idle: 0, grace: 0 }) }
}
