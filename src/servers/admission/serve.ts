/** The webhook as a running server: two ports, a certificate that may change, and a stop that completes the requests in progress. */
import { Gauge } from '@prometheus-io/client'
import { createHealthApp } from '../../http/health.ts'
import { close, createPlainServer, createTlsServer, listen, type TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import type { Metrics } from '../../http/metrics.ts'
import { expiryOf } from '../../http/watched-files.ts'
import type { ClusterView } from '../../world/world.ts'
import { createAdmissionApp } from './app.ts'
import type { Reviewer } from './reviewer.ts'

export type ServeOptions = {
  /** Undefined listens on all addresses. */
  readonly host: string | undefined
  /** 0: a free one. */
  readonly port: number
  readonly healthPort: number
  readonly material: TlsMaterial
  reviewer(): Reviewer
  world(): ClusterView
  readonly log: Log
  readonly metrics: Metrics
  /** Why reviews cannot be processed yet; undefined once they can. */
  notReady(): string | undefined
  now(): number
  /** Milliseconds since 1970. */
  wallClock(): number
}

export type Serving = {
  readonly port: number
  readonly healthPort: number
  /** Serves new connections with another certificate; those that are open stay. */
  useCertificate(material: TlsMaterial): void
  /**
   * Reports "not ready" for `drain` milliseconds while it still responds, then accepts no more connections and waits
   * at most `grace` milliseconds for the requests in progress.
   */
  stop(times: { readonly drain: number; readonly grace: number }): Promise<void>
}

/** Starts both servers. Rejects where a port cannot be used. */
export async function serveAdmission(options: ServeOptions): Promise<Serving> {
  const { host, material, metrics } = options
  let isClosing = false
  let expiry = expiryOf(material.cert)
  new Gauge({
    name: 'sluice_certificate_expiry_timestamp_seconds',
    help: 'Expiry of the serving certificate, in seconds since 1970.',
    registers: [metrics],
    collect() {
      this.set(expiry / 1000)
    },
  })
  const app = createAdmissionApp({ ...options, isClosing: () => isClosing })
  const server = createTlsServer(app, material)
  const notReady = () => (isClosing ? 'shutting down' : options.notReady())
  const health = createPlainServer(createHealthApp({ metrics, notReady }))
  const port = await listen(server, { host, port: options.port })
  const healthPort = await listen(health, { host, port: options.healthPort }).catch(async (error: unknown) => {
    await close(server, 0)
    throw error
  })
  return {
    port,
    healthPort,
    useCertificate(next) {
      server.setSecureContext(next)
      expiry = expiryOf(next.cert)
    },
    async stop({ drain, grace }) {
      isClosing = true
      await new Promise((resolve) => setTimeout(resolve, drain))
      await close(server, grace)
      await close(health, 0)
    },
  }
}
