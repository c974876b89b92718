/** The page as a server of its own, without an API. */
import express, { type ErrorRequestHandler } from 'express'
import { HttpError, sendProblem } from '../../http/http-error.ts'
import { type Address, close, createPlainServer, listen } from '../../http/listen.ts'
import type { Assets } from './assets.ts'
import { createStudioRouter } from './router.ts'

/** Serves it over plain HTTP. Rejects where the port cannot be used. */
export async function serveStudio(
  address: Address,
  assets: Assets,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(createStudioRouter(assets))
  app.use((request) => {
    throw new HttpError(404, `there is nothing at ${request.path.slice(0, 200)}`)
  })
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) =>
    sendProblem(response, error instanceof HttpError ? error : new HttpError(400, 'the request cannot be read'))
  app.use(onError)
  const server = createPlainServer(app)
  const port = await listen(server, address)
  return { port, stop: () => close(server, { idle: 0, grace: 1_000 }) }
}
