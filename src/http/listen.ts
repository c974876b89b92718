/** Servers: made apart from listening, and stopped without leaving anybody unanswered. */
import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createServer as createSecure, type Server as SecureServer } from 'node:https'

/** A certificate chain and its key, as PEM. */
export type TlsMaterial = { readonly cert: string; readonly key: string }

/** How long a client may take, in milliseconds. */
export type Timeouts = {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  /** For a connection on which nothing happens; Node's other limits begin with the first byte of a request. */
  readonly silenceTimeout: number
  /** How often slow ones are looked for. */
  readonly connectionsCheckingInterval: number
}

/**
 * A client keeps idle connections for up to 90 seconds (Go's default) and must not find one closed just
 * as it writes, so we keep them longer.
 */
const TIMEOUTS: Timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 100_000,
  silenceTimeout: 100_000,
  connectionsCheckingInterval: 1_000,
}

/** Makes a server that speaks HTTP/1.1 over TLS; slow senders are cut off. */
export const createTlsServer = (
  handler: RequestListener,
  material: TlsMaterial,
  timeouts: Timeouts = TIMEOUTS,
): SecureServer => {
  const server = createSecure(
    { ...material, ...timeouts, handshakeTimeout: 10_000, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
    handler,
  )
  server.timeout = timeouts.silenceTimeout
  return server
}

/** Makes a server without TLS, for the port that only the cluster's own probes reach. */
export const createPlainServer = (handler: RequestListener): Server => {
  const server = createPlain(TIMEOUTS, handler)
  server.timeout = TIMEOUTS.silenceTimeout
  return server
}

/** Undefined listens on all addresses. */
export type Address = { readonly host: string | undefined; readonly port: number }

/** Listens; answers the port, which the system has chosen where 0 was asked for. Rejects where it cannot. */
export function listen(server: Server | SecureServer, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Takes no more connections and waits until those under way are answered, for at most `grace` milliseconds. */
export function close(server: Server | SecureServer, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), grace)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
