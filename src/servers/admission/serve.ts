/** The webhook as a running server: two ports, a certificate that may change, and a stop that completes the requests in progress. */
import type { Server } from 'node:https'
import { Gauge } from '@prometheus-io/client'
import type { Reviewer } from '../../admission/reviewer.ts'
import { serveHealth } from '../../http/health.ts'
import { close, createTlsServer, listen, type TlsIdentity, type TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import type { Metrics } from '../../http/metrics.ts'
import { expiryOf } from '../../http/watched-files.ts'
import type { ClusterView } from '../../world/world.ts'
import { createAdmissionApp } from './app.ts'
import type { MeshView } from './inject-pod.ts'

/** What the port for reviews needs. */
export type ReviewOptions = {
  /** Undefined listens on all addresses. */
  readonly host: string | undefined
  /** 0: a free one. */
  readonly port: number
  readonly material: TlsMaterial
  /** The authorities (PEM) of the certificates that clients must have; undefined: anyone may send reviews. */
  readonly clientAuthority?: string | undefined
  reviewer(): Reviewer
  world(): ClusterView
  /** What is known of the service mesh now; undefined where its sidecar is not injected. */
  readonly mesh?: (() => MeshView) | undefined
  readonly log: Log
  readonly metrics: Metrics
  now(): number
  /** Milliseconds since 1970. */
  wallClock(): number
}

export type ServeOptions = ReviewOptions & {
  readonly healthPort: number
  /** Why reviews cannot be processed yet; undefined once they can. */
  notReady(): string | undefined
}

/** Milliseconds that connections and requests have until they must have ended. */
export type StopTimes = { readonly drain: number; readonly grace: number }

/** The port for reviews. */
export type ServingReviews = {
  readonly port: number
  /** Serves new connections with another certificate; those that are open stay. */
  useCertificate(material: TlsMaterial): void
  /** Asks new connections for certificates of other authorities. Only for a server that was started with some. */
  useClientAuthority(ca: string): void
  /**
   * Reports "not ready" for `drain` milliseconds while it still responds, then accepts no more connections and waits
   * at most `grace` milliseconds for the requests in progress. Clients have a second to use connections once more, and
   * are told to close them.
   */
  stop(times: StopTimes): Promise<void>
}

/** Both ports. */
export type Serving = ServingReviews & { readonly healthPort: number }

/** Milliseconds in which a busy client sends its next request on a connection. */
const IDLE = 1_000

/** Starts both servers. Rejects where a port cannot be used. */
export async function serveAdmission(options: ServeOptions): Promise<Serving> {
  const { host, metrics, healthPort } = options
  const reviews = await serveReviews(options)
  let isClosing = false
  const notReady = () => (isClosing ? 'shutting down' : options.notReady())
  const health = await serveHealth({ host, port: healthPort }, { metrics, notReady }).catch(async (error: unknown) => {
    await reviews.stop({ drain: 0, grace: 0 })
    throw error
  })
  return {
    ...reviews,
    healthPort: health.port,
    async stop(times) {
      isClosing = true
      await reviews.stop(times)
      await health.stop()
    },
  }
}

/** Starts the port for reviews. Rejects where it cannot be used. */
export async function serveReviews(options: ReviewOptions): Promise<ServingReviews> {
  const { host, metrics } = options
  let isClosing = false
  let identity: TlsIdentity = identityOf(options)
  let expiry = expiryOf(identity.cert)
  new Gauge({
    name: 'sluice_certificate_expiry_timestamp_seconds',
    help: 'Expiry of the serving certificate, in seconds since 1970.',
    aggregator: 'min',
    registers: [metrics],
    collect() {
      this.set(expiry / 1000)
    },
  })
  const app = createAdmissionApp({ ...options, isClosing: () => isClosing })
  const server = createTlsServer(app, identity)
  if (identity.ca !== undefined) reportRefused(server, options)
  const port = await listen(server, { host, port: options.port })
  const use = (next: TlsIdentity) => {
    server.setSecureContext(next)
    identity = next
  }
  return {
    port,
    useCertificate(next) {
      use({ ...identity, ...next })
      expiry = expiryOf(next.cert)
    },
    useClientAuthority: (ca) => use({ ...identity, ca }),
    async stop({ drain, grace }) {
      isClosing = true
      await new Promise((resolve) => setTimeout(resolve, drain))
      await close(server, { idle: Math.min(IDLE, grace), grace })
    },
  }
}

const identityOf = ({ material, clientAuthority: ca }: ReviewOptions): TlsIdentity =>
  ca === undefined ? material : { ...material, ca }

/** Milliseconds between two warnings about clients that were refused: a stranger must not fill the log. */
const QUIET = 60_000

/** Warns when a client has no certificate, or one of another authority: it may be an API server that is not set up yet. */
function reportRefused(server: Server, { log, now }: ReviewOptions): void {
  let quietUntil = 0
  server.on('tlsClientError', (error, socket) => {
    if (now() < quietUntil) return
    quietUntil = now() + QUIET
    const reason = socket.authorizationError?.toString() ?? error.message
    log.warn({ client: socket.remoteAddress, reason }, 'a client without a certificate of --client-ca was refused')
  })
}
