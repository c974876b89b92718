/** Keeps the certificates of all replicas: looks at the Secret from time to time, renews, tells the API server. */
import type { KubeConfig } from '@kubernetes/client-node'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import { keepLooking } from '../client/poll.ts'
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
  /** Called with what to serve: first once, then whenever it is another. */
  serve(material: TlsMaterial): void
  /** Called with what went wrong, in one line; it is tried again. */
  failed(reason: string): void
}

/** Keeps on looking until stopped. Never throws. */
export function keepCertificates(options: KeepOptions): { stop(): void } {
  const { kubeconfig, clock, secret, configurations, names, serve, failed } = options
  let served = ''
  const look = async (isStopped: () => boolean): Promise<void> => {
    const certificates = await renewSecret(kubeconfig, secret, (stored) =>
      renewCertificates(stored, names, clock.now()),
    )
    const { serving } = certificates
    if (isStopped()) return
    // A new authority settles before it signs: whom to serve and whom to trust are told independently.
    if (serving && serving.cert !== served) {
      served = serving.cert
      serve(serving)
    }
    await writeBundle(kubeconfig, configurations, bundleOf(certificates))
  }
  return keepLooking({ clock, look, failed })
}
