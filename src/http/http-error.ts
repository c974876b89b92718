/** Errors of HTTP, and the two forms in which a server can send them; responses of JSON and of text. */
import { type ServerResponse, STATUS_CODES } from 'node:http'

/** What a response may hold beside status and message. */
export type HttpErrorOptions = {
  /** True where the connection cannot be used again, as part of the request is still unread. */
  readonly closes?: boolean
  /** After how many seconds the client may send the request again. */
  readonly retryAfter?: number
  /** More headers; a list is sent as one header for each. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** The `type` of the problem, a URI reference that names the kind of error. Default: `about:blank`. */
  readonly type?: string
  /** The `title` of the problem: a short name for its type. Default: the phrase of the status, such as `Not Found`. */
  readonly title?: string
  /** Extension members of the problem. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** The `details` of the `Status`. */
  readonly details?: StatusDetails
}

/** `StatusDetails` of `meta/v1`: the object, and what is wrong with which of its fields. */
type StatusDetails = {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  readonly retryAfterSeconds?: number
}

/** A request that gets an error. The message is sent to the client, so it has no internal details. */
export class HttpError extends Error {
  readonly status: number
  readonly options: HttpErrorOptions

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message)
    this.name = 'HttpError'
    this.status = status
    this.options = options
  }
}

/** Sends a text that is JSON. */
export const sendJson = (response: ServerResponse, status: number, text: string): void =>
  send(response, status, 'application/json', text)

/** Sends plain text. */
export const sendText = (response: ServerResponse, status: number, text: string): void =>
  send(response, status, 'text/plain; charset=utf-8', text)

/** Sends a text of a media type. Node joins head and body into one write where the body is a string. */
export function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** Sends an error as problem details (RFC 9457), for clients of any kind. Does nothing once a response has begun. */
export function sendProblem(response: ServerResponse, { status, message, options }: HttpError): void {
  const { type = 'about:blank', title = STATUS_CODES[status] ?? 'Error', extensions } = options
  const problem = { ...extensions, type, title, status, detail: message }
  sendError(response, { status, options }, 'application/problem+json', problem)
}

/** The errors of Node's parser of HTTP that have a status of their own; all others are a 400. */
const BROKEN: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers of the request are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the extensions of a chunk are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
}

/**
 * The response, as it is sent, to what is not a request or comes too slowly; undefined for errors of the connection, which
 * has nobody to read it.
 */
export function brokenResponse(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!code.startsWith('HPE_') && !Object.hasOwn(BROKEN, code)) return undefined
  const [status, detail] = BROKEN[code] ?? [400, 'the request is not HTTP']
  const title = STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ type: 'about:blank', title, status, detail })
  const headers = ['connection: close', 'content-type: application/problem+json', `content-length: ${body.length}`]
  return [`HTTP/1.1 ${status} ${title}`, ...headers, '', body].join('\r\n')
}

/** Reasons that the API server itself gives (`StatusReason` of `meta/v1`). */
const STATUS_REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Sends an error as a `Status` of `meta/v1`, as clients of a Kubernetes API server expect it. */
export function sendStatus(response: ServerResponse, { status, message, options }: HttpError): void {
  const { details } = options
  const reason = STATUS_REASONS[status] ?? 'InternalError'
  sendError(response, { status, options }, 'application/json', {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details ? { details } : {}),
    code: status,
  })
}

function sendError(
  response: ServerResponse,
  { status, options }: Pick<HttpError, 'status' | 'options'>,
  type: string,
  body: unknown,
): void {
  if (response.headersSent || response.destroyed) return
  for (const [name, value] of Object.entries(options.headers ?? {})) response.setHeader(name, value)
  if (options.closes) response.setHeader('connection', 'close')
  if (options.retryAfter !== undefined) response.setHeader('retry-after', options.retryAfter)
  send(response, status, type, JSON.stringify(body))
}
