/** HTTP servers: creating one, listening, changing its certificate, and stopping after the requests in progress. */

import { randomBytes } from 'node:crypto'
import { createServer as createPlain, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecure, type Server as SecureServer } from 'node:https'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { brokenResponse } from './http-error.ts'

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

/** What a server shows to clients; with `ca` (PEM), also which authorities must have signed the certificates of clients. */
export type TlsIdentity = TlsMaterial & { readonly ca?: string }

/**
 * Creates a server for HTTP/1.1 over TLS 1.2 or newer. It does not listen yet. With `ca`, the handshake fails for a client
 * without a certificate of these authorities.
 */
export const createTlsServer = (
  handler: RequestListener,
  identity: TlsIdentity,
  timeouts: Timeouts = TIMEOUTS,
): SecureServer => {
  const clients = identity.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  const tls = { handshakeTimeout: 10_000, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] } as const
  const server = createSecure({ ...identity, ...clients, ...timeouts, ...tls }, handler)
  server.timeout = timeouts.idleTimeout
  return server
}

/** Bytes of the headers of a request behind the aggregator: it sends one for each group of a user. */
const LARGEST_HEADERS = 128 * 1024

/** Bytes of the keys by which clients resume TLS sessions. */
const TICKET_KEYS = 48

/** A server that asks clients for a certificate, and serves those without one, too. */
export type AggregatedServer = {
  readonly server: SecureServer
  /**
   * From now on shows this certificate, and lets OpenSSL verify clients against these authorities (PEM; undefined: none).
   * Sessions cannot be resumed, as OpenSSL would not verify them again, and idle connections are closed.
   */
  use(identity: TlsMaterial, authorities: string | undefined): void
}

/** Creates it, for an extension API server. It does not listen yet. */
export function createAggregatedServer(handler: RequestListener, identity: TlsMaterial): AggregatedServer {
  // Without `ca`, Node would trust every public authority.
  const context = (material: TlsMaterial, authorities: string | undefined) => ({
    ...material,
    ca: authorities === undefined ? [] : [authorities],
    minVersion: 'TLSv1.2' as const,
  })
  const clients = {
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
    ALPNProtocols: ['http/1.1'],
  }
  const server = createSecure(
    { ...context(identity, undefined), ...clients, ...TIMEOUTS, maxHeaderSize: LARGEST_HEADERS },
    handler,
  )
  server.timeout = TIMEOUTS.idleTimeout
  return {
    server,
    use(material, authorities) {
      server.setSecureContext(context(material, authorities))
      server.setTicketKeys(randomBytes(TICKET_KEYS))
      server.closeIdleConnections()
    },
  }
}

/** Creates a server without TLS, for probes and metrics. It does not listen yet. */
export const createPlainServer = (handler: RequestListener): Server => {
  const server = createPlain(TIMEOUTS, handler)
  server.timeout = TIMEOUTS.idleTimeout
  return server
}

/** Milliseconds in which a client may send the rest of what is not a request: a reset would take the response from it. */
const LINGER = 1_000

/** Answers what is not a request, unless another response has begun on that connection. */
function answerBroken(server: Server | SecureServer): void {
  const responses = new WeakMap<Duplex, ServerResponse>()
  const answered = new WeakSet<Duplex>()
  server.on('request', (request, response) => responses.set(request.socket, response))
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (answered.has(socket)) return
    const response = responses.get(socket)
    const text = response?.headersSent && !response.writableFinished ? undefined : brokenResponse(error)
    if (text === undefined || !socket.writable) return void socket.destroy(error)
    answered.add(socket)
    socket.end(text)
    setTimeout(() => socket.destroy(), LINGER).unref()
  })
}

/** Where to listen; without a host on all addresses. */
export type Address = { readonly host: string | undefined; readonly port: number }

