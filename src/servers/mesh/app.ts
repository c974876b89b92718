/** The API of the mesh: requests in, responses out. Built apart from listening. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { addRoutes, createApp, endRoutes, type Route, shownPath, whenDone } from '../../http/app.ts'
import { ClientGone } from '../../http/body.ts'
import { type Access, ANONYMOUS, type User } from '../../http/delegated-access.ts'
import { HttpError, sendJson, sendText } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { attributesOf, forbidden } from './access.ts'
import { createHandlers, type HandlerOptions } from './handlers.ts'
import type { MeshMetrics } from './metrics.ts'
import { openApiIndex, openApiV2, openApiV3 } from './openapi.ts'
import { ALL_OPERATIONS, apiGroup, basePath, groupList, type Operation, pathOf, resourceList } from './operations.ts'
import { asRefusal, sendRefusal } from './refusal.ts'

/** What the API of the mesh needs. */
export type MeshOptions = HandlerOptions & {
  readonly access: Access
  /** Of sluice. */
  readonly version: string
  readonly metrics: MeshMetrics
  /** True while the process is about to end: clients should connect again later. */
  isClosing(): boolean
  /** Why requests cannot be served now; undefined while they can. */
  notReady(): string | undefined
}

/** Paths that everybody may read, with the text of their response while all is well. */
const PROBES = ['/healthz', '/livez', '/readyz']

/**
 * Builds the API. A usual request for an operation goes straight to its handler: Express would take a fifth of the time of a
 * short one. Everything else is answered by Express.
 */
export function createMeshApp(options: MeshOptions): RequestListener {
  const handlers = createHandlers(options)
  const others = createExpressApp(options, handlers)
  const { names } = options
  const misspelt = misspeltGroup(names)
  const direct = new Map(
    ALL_OPERATIONS.map((operation) => [`${operation.method.toUpperCase()} ${pathOf(operation, names)}`, operation]),
  )
  return (request, response) => {
    const { method = '', url = '', headers } = request
    const operation = direct.get(`${method} ${url}`)
    if (!operation || !takesAnything(headers.accept)) return others(request, response)
    begin(request, response, { options, operation: operation.id })
    admitted(method, url, { request, options, misspelt })
      .then((user) => handlers[operation.id](request, response, user))
      .catch((error: unknown) => fail(error, url, response, options.log))
  }
}

const takesAnything = (accept: string | undefined): boolean => accept === undefined || accept.includes('*/*')

type Handlers = ReturnType<typeof createHandlers>

function createExpressApp(options: MeshOptions, handlers: Handlers): RequestListener {
  const { names, log } = options
  const misspelt = misspeltGroup(names)
  const app = createApp()
  app.use(async (request, response, next) => {
    const { method, path } = request
    begin(request, response, { options, operation: operationOf(request, names)?.id ?? 'none' })
    response.locals.user = await admitted(method, path, { request, options, misspelt })
    next()
  })
  const routes = [...operationRoutes(names, handlers), ...documentRoutes(options), ...probeRoutes(options)]
  // As an API server says it.
  addRoutes(app, routes, () => 'the server does not allow this method on the requested resource')
  return endRoutes(app, {
    notFound: () => NOT_FOUND,
    fail: (error, { path }, response) => fail(error, path, response, log),
  })
}

const NOT_FOUND = 'the server could not find the requested resource'

const operationRoutes = (names: ApiNames, handlers: Handlers): readonly Route[] =>
  ALL_OPERATIONS.map((operation) => ({
    method: operation.method,
    path: pathOf(operation, names),
    handlers: [
      accepts(operation.gives),
      (request, response) => handlers[operation.id](request, response, response.locals.user),
    ],
  }))

/** Discovery, and the OpenAPI documents. */
function documentRoutes({ names, version }: MeshOptions): readonly Route[] {
  const base = basePath(names)
  const documents = {
    '/apis': groupList(names),
    [`/apis/${names.meshGroup}`]: apiGroup(names),
    [base]: resourceList(names),
    '/openapi/v2': openApiV2(names, version),
    '/openapi/v3': openApiIndex(names),
    [`/openapi/v3${base}`]: openApiV3(names, version),
  }
  return Object.entries(documents).map(([path, document]) => {
    const text = JSON.stringify(document)
    const send: RequestHandler = (_request, response) => sendJson(response, 200, text)
    return { method: 'get', path, handlers: [accepts('application/json'), send] }
  })
}

