/** The port beside the work: is it alive, can it answer, what are its numbers. */
import express, { type Express } from 'express'
import type { Metrics } from './metrics.ts'
import { HttpProblem, sendProblem, sendText } from './problem.ts'

export type HealthOptions = {
  readonly metrics: Metrics
  /** Why requests cannot be answered now; undefined while they can. */
  notReady(): string | undefined
}

/** Builds `/healthz`, `/readyz` and `/metrics`. */
export function createHealthApp({ metrics, notReady }: HealthOptions): Express {
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
  app.use((request, response) => sendProblem(response, new HttpProblem(404, `there is nothing at ${request.path}`)))
  return app
}
