/**
 * A self-issued certificate for a server without a shared Secret. It is renewed, and so is its authority: whoever wrote
 * the first one into webhook configurations has more than a year to add the next.
 */
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import { poll } from '../client/poll.ts'
import { bundleOf, LIVES, NO_CERTIFICATES, renewCertificates } from './certificates.ts'

const DAY = 24 * 60 * 60_000

/**
 * Milliseconds from when the next authority is announced, at two thirds of the life of the one before, until it signs:
 * thirty days before that ends.
 */
const ANNOUNCED_FOR = LIVES.authority / 3 - 30 * DAY

export type OwnCertificate = {
  /** The authority that clients have to trust (PEM). */
  readonly authority: string
  readonly material: TlsMaterial
  /** Renews both after two thirds of their lives. Ends when stopped. */
  keep(callbacks: OwnCertificateCallbacks): { stop(): void }
}

type OwnCertificateCallbacks = {
  /** Called with every later certificate. */
  serve(material: TlsMaterial): void
  /** Called with all authorities that clients have to trust from now on (PEM), the next one and the one that still signs. */
  announce(bundle: string): void
  failed(reason: string): void
}

/** Creates an authority, and a certificate for a server with these names. */
export async function createOwnCertificate(names: readonly string[], clock: Clock): Promise<OwnCertificate> {
  const renewal = () => ({ names, now: clock.now(), settling: ANNOUNCED_FOR })
  const created = await renewCertificates(NO_CERTIFICATES, renewal())
  if (!created.serving) throw new Error('no certificate was issued')
  const { serving: material } = created
  return {
    authority: bundleOf(created),
    material,
    keep({ serve, announce, failed }) {
      let current = created
      const attempt = async (isStopped: () => boolean): Promise<void> => {
        const before = current
        const next = await renewCertificates(before, renewal())
        if (isStopped()) return
        current = next
        if (next.authorities[0] !== before.authorities[0]) announce(bundleOf(next))
        if (next.serving && next.serving !== before.serving) serve(next.serving)
      }
      return poll({ clock, attempt, failed })
    },
  }
}
