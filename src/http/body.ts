/** Reads the body of a request, up to a limit. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HttpError } from './http-error.ts'

/** The client closed the connection before its request was complete, so there is no response to send. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before its request was complete')
    this.name = 'ClientGone'
  }
}

/** A body larger than the limit is read to its end up to this many times the limit; then the connection is closed. */
const DISCARD_FACTOR = 4

/**
 * Reads the body of a JSON request, at most `limit` bytes. Throws {@link HttpError}: 415 where it is not JSON or is
 * compressed, 413 where it is larger; {@link ClientGone} where the client leaves. A body that is not used is read and
 * discarded, as clients read no response while they send. Slow clients are handled by the server's `requestTimeout`.
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const error = checkHeaders(request.headers)
  const body = await collect(request, error ? 0 : limit, limit * DISCARD_FACTOR)
  if (error) throw error
  if (!body) throw new HttpError(413, `the body is larger than ${limit} bytes`, { closes: true })
  return body
}

function checkHeaders(headers: IncomingHttpHeaders): HttpError | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (!/^\s*application\/json\s*(?:;|$)/i.test(type))
    return new HttpError(415, `the content type is "${type}"; expected application/json`)
  if (encoding.toLowerCase() !== 'identity')
    return new HttpError(415, `the body is encoded with "${encoding}"; send it unencoded`)
  return undefined
}

/** The body; undefined where it is larger than `limit`. Above `maxDiscarded` bytes the rest is not read. */
function collect(request: IncomingMessage, limit: number, maxDiscarded: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    if (Number(request.headers['content-length'] ?? 0) > maxDiscarded) resolve(undefined)
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else chunks = []
      if (length > maxDiscarded) {
        request.pause()
        resolve(undefined)
      }
    })
    request.on('end', () => resolve(length > limit ? undefined : Buffer.concat(chunks, length)))
    request.on('error', () => reject(new ClientGone()))
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone())
    })
  })
}
