/** The errors of the API: what any API server would refuse is a `Status`, what this one refuses has a form of its own. */
import type { ServerResponse } from 'node:http'
import { asHttpError } from '../../http/app.ts'
import { HttpError, sendJson, sendStatus } from '../../http/http-error.ts'
import { JsonError } from '../../http/strict-json.ts'

/** Codes of the product, by the status of the response; it has none for a conflict. */
const CODES: Readonly<Record<number, number>> = { 400: 7892, 409: 409, 500: 7899 }

/** The most descriptions in one response. */
const MOST_DETAILS = 100

/** A request that asks for something impossible, with one description of each mistake. */
export function refused(message: string, descriptions: readonly string[] = []): HttpError {
  const count = descriptions.length > MOST_DETAILS ? MOST_DETAILS - 1 : descriptions.length
  const shown = descriptions.slice(0, count).map((description) => ({ description }))
  const more = descriptions.length > count ? [{ description: `and ${descriptions.length - count} more` }] : []
  return new HttpError(400, message, { extensions: shown.length > 0 ? { details: [...shown, ...more] } : {} })
}

/** Sends an error. Does nothing once a response has begun. */
export function sendRefusal(response: ServerResponse, error: HttpError): void {
  const { status, message, options } = error
  const code = CODES[status]
  if (code === undefined) sendStatus(response, error)
  else if (!response.headersSent && !response.destroyed) {
    if (options.closes) response.setHeader('connection', 'close')
    sendJson(response, status, JSON.stringify({ message, code, ...options.extensions }))
  }
}

/** What becomes of an error of any kind. */
export const asRefusal = (error: unknown): HttpError =>
  error instanceof JsonError
    ? refused(error.message, error.pointer === '' ? [] : [`at ${error.pointer}`])
    : asHttpError(error)
