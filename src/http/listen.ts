/** HTTP servers: creating one, listening, and stopping after the requests in progress. */
import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createServer as createSecure, type Server as SecureServer } from 'node:https'

/** A certificate chain and its key, as PEM. */
export type TlsMaterial = { readonly cert: string; readonly key: string }

/** How long a client may take, in milliseconds. Members are those of `http.Server`, but for the last two. */
export type Timeouts = {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  /** For a connection without any traffic; Node's other timeouts start with the first byte of a request. */
  readonly idleTimeout: number
  /** How often connections are checked for timeouts. */
  readonly connectionsCheckingInterval: number
}

/**
 * Clients keep idle connections for up to 90 seconds (the default of Go's `http.Transport`). The server keeps them
 * longer: otherwise it could close one just as a client sends a request on it.
 */
const TIMEOUTS: Timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 100_000,
  idleTimeout: 100_000,
  connectionsCheckingInterval: 1_000,
}

/** Creates a server for HTTP/1.1 over TLS 1.2 or newer. It does not listen yet. */
export const createTlsServer = (
  handler: RequestListener,
  material: TlsMaterial,
  timeouts: Timeouts = TIMEOUTS,
): SecureServer => {
  const server = createSecure(
    { ...material, ...timeouts, handshakeTimeout: 10_000, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
    handler,
  )
  server.timeout = timeouts.idleTimeout
  return server
}

/** Creates a server without TLS, for probes and metrics. It does not listen yet. */
export const createPlainServer = (handler: RequestListener): Server => {
  const server = createPlain(TIMEOUTS, handler)
  server.timeout = TIMEOUTS.idleTimeout
  return server
}

/** Where to listen; without a host on all addresses. */
export type Address = { readonly host: string | undefined; readonly port: number }

/** Listens. Resolves to the port: with port 0, the one that the system chose. Rejects with the error of `net`. */
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

/** Stops accepting connections and waits for the requests in progress, for at most `grace` milliseconds. */
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
