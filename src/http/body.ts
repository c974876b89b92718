/** Reading the body of a request: at once, and never more than agreed. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HttpProblem } from './problem.ts'

/** The client left before its request was whole: nobody waits for an answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client left before its request was whole')
    this.name = 'ClientGone'
  }
}

/** Beyond so many times the limit nobody listens to the end of a body: the connection is closed. */
const PATIENCE = 4

/**
 * Reads a JSON request's body of at most `limit` bytes. Throws {@link HttpProblem}: 415 where it is no JSON or
 * compressed, 413 where it is longer. What is refused is read to its end and dropped, as who still sends hears no
 * answer. Slow senders are the server's affair (`requestTimeout`).
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const problem = problemOfHeaders(request.headers)
  const body = await collect(request, problem ? 0 : limit, limit * PATIENCE)
  if (problem) throw problem
  if (!body) throw new HttpProblem(413, `the body is larger than ${limit} bytes`, { closes: true })
  return body
}

function problemOfHeaders(headers: IncomingHttpHeaders): HttpProblem | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (!/^\s*application\/json\s*(?:;|$)/i.test(type))
    return new HttpProblem(415, `the content type is "${type}"; expected application/json`)
  if (encoding.toLowerCase() !== 'identity')
    return new HttpProblem(415, `the body is encoded with "${encoding}"; send it as it is`)
  return undefined
}

/** The body, or undefined where it is longer than `limit`. */
function collect(request: IncomingMessage, limit: number, patience: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    if (Number(request.headers['content-length'] ?? 0) > patience) resolve(undefined)
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else chunks = []
      if (length > patience) {
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
