/** Keeps the certificates of all replicas: reads the Secret every minute, renews, and writes the authorities for the API server. */

import { pemBlocks } from '../../http/authority.ts'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import type { KubeConfig } from '../client/library.ts'
import { poll } from '../client/poll.ts'
import { type Configurations, readBundles, writeBundle } from './ca-bundle.ts'
import {
  bundleOf,
  type Certificates,
  isSignedByOneOf,
  isValidAt,
  NO_CERTIFICATES,
  renewCertificates,
  withServed,
} from './certificates.ts'
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

/**
 * Attempts that a replica makes before it stops trusting an authority that is not in the Secret. Another replica, which
 * knows it, looks at the Secret once a minute; the attempts of this one are five seconds apart.
 */
const PATIENCE = 14

/** Polls until stopped. Never throws. */
export function keepCertificates(options: KeepOptions): { stop(): void } {
  const { kubeconfig, clock, secret, configurations, names, serve, failed } = options
  let known = NO_CERTIFICATES
  let waited = 0
  const attempt = async (isStopped: () => boolean): Promise<void> => {
    const trusted = known.serving || waited === PATIENCE ? [] : await readBundles(kubeconfig, configurations)
    const certificates = await renewSecret(kubeconfig, secret, async (stored) => {
      const now = clock.now()
      const renewed = await renewCertificates(withServed(stored, known), { names, now })
      if (trusted.filter(isValidAt(now)).every((cert) => hasAuthority(renewed, cert))) return renewed
      waited++
      throw new Error('the Secret lacks an authority that is trusted: another replica may add it within a minute')
    })
    if (isStopped()) return
    const { authorities, serving } = certificates
    const isNew = serving !== undefined && !isSignedByOneOf(known.authorities, serving)
    const use = (): void => {
      if (isStopped() || !serving) return
      if (serving.cert !== known.serving?.cert) serve(serving)
      known = certificates
    }
    // The API server learns of an authority before this replica serves what it has signed: then at the next attempt.
    let isLearning = false
    try {
      isLearning = await writeBundle(kubeconfig, configurations, bundleOf(certificates))
    } finally {
      if (isNew && isLearning && known.serving) known = { authorities, serving: known.serving }
      else use()
    }
  }
  return poll({ clock, attempt, failed })
}

const hasAuthority = ({ authorities }: Certificates, cert: string): boolean =>
  authorities.some((authority) => pemBlocks(authority.cert).includes(cert))
