/** Reading the body of a request: at once, and never more than agreed. */
import type { IncomingMessage } from 'node:http'
import { HttpProblem } from './problem.ts'

/** The client left before its request was whole: nobody waits for an answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client left before its request was whole')
    this.name = 'ClientGone'
  }
}

/**
 * Reads a JSON request's body of at most `limit` bytes. Throws {@link HttpProblem}: 415 where it is no JSON or
 * compressed, 413 where it is longer. Slow senders are the server's affair (`requestTimeout`).
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^\s*application\/json\s*(?:;|$)/i.test(type))
    throw new HttpProblem(415, `the content type is "${type}"; expected application/json`, { closes: true })
  if (encoding.toLowerCase() !== 'identity')
    throw new HttpProblem(415, `the body is encoded with "${encoding}"; send it as it is`, { closes: true })
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  return await collect(request, limit)
}

const tooLarge = (limit: number) => new HttpProblem(413, `the body is larger than ${limit} bytes`, { closes: true })

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        request.pause()
        reject(tooLarge(limit))
      }
    })
    request.on('end', () => resolve(chunks[0] && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)))
    request.on('error', () => reject(new ClientGone()))
    request.on('close', () => reject(new ClientGone()))
  })
}