const probeRoutes = ({ isClosing, notReady }: MeshOptions): readonly Route[] =>
  PROBES.map((path) => {
    const send: RequestHandler = (_request, response) => {
      const reason = path !== '/readyz' ? undefined : isClosing() ? 'shutting down' : notReady()
      sendText(response, reason === undefined ? 200 : 503, `${reason ?? 'ok'}\n`)
    }
    return { method: 'get', path, handlers: [send] }
  })

type Asked = { readonly request: IncomingMessage; readonly options: MeshOptions; readonly misspelt: string }

/** The user of a request, who may do it. Rejects for all others. */
async function admitted(method: string, path: string, { request, options, misspelt }: Asked): Promise<User> {
  const { access, names } = options
  const found = await access.authenticate(request)
  if (found === 'rejected')
    throw new HttpError(401, 'Unauthorized', { headers: { 'www-authenticate': 'Bearer realm="kubernetes"' } })
  const user: User = found === 'anonymous' ? ANONYMOUS : found
  users.set(request, user)
  const attributes = attributesOf(method, path)
  // Whatever a role says of a group that is none, its spelling is the mistake.
  if (attributes.group === misspelt) {
    const meant = path.replace(misspelt, names.meshGroup)
    throw new HttpError(404, `${NOT_FOUND}: the group is ${names.meshGroup}; did you mean ${shownPath(meant)}?`)
  }
  if (PROBES.includes(path)) return user
  const { allowed, reason } = await access.authorize(user, attributes)
  if (!allowed) throw forbidden(user, attributes, reason)
  return user
}

/** Who has sent a request, for the log. */
const users = new WeakMap<IncomingMessage, User>()

/** The spelling with vendor and product the other way round, which is in circulation: `nginx.nsm.com`. */
function misspeltGroup({ meshGroup }: ApiNames): string {
  const [product = '', vendor = '', ...rest] = meshGroup.split('.')
  return [vendor, product, ...rest].join('.')
}

/** Refuses a request whose client takes neither what is sent nor JSON, in which errors are sent. */
const accepts =
  (type: Operation['gives']): RequestHandler =>
  (request, _response, next) => {
    const types = type === 'application/json' ? [type] : [type, 'application/json']
    if (!request.accepts(types))
      throw new HttpError(406, `only the following media types are accepted: ${types.join(', ')}`)
    next()
  }

type Begun = { readonly options: MeshOptions; readonly operation: string }

/** Writes the headers of every response. When it is done, the request is counted and written into the log. */
function begin(request: IncomingMessage, response: ServerResponse, { options, operation }: Begun): void {
  const { isClosing, log, metrics } = options
  response.setHeader('cache-control', 'no-cache, private')
  response.setHeader('x-content-type-options', 'nosniff')
  if (isClosing()) response.setHeader('connection', 'close')
  whenDone(response, (ms) => {
    const { method, url = '' } = request
    const { statusCode: status } = response
    metrics.request({ operation, status, seconds: ms / 1000 })
    const user = users.get(request)?.username
    log.debug({ method, path: shownPath(url), status, ms: Math.round(ms), user }, 'request')
  })
}

/** Also of a request that is refused before it is known who sends it. */
const operationOf = ({ method, path }: Request, names: ApiNames): Operation | undefined =>
  ALL_OPERATIONS.find((one) => method.toLowerCase() === one.method && path === pathOf(one, names))

/** Sends what went wrong. A fault in sluice is logged, and its details are not sent. */
function fail(error: unknown, path: string, response: ServerResponse, log: Log): void {
  if (error instanceof ClientGone) return
  const problem = asRefusal(error)
  if (problem.status === 500) log.error({ error, path: shownPath(path) }, 'a request failed')
  else if (problem.status > 500) log.warn({ reason: problem.message, path: shownPath(path) }, 'a request was refused')
  if (response.headersSent) response.destroy()
  else sendRefusal(response, problem)
}
