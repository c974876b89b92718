/** Reads the bodies of requests: each up to a limit, and all that are in flight within one budget. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HttpError, type HttpErrorOptions } from './http-error.ts'

/** The client closed the connection before its request was complete, so there is no response to send. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before its request was complete')
    this.name = 'ClientGone'
  }
}

/** A body of which bytes are kept, and what happens when they may not be kept any longer. */
type Holder = { bytes: number; refuse(): void }

/** The memory that the bodies in flight share, in bytes. */
export type BodyBudget = {
  /** Counts bytes that have arrived. While all together are too many, the largest body that still arrives is refused. */
  keep(holder: Holder, bytes: number): void
  /** Counts the bytes until they are released, and no longer refuses the body. */
  finish(holder: Holder): void
  release(holder: Holder): void
  /** Bytes that are kept now. */
  held(): number
}

/** Creates the budget of a server. */
export function createBodyBudget(limit: number): BodyBudget {
  const arriving = new Set<Holder>()
  let held = 0
  const release: BodyBudget['release'] = (holder) => {
    arriving.delete(holder)
    held -= holder.bytes
    holder.bytes = 0
  }
  return {
    keep(holder, bytes) {
      arriving.add(holder)
      holder.bytes += bytes
      held += bytes
      while (held > limit && arriving.size > 0) {
        // Not the newest: clients that fill the budget and then stall would keep out all others.
        const largest = [...arriving].reduce((most, other) => (other.bytes > most.bytes ? other : most))
        release(largest)
        largest.refuse()
      }
    },
    finish: (holder) => void arriving.delete(holder),
    release,
    held: () => held,
  }
}

/** A body larger than the limit is read to its end up to this many times the limit; then the connection is closed. */
const DISCARD_FACTOR = 4

/** Bytes that a chunk needs beside its own: a client may send a body byte by byte. */
const CHUNK_OVERHEAD = 512

/** Clients of the API server's library wait so long, and send the same request again, as often as its timeout allows. */
const RETRY_AFTER_SECONDS = 1

/** How the body of a request is read. */
export type BodyOptions = {
  /** The most bytes of one body. */
  readonly limit: number
  readonly budget: BodyBudget
}

/** Reads the body of a JSON request as {@link useTypedBody} does. */
export const useJsonBody = <Value>(
  request: IncomingMessage,
  options: BodyOptions,
  use: (body: Buffer) => Promise<Value>,
): Promise<Value> => useTypedBody(request, { ...options, type: 'application/json' }, use)

/** The media types of a body, and what a 415 has beside its message. */
type Accepted = { readonly type: string | readonly string[]; readonly refusal?: HttpErrorOptions | undefined }

/** The media type of a body, without its parameters; empty where none is sent. */
export const mediaTypeOf = ({ 'content-type': type = '' }: IncomingHttpHeaders): string =>
  type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * Reads the body of a request of some media types, and keeps its bytes in the budget until `use` has ended. Throws what `use`
 * throws and {@link HttpError}: 415 where it has another type or is compressed, 413 where it is larger than the limit, 503
 * where the bodies in flight exceed the budget and this is the largest; {@link ClientGone} where the client leaves. A body
 * that is not used is read and discarded, as clients read no response while they send. Slow clients are handled by the
 * server's `requestTimeout`.
 */
export async function useTypedBody<Value>(
  request: IncomingMessage,
  { type, limit, budget, refusal }: BodyOptions & Accepted,
  use: (body: Buffer) => Promise<Value>,
): Promise<Value> {
  const holder: Holder = { bytes: 0, refuse: () => {} }
  try {
    return await use(
      await collect(request, { error: checkHeaders(request.headers, { type, refusal }), limit, budget, holder }),
    )
  } finally {
    budget.release(holder)
  }
}

function checkHeaders(headers: IncomingHttpHeaders, { type: accepted, refusal }: Accepted): HttpError | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  const expected = typeof accepted === 'string' ? [accepted] : accepted
  if (!expected.includes(mediaTypeOf(headers)))
    return new HttpError(415, `the content type is "${type}"; expected ${expected.join(' or ')}`, refusal)
  if (encoding.toLowerCase() !== 'identity')
    return new HttpError(415, `the body is encoded with "${encoding}"; send it unencoded`)
  return undefined
}

const tooLarge = (limit: number) => new HttpError(413, `the body is larger than ${limit} bytes`, { closes: true })

const busy = () =>
  new HttpError(503, 'too many large requests at once: the memory for request bodies is in use', {
    retryAfter: RETRY_AFTER_SECONDS,
    details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  })

/** The same error, for a request that is not read to its end. */
const closing = ({ status, message, options }: HttpError) =>
  new HttpError(status, message, { ...options, closes: true })

type Collecting = BodyOptions & {
  /** Why the body is not used, where that is known before it is read. */
  readonly error: HttpError | undefined
  readonly holder: Holder
}

/** The body. Rejects at its end, or after so many bytes that the rest is not read. */
function collect(request: IncomingMessage, { error, limit, budget, holder }: Collecting): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    let problem = error
    const discard = (reason: HttpError) => {
      problem ??= reason
      chunks = []
      budget.release(holder)
    }
    holder.refuse = () => discard(busy())
    const mostDiscarded = limit * DISCARD_FACTOR
    if (Number(request.headers['content-length'] ?? 0) > mostDiscarded) reject(closing(problem ?? tooLarge(limit)))
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) discard(tooLarge(limit))
      if (length > mostDiscarded) {
        request.pause()
        reject(closing(problem ?? tooLarge(limit)))
      }
      if (problem) return
      chunks.push(chunk)
      budget.keep(holder, chunk.length + CHUNK_OVERHEAD)
    })
    request.on('end', () => {
      budget.finish(holder)
      if (problem) reject(problem)
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length))
      chunks = []
    })
    request.on('error', () => reject(new ClientGone()))
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone())
    })
  })
}
