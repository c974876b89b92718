/** What the apps of all servers have alike: a table of routes, what is refused beside it, and what becomes of errors. */
import type { ServerResponse } from 'node:http'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { HttpError } from './http-error.ts'

/** Creates an app without routes. Paths are case-sensitive, and queries are read by whoever needs them. */
export function createApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', false)
  return app
}

/** What a method does at a path, as Express writes it; `get` stands for HEAD, too. */
export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly path: string
  readonly handlers: readonly RequestHandler[]
}

/** The message for a method that a path does not have; `list` are those that it has. */
type WrongMethod = (request: Request, list: string) => string

const WRONG_METHOD: WrongMethod = ({ method }, list) => `${method} is not allowed here; there are ${list}`

/** Adds routes. Every other method at one of their paths is a 405. */
export function addRoutes(router: Router, routes: readonly Route[], wrongMethod = WRONG_METHOD): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path)
    for (const { method, handlers } of own) router[method](path, ...handlers)
    const methods = own.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    const list = methods.sort().join(', ')
    router.all(path, (request) => {
      throw new HttpError(405, wrongMethod(request, list), { headers: { allow: list } })
    })
  }
}

/** What an app does with requests that have no route, and with errors. */
type Rest = {
  notFound(request: Request): string
  fail(error: unknown, request: Request, response: Response): void
}

/** Adds what comes behind all routes. */
export function endRoutes(app: Express, { notFound, fail }: Rest): Express {
  app.use((request) => {
    throw new HttpError(404, notFound(request))
  })
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) => fail(error, request, response)
  app.use(onError)
  return app
}

/** What becomes of an error of any kind: a fault in sluice has no details for clients. */
export function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return new HttpError(400, 'the body is nested too deeply')
  // Express describes what is wrong with a URL by a status.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) return new HttpError(status, 'the request cannot be read')
  return new HttpError(500, 'a fault in sluice; its log has the details')
}

/** Calls a function when a response has ended, or its client has left, with the milliseconds since now. */
export function whenDone(response: ServerResponse, done: (ms: number) => void): void {
  const begun = performance.now()
  response.on('close', () => done(performance.now() - begun))
}

/** A path as the log and messages show it. */
export const shownPath = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
