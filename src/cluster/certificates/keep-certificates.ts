/** Keeps the certificates of all replicas: reads the Secret every minute, renews, and writes the authorities for the API server. */
import type { KubeConfig } from '@kubernetes/client-node'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import { poll } from '../client/poll.ts'
import { type Configurations, writeBundle } from './ca-bundle.ts'
import { bundleOf, renewCertificates } from './certificates.ts'
import { renewSecret, type SecretPlace } from './secret.ts'

export type KeepOptions = {
  readonly kubeconfig: KubeConfig
  readonly clock: Clock
  readonly secret: SecretPlace
  readonly configurations: Configurations
  /** DNS names of the server. */
  readonly names: readonly string[]
  /** Called with the certificate to serve: once at the start, then whenever it changes. */
  serve(material: TlsMaterial): void
  /** Called with what went wrong, in one line; the next attempt follows. */
  failed(reason: string): void
}

/** Polls until stopped. Never throws. */
export function keepCertificates(options: KeepOptions): { stop(): void } {
  const { kubeconfig, clock, secret, configurations, names, serve, failed } = options
  let served = ''
  const attempt = async (isStopped: () => boolean): Promise<void> => {
    const certificates = await renewSecret(kubeconfig, secret, (stored) =>
      renewCertificates(stored, names, clock.now()),
    )
    const { serving } = certificates
    if (isStopped()) return
    // A new authority is published before it signs, so the order of serving and publishing does not matter.
    if (serving && serving.cert !== served) {
      served = serving.cert
      serve(serving)
    }
    await writeBundle(kubeconfig, configurations, bundleOf(certificates))
  }
  return poll({ clock, attempt, failed })
}