/** Listens. Resolves to the port: with port 0, the one that the system chose. Rejects with the error of `net`. */
export function listen(server: Server | SecureServer, { host, port }: Address): Promise<number> {
  answerBroken(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** How long connections have, in milliseconds. */
type Ending = {
  /** For those that are idle: clients may be sending on them. */
  readonly idle: number
  /** For the requests in progress. */
  readonly grace: number
}

/**
 * Stops accepting connections and waits for those that are open. The `close` of an HTTP server would end idle ones at
 * once, and with them requests that have been sent and not been read yet.
 */
export function close(server: Server | SecureServer, { idle, grace }: Ending): Promise<void> {
  return new Promise((resolve) => {
    const timers = [
      setTimeout(() => server.closeIdleConnections(), idle),
      setTimeout(() => server.closeAllConnections(), grace),
    ]
    NetServer.prototype.close.call(server, () => {
      for (const timer of timers) clearTimeout(timer)
      server.close()
      resolve()
    })
  })
}

/** Where and how to serve. */
export type ServeOptions = Address & {
  /** Undefined: plain HTTP. */
  readonly material: TlsMaterial | undefined
  /** The authorities (PEM) of the certificates that clients must have; undefined: none is needed. */
  readonly clientAuthority?: string | undefined
  /** True for an extension API server: clients are asked for a certificate, and served without one, too. */
  readonly isAggregated?: boolean
  /** A client has no certificate of these authorities, or speaks no TLS that is accepted. */
  onRefused?(reason: string, client: string | undefined): void
}

/** Milliseconds that connections and requests have until they must have ended. */
export type StopTimes = {
  /** In which the server says that it is not ready, and still responds. */
  readonly drain: number
  /** For the requests in progress, after that. */
  readonly grace: number
  /** For connections without a request; default: as long as a busy client needs to send its next one. */
  readonly idle?: number
}

/** A server while it runs. */
export type Serving = {
  readonly port: number
  /** Serves new connections with another certificate; those that are open stay. */
  useCertificate(material: TlsMaterial): void
  /** Verifies the certificates of new clients by other authorities (PEM). */
  useClientAuthority(authority: string | undefined): void
  /**
   * Tells clients to close their connections for `drain` milliseconds, then accepts no more and waits at most `grace`
   * milliseconds for the requests in progress. Clients may use connections once more before they are closed.
   */
  stop(times: StopTimes): Promise<void>
}

/** Milliseconds in which a busy client sends its next request on a connection. */
const IDLE = 1_000

/** Starts a server. `handlerOf` gets what says whether it is about to stop. Rejects where the port cannot be used. */
export async function serve(
  handlerOf: (isClosing: () => boolean) => RequestListener,
  options: ServeOptions,
): Promise<Serving> {
  let isClosing = false
  let { material, clientAuthority } = options
  const { server, use } = createServer(
    handlerOf(() => isClosing),
    options,
  )
  const port = await listen(server, options)
  const useBoth = () => {
    if (material) use(identityOf(material, clientAuthority))
  }
  return {
    port,
    useCertificate(next) {
      material = next
      useBoth()
    },
    useClientAuthority(next) {
      clientAuthority = next
      useBoth()
    },
    async stop({ drain, grace, idle = IDLE }) {
      isClosing = true
      await new Promise((resolve) => setTimeout(resolve, drain))
      await close(server, { idle: Math.min(idle, grace), grace })
    },
  }
}

const identityOf = (material: TlsMaterial, ca: string | undefined): TlsIdentity =>
  ca === undefined ? material : { ...material, ca }

/** Browsers that have come over TLS never come without it again, for a year. Source: RFC 6797. */
const HSTS = 'max-age=31536000'

/**
 * True for names that belong to one server: the answer for `localhost` would hold for all servers of the machine. Browsers
 * leave addresses alone.
 */
const isOwnName = (host: string | undefined): boolean =>
  host !== undefined && !/^(?:(?:.+\.)?localhost|[\d.]+|\[.*\])(?::\d*)?$/i.test(host)

const withHsts =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    if (isOwnName(request.headers.host)) response.setHeader('strict-transport-security', HSTS)
    return handler(request, response)
  }

function createServer(
  plainHandler: RequestListener,
  { material, clientAuthority, isAggregated = false, onRefused }: ServeOptions,
): { readonly server: Server | SecureServer; use(identity: TlsIdentity): void } {
  if (!material) return { server: createPlainServer(plainHandler), use: () => {} }
  const handler = withHsts(plainHandler)
  if (isAggregated) {
    const { server, use } = createAggregatedServer(handler, material)
    return { server, use: (identity) => use(identity, identity.ca) }
  }
  const server = createTlsServer(handler, identityOf(material, clientAuthority))
  if (onRefused)
    server.on('tlsClientError', (error, socket) =>
      onRefused(socket.authorizationError?.toString() ?? error.message, socket.remoteAddress),
    )
  return { server, use: (identity) => server.setSecureContext(identity) }
}
