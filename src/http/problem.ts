/** What a client did wrong, or what went wrong here, as an answer. */
import type { ServerResponse } from 'node:http'

/** A request that is answered with a status of its own instead of what it asked for. */
export class HttpProblem extends Error {
  readonly status: number
  /** True where the connection cannot be used again, as part of the request is still unread. */
  readonly closes: boolean

  constructor(status: number, message: string, { closes = false } = {}) {
    super(message)
    this.name = 'HttpProblem'
    this.status = status
    this.closes = closes
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  503: 'ServiceUnavailable',
}

/** Answers with JSON in one piece. */
export const sendJson = (response: ServerResponse, status: number, value: unknown): void =>
  send(response, status, 'application/json', JSON.stringify(value))

/** Answers with text in one piece. */
export const sendText = (response: ServerResponse, status: number, text: string): void =>
  send(response, status, 'text/plain; charset=utf-8', text)

/** Head and body leave in one write, as Node joins them where the body is a text. */
function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** Answers with a `Status` object of Kubernetes, as every client of an API server reads it. */
export function sendProblem(response: ServerResponse, { status, message, closes }: HttpProblem): void {
  if (response.headersSent || response.destroyed) return
  if (closes) response.setHeader('connection', 'close')
  const reason = REASONS[status] ?? 'InternalError'
  sendJson(response, status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status })
}
