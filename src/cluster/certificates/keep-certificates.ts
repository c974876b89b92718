/**
 * Keeps the certificates of all replicas: reads the Secret every minute, renews, and writes the authorities for the API
 * server, soon again where another writer has changed them.
 */

import { pemBlocks } from '../../http/authority.ts'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import type { KubeConfig } from '../client/library.ts'
import { PERIOD, poll } from '../client/poll.ts'
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
  /**
   * Called where another writer had changed the authorities of an object (`APIService/v1.x`), which has them again; `times` in
   * a row.
   */
  repaired(object: string, times: number): void
}

/** The certificates, while they are kept. */
export type CertificateKeeper = {
  /** The authorities (PEM) that the API server was told of last; undefined before the first time. */
  bundle(): string | undefined
  /** Another writer has changed them: they are soon written again. */
  bundleChanged(): void
  stop(): void
}

/**
 * Attempts that a replica makes before it stops trusting an authority that is not in the Secret. Another replica, which
 * knows it, looks at the Secret once a minute; the attempts of this one are five seconds apart.
 */
const PATIENCE = 14

/**
 * Milliseconds until changed authorities are written again: at first, and how long nobody may have changed them for that.
 * Twice as long each time in between, so that two who write different ones do not keep the API server busy.
 */
const REPAIR = { first: 500, peace: 10 * PERIOD }

/** Polls until stopped. Never throws. */
export function keepCertificates(options: KeepOptions): CertificateKeeper {
  const { kubeconfig, clock, secret, configurations, names, serve, failed, repaired } = options
  let known = NO_CERTIFICATES
  let waited = 0
  let told: string | undefined
  let repairs = { times: 0, last: Number.NEGATIVE_INFINITY }
  const write = async (bundle: string): Promise<boolean> => {
    const written: string[] = []
    try {
      await writeBundle(kubeconfig, { configurations, bundle }, (object) => written.push(object))
    } finally {
      if (told === bundle && written.length > 0) {
        repairs = { times: repairsInARow() + 1, last: clock.now() }
        for (const object of written) repaired(object, repairs.times)
      }
    }
    told = bundle
    return written.length > 0
  }
  const repairsInARow = (): number => (clock.now() - repairs.last < REPAIR.peace ? repairs.times : 0)
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
      isLearning = await write(bundleOf(certificates))
    } finally {
      if (isNew && isLearning && known.serving) known = { authorities, serving: known.serving }
      else use()
    }
  }
  const { within, stop } = poll({ clock, attempt, failed })
  return {
    bundle: () => told,
    bundleChanged: () => within(REPAIR.first * 2 ** repairsInARow()),
    stop,
  }
}

const hasAuthority = ({ authorities }: Certificates, cert: string): boolean =>
  authorities.some((authority) => pemBlocks(authority.cert).includes(cert))
