/** The management API: requests in, responses out. Built apart from listening. */
import { createHash } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { addRoutes, asHttpError, createApp, endRoutes, type Route, shownPath, whenDone } from '../../http/app.ts'
import { type BodyBudget, ClientGone, createBodyBudget } from '../../http/body.ts'
import { HttpError, sendJson, sendProblem } from '../../http/http-error.ts'
import { type ServeOptions, type Serving, serve } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import type { Assets } from '../studio/assets.ts'
import { createStudioRouter } from '../studio/router.ts'
import { type Access, ANYONE, type Principal } from './access/access.ts'
import { addressOf } from './access/authenticate.ts'
import type { SignInProvider } from './access/oidc.ts'
import type { PasswordCheck } from './access/password-check.ts'
import { authorize, principalOf } from './access/roles.ts'
import { checkOrigin, type Sessions } from './access/sessions.ts'
import type { Network } from './backends/check.ts'
import type { Call, ReadBody, Reply } from './call.ts'
import { CORRELATION_HEADER, newCorrelation, sentCorrelation } from './correlation.ts'
import { createEvents } from './events.ts'
import type { BodyJudge } from './judge.ts'
import type { ManagementMetrics } from './metrics.ts'
import { createOidcSignIn } from './oidc.ts'
import type { Operation } from './openapi/operation.ts'
import { type DirectId, OPERATIONS, type PlannedId } from './openapi/operations.ts'
import { createDocumentation } from './openapi/page.ts'
import { type CarryOut, createHandlers } from './operations.ts'
import { createPublication, type OwnGateway } from './publication.ts'
import { readParameters, useBody } from './request.ts'
import { createLiveRequests } from './requests.ts'

/** What the management API needs. */
export type ManagementOptions = {
  readonly store: Store
  readonly judge: BodyJudge
  /** Undefined: everybody is the administrator. */
  readonly access: Access | undefined
  readonly network: Network
  /** For the passwords of users. */
  readonly passwords: PasswordCheck
  /** Of people at the page. */
  readonly sessions: Sessions
  /** Where people may sign in, too; undefined: nowhere. */
  readonly oidc: SignInProvider | undefined
  /** The page; undefined: there is none. */
  readonly studio: Assets | undefined
  /** Undefined: nothing is put into force. */
  readonly publisher: OwnGateway | undefined
  /** Empty, or a path that begins with a slash and does not end with one. */
  readonly basePath: string
  readonly version: string
  readonly log: Log
  readonly metrics: ManagementMetrics
  /** Milliseconds since 1970. */
  wallClock(): number
  /** True while the process is about to end: clients should connect again later. */
  isClosing(): boolean
}

/** The app with what runs beside requests. */
export type ManagementApp = {
  readonly handler: RequestListener
  /** Puts everything that is stored into force. */
  publishAll(): void
  /** Takes back the states of proxies that nginx does not serve. */
  verify(): Promise<void>
  /** Ends the streams of events, and waits for what is being published; then the publisher has `grace` milliseconds. */
  stop(grace?: number): Promise<void>
}

/** Bytes of all bodies in flight. */
const BODY_BUDGET = 64 * 1024 * 1024

/** Builds the API. */
export function createManagementApp(options: ManagementOptions): ManagementApp {
  const { store, basePath, log } = options
  const feed = createEvents(store, undefined, options.wallClock)
  const requests = createLiveRequests({ ...options, feed })
  const publication = createPublication({ ...options, onChange: feed.wake })
  const context: Context = {
    ...options,
    carryOut: createHandlers({ ...options, publication, requests, onChange: feed.wake }),
    direct: { followEvents: feed.follow, ...createDocumentation(options), ...createOidcSignIn(options) },
    budget: createBodyBudget(BODY_BUDGET),
  }
  const app = createApp()
  app.use((request: Request, response: Response, next) => {
    response.locals.correlation = sentCorrelation(request.headers, CORRELATION_HEADER) ?? newCorrelation()
    response.setHeader(CORRELATION_HEADER, response.locals.correlation)
    response.setHeader('cache-control', 'no-store')
    response.setHeader('x-content-type-options', 'nosniff')
    if (options.isClosing()) response.setHeader('connection', 'close')
    noteWhenDone(request, response, options)
    next()
  })
  const api = express.Router({ caseSensitive: true })
  addRoutes(
    api,
    OPERATIONS.map((operation) => routeOf(operation, context)),
  )
  if (options.studio) api.use(noteAs(PAGE), createStudioRouter(options.studio), noteAs(undefined))
  app.use(basePath === '' ? '/' : basePath, api)
  endRoutes(app, {
    notFound: ({ path }) => `there is nothing at ${shownPath(path)}; /openapi.json lists what there is`,
    fail: (error, _request, response) => fail(error, response, log),
  })
  return {
    handler: app,
    publishAll: publication.publishAll,
    verify: publication.verify,
    async stop(grace = 0) {
      requests.stop()
      feed.stop()
      await publication.stop(grace)
    },
  }
}

export type ServeManagementOptions = Omit<ManagementOptions, 'isClosing'> & ServeOptions

/** The server while it runs. */
export type ServingManagement = Serving & Pick<ManagementApp, 'publishAll' | 'verify'>

