/** The webhook as a running server: two ports, and a certificate that may change. */
import type { Reviewer } from '../../admission/reviewer.ts'
import { serveWithHealth } from '../../http/health.ts'
import { type Serving, serve, type TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { type Metrics, registerGauge } from '../../http/metrics.ts'
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

export type AdmissionServeOptions = ReviewOptions & {
  readonly healthPort: number
  /** Why reviews cannot be processed yet; undefined once they can. */
  notReady(): string | undefined
}

/** Both ports. */
export type ServingAdmission = Serving & { readonly healthPort: number }

/** Starts both servers. Rejects where a port cannot be used. */
export const serveAdmission = async (options: AdmissionServeOptions): Promise<ServingAdmission> =>
  await serveWithHealth(await serveReviews(options), options)

/** Starts the port for reviews. Rejects where it cannot be used. */
export async function serveReviews(options: ReviewOptions): Promise<Serving> {
  let expiry = expiryOf(options.material.cert)
  registerGauge(
    options.metrics,
    {
      name: 'sluice_certificate_expiry_timestamp_seconds',
      help: 'Expiry of the serving certificate, in seconds since 1970.',
      aggregator: 'min',
    },
    () => expiry / 1000,
  )
  const onRefused = options.clientAuthority === undefined ? {} : { onRefused: refusalReporter(options) }
  const serving = await serve((isClosing) => createAdmissionApp({ ...options, isClosing }), {
    ...options,
    ...onRefused,
  })
  return {
    ...serving,
    useCertificate(next) {
      serving.useCertificate(next)
      expiry = expiryOf(next.cert)
    },
  }
}

/** Milliseconds between two warnings about clients that were refused: a stranger must not fill the log. */
const QUIET = 60_000

/** Warns when a client has no certificate, or one of another authority: it may be an API server that is not set up yet. */
function refusalReporter({ log, now }: ReviewOptions): (reason: string, client: string | undefined) => void {
  let quietUntil = 0
  return (reason, client) => {
    if (now() < quietUntil) return
    quietUntil = now() + QUIET
    log.warn({ client, reason }, 'a client without a certificate of --client-ca was refused')
  }
}
