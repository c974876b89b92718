/** Keeps the certificates of all replicas: looks at the Secret from time to time, renews, tells the API server. */
import type { KubeConfig } from '@kubernetes/client-node'
import type { TlsMaterial } from '../http/listen.ts'
import { type Configurations, writeBundle } from './ca-bundle.ts'
import { renewSecret, type SecretPlace } from './certificate-secret.ts'
import { bundleOf, renewCertificates } from './certificates.ts'
import type { Clock } from './clock.ts'
import { reasonOf } from './failure.ts'

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

/** Milliseconds between two looks, and after a failure. */
const PERIOD = 60_000
const PATIENCE = 5_000

/** One look: what all replicas serve, after the API server has heard whom to trust. */
export async function refreshCertificates({
  kubeconfig,
  clock,
  secret,
  configurations,
  names,
}: Pick<KeepOptions, 'kubeconfig' | 'clock' | 'secret' | 'configurations' | 'names'>): Promise<TlsMaterial> {
  const certificates = await renewSecret(kubeconfig, secret, (stored) => renewCertificates(stored, names, clock.now()))
  if (!certificates.serving) throw new Error('no certificate could be made')
  await writeBundle(kubeconfig, configurations, bundleOf(certificates))
  return certificates.serving
}

/** Keeps on looking until stopped. Never throws. */
export function keepCertificates(options: KeepOptions): { stop(): void } {
  const { clock, serve, failed } = options
  let served = ''
  let isStopped = false
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    let next = PERIOD
    try {
      const material = await refreshCertificates(options)
      if (!isStopped && material.cert !== served) {
        served = material.cert
        serve(material)
      }
    } catch (error) {
      next = PATIENCE
      if (!isStopped) failed(reasonOf(error))
    }
    if (!isStopped) cancel = clock.after(next, () => void look())
  }
  void look()
  return {
    stop() {
      isStopped = true
      cancel()
    },
  }
}
