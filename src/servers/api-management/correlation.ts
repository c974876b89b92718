/** The header by which a request is found again: in the response, in the log, and behind the gateway. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HTTP_HEADER_NAME } from '../../api-management/fields.ts'
import { readProxy } from '../../api-management/proxy.ts'
import type { JsonObject } from '../../json/member.ts'

/** The header where no policy names another one. */
export const CORRELATION_HEADER = HTTP_HEADER_NAME.default

/** The header that the policies of a body name. */
export const correlationHeaderOf = (body: JsonObject): string | undefined =>
  readProxy(body)
    .sets.flatMap(({ correlationHeaders }) => correlationHeaders)
    .map(({ value }) => value)
    .find((name) => name !== undefined && isUsable(name))

/** What a header of a response may be called beside those that have a meaning in HTTP. */
const isUsable = (name: string): boolean => /^[A-Za-z0-9-]{1,64}$/.test(name) && !RESERVED.test(name)

const RESERVED =
  /^(?:(?:access-control|content|cross-origin|if|proxy|sec|www)-.*|accept.*|age|allow|authorization|cache-control|clear-site-data|connection|cookie|date|etag|expect|expires|host|idempotency-.*|keep-alive|last-modified|link|location|pragma|range|referrer-policy|refresh|retry-after|server|set-cookie|strict-transport-security|te|trailer|transfer-encoding|upgrade|vary|via|warning|x-content-type-options|x-frame-options)$/i

/** The id that a request brings in a header, where it can be sent back and logged. */
export function sentCorrelation(headers: IncomingHttpHeaders, name: string): string | undefined {
  const sent = headers[name.toLowerCase()]
  return typeof sent === 'string' && /^[\x21-\x7e]{1,256}$/.test(sent) ? sent : undefined
}

export const newCorrelation = (): string => randomUUID()
