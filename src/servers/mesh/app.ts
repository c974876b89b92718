/** The API of the mesh: requests in, responses out. Built apart from listening. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { addRoutes, createApp, endRoutes, type Route, shownPath, whenDone } from '../../http/app.ts'
import { ClientGone } from '../../http/body.ts'
import { type Access, ANONYMOUS, type User } from '../../http/delegated-access.ts'
import { HttpError, send, sendStatus, sendText } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { attributesOf, forbidden } from './access.ts'
import { createHandlers } from './handlers.ts'
import type { MeshMetrics } from './metrics.ts'
import { formOf, isWatch, queryOf } from './negotiation.ts'
import type { HandlerOptions } from './object-handlers.ts'
import { openApiIndex, openApiV2, openApiV3 } from './openapi.ts'
import {
  ALL_OPERATIONS,
  apiGroup,
  basePath,
  DISCOVERY_TYPE,
  discoveryList,
  groupList,
  type Operation,
  pathOf,
  resourceList,
} from './operations.ts'
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
      .catch((error: unknown) => fail(error, request, response, options.log))
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
    fail: (error, request, response) => fail(error, request, response, log),
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
  const v3 = openApiV3(names, version)
  return [
    ...documentRoute('/apis', groupList(names), { [DISCOVERY_TYPE]: discoveryList(names) }),
    ...documentRoute(`/apis/${names.meshGroup}`, apiGroup(names)),
    ...documentRoute(base, resourceList(names)),
    ...documentRoute('/openapi/v2', openApiV2(names, version)),
    ...documentRoute('/openapi/v3', openApiIndex(names, v3)),
    ...documentRoute(`/openapi/v3${base}`, v3),
  ]
}

type Documents = Readonly<Record<string, JsonObject>>

/**
 * A document that never changes while the server runs, with its forms for clients who ask for one of them first. A client that
 * has it already gets a 304, and one that asks for another version is led to this one.
 */
function documentRoute(path: string, document: JsonObject, forms: Documents = {}): readonly Route[] {
  const texts = [['application/json', document] as const, ...Object.entries(forms)].map(([type, value]) => {
    const text = JSON.stringify(value)
    return { type, text, hash: fingerprint(text) }
  })
  const [plain = { type: '', text: '', hash: '' }, ...others] = texts
  const give: RequestHandler = (request, response, next) => {
    const first = request.headers.accept?.split(',')[0]?.replaceAll(' ', '')
    const other = others.find(({ type }) => type === first)
    if (!other && !request.accepts('application/json')) return next(notAcceptable(['application/json']))
    const { type, text, hash } = other ?? plain
    const asked = queryOf(request).get('hash')
    if (asked !== null && asked !== hash) {
      response.setHeader('location', `${path}?hash=${hash}`)
      sendText(response, 301, '')
      return
    }
    response.setHeader('etag', `"${hash}"`)
    response.setHeader('vary', 'Accept')
    if (asked !== null) response.setHeader('cache-control', 'public, immutable')
    if (request.headers['if-none-match']?.split(/, */).some((tag) => tag.replace(/^W\//, '') === `"${hash}"`))
      response.writeHead(304).end()
    else send(response, 200, type, text)
  }
  return [{ method: 'get', path, handlers: [give] }]
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
  const attributes = attributesOf(method, path, isWatch(request))
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
    if (!request.accepts(types) && formOf(request) !== 'table') throw notAcceptable(types)
    next()
  }

const notAcceptable = (types: readonly string[]): HttpError =>
  new HttpError(406, `only the following media types are accepted: ${types.join(', ')}`)

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
  ALL_OPERATIONS.find((one) => method.toLowerCase() === one.method && isAt(path, one, names))

function isAt(path: string, operation: Operation, names: ApiNames): boolean {
  const before = pathOf(operation, names, '')
  if (!operation.isOfObject) return path === before
  return path.startsWith(before) && path.length > before.length && !path.slice(before.length).includes('/')
}

/** Sends what went wrong. A fault in sluice is logged, and its details are not sent. */
function fail(error: unknown, request: IncomingMessage, response: ServerResponse, log: Log): void {
  if (error instanceof ClientGone) return
  const { url = '' } = request
  const problem = asRefusal(error)
  if (problem.status === 500) log.error({ error, path: shownPath(url) }, 'a request failed')
  else if (problem.status > 500) log.warn({ reason: problem.message, path: shownPath(url) }, 'a request was refused')
  if (response.headersSent) response.destroy()
  else if (isForObjects(request)) sendStatus(response, problem)
  else sendRefusal(response, problem)
}

/** True where a client expects what an API server sends: it asks for an object, a list or a table. */
const isForObjects = (request: IncomingMessage): boolean =>
  formOf(request) !== 'bare' || attributesOf('GET', (request.url ?? '').split('?', 1)[0] ?? '').name !== undefined