/** Starts the server, whose first answer has true states. Rejects where the port cannot be used. */
export async function serveManagement(options: ServeManagementOptions): Promise<ServingManagement> {
  let isClosing = false
  const { handler, publishAll, verify, stop } = createManagementApp({ ...options, isClosing: () => isClosing })
  await verify()
  const serving = await serve(() => handler, options)
  return {
    ...serving,
    publishAll,
    verify,
    async stop(times) {
      isClosing = true
      const closed = serving.stop(times)
      await stop(times.grace)
      await closed
    },
  }
}

/** The operation of the page and its files. */
const PAGE = 'page'

const noteAs =
  (operation: string | undefined): RequestHandler =>
  (_request, response, next) => {
    response.locals.operation = operation
    next()
  }

type Direct = (request: Request, response: Response, principal: Principal) => void | Promise<void>

type Context = ManagementOptions & {
  readonly carryOut: CarryOut
  readonly direct: Readonly<Record<DirectId, Direct>>
  readonly budget: BodyBudget
}

type Row = (typeof OPERATIONS)[number]

/** Finds out who sends a request, and whether he may; then the operation responds, or is carried out. */
const routeOf = (operation: Row, context: Context): Route => ({
  method: operation.method,
  path: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
  handlers: [
    async (request, response) => {
      const { id, counted = id, direct = false, needs } = operation
      response.locals.operation = counted
      const principal = await principalOfRequest(request, response, { ...context, needs, isUse: !direct })
      const path = Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]))
      authorize(operation, principal, path)
      if (isDirect(id, context)) await context.direct[id](request, response, principal)
      else await operate({ operation, id, principal, path }, { request, response, context })
    },
  ],
})

const isDirect = (id: Row['id'], { direct }: Context): id is DirectId => Object.hasOwn(direct, id)

type Authorized = {
  readonly operation: Operation
  readonly id: PlannedId
  readonly principal: Principal
  readonly path: Call['path']
}

type Exchange = { readonly request: Request; readonly response: Response; readonly context: Context }

/** Reads the request, carries out its operation, and sends the reply. */
async function operate(
  { operation, id, principal, path }: Authorized,
  { request, response, context }: Exchange,
): Promise<void> {
  const { query } = readParameters(operation, request)
  const correlate = (header: string | undefined) => {
    if (header === undefined || header.toLowerCase() === CORRELATION_HEADER) return
    response.locals.correlation = sentCorrelation(request.headers, header) ?? response.locals.correlation
    response.setHeader(header, response.locals.correlation)
  }
  const requestId = () => String(response.locals.correlation)
  const call = { principal, path, query, headers: request.headers, address: addressOf(request), correlate, requestId }
  const handle = async (read: ReadBody, fingerprint: () => string) =>
    send(response, await context.carryOut(id, { ...call, ...read }, { operation, fingerprint }), context.basePath)
  if (operation.body.length === 0) return await handle({ body: {}, bodyErrors: [] }, () => '')
  await useBody(operation, { request, budget: context.budget }, (read) =>
    handle(read, () =>
      createHash('sha256')
        .update(JSON.stringify(read.patch ?? read.body))
        .digest('base64'),
    ),
  )
}

type Asking = Pick<Context, 'access'> & Pick<Operation, 'needs'> & { readonly isUse: boolean }

/** Who sends a request: nobody yet where the operation needs no user. Throws 401 and 403. */
async function principalOfRequest(
  request: Request,
  response: Response,
  { access, needs, isUse }: Asking,
): Promise<Principal> {
  if (needs === 'nothing') return nobodyYet(request)
  const principal = access ? await access.authenticate(request, isUse) : ANYONE
  response.locals.user = principal.name
  return principal
}

/** For operations that anybody may call, from a page of this server. Throws 403. */
function nobodyYet({ method, headers }: Request): Principal {
  checkOrigin(method, headers)
  return NOBODY
}

const NOBODY = principalOf('', [])

function send(response: ServerResponse, { status, headers = {}, body }: Reply, basePath: string): void {
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, name === 'location' ? basePath + value : value)
  if (body === undefined) {
    response.writeHead(status)
    response.end()
  } else sendJson(response, status, typeof body === 'string' ? body : JSON.stringify(body))
}

/** Writes each request into the log, and counts it. */
function noteWhenDone(request: Request, response: Response, { log, metrics }: ManagementOptions): void {
  whenDone(response, (ms) => {
    const { method, originalUrl } = request
    const { statusCode: status, locals } = response
    const { operation = 'none', correlation, user } = locals
    metrics.request({ operation, status, seconds: ms / 1000 })
    log.info({ method, path: shownPath(originalUrl), status, ms: Math.round(ms), correlation, user }, 'request')
  })
}

/** Sends what went wrong. A fault in sluice is logged, and its details are not sent. */
function fail(error: unknown, response: Response, log: Log): void {
  if (error instanceof ClientGone) return
  const problem = asProblem(error)
  const { correlation } = response.locals
  if (problem.status === 500) log.error({ error, correlation }, 'a request failed')
  else if (problem.status > 500) log.warn({ reason: problem.message, error, correlation }, 'a request was refused')
  if (response.headersSent) response.destroy()
  else sendProblem(response, problem)
}

function asProblem(error: unknown): HttpError {
  if (!(error instanceof StoreUnavailable)) return asHttpError(error)
  return error.isFull
    ? new HttpError(507, 'no space is left for the store: nothing was changed')
    : new HttpError(503, 'the store cannot be written now: nothing was changed', { retryAfter: 5 })
}
