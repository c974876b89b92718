/** A self-issued certificate for a server without a shared Secret: its authority stays, and the certificate is renewed. */
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import { poll } from '../client/poll.ts'
import { bundleOf, NO_CERTIFICATES, renewCertificates, renewServing } from './certificates.ts'

export type OwnCertificate = {
  /** The authority that clients have to trust (PEM): the same for as long as this process runs. */
  readonly authority: string
  readonly material: TlsMaterial
  /** Renews it after two thirds of its life. Ends when stopped. */
  keep(callbacks: { serve(material: TlsMaterial): void; failed(reason: string): void }): { stop(): void }
}

/** Creates an authority, and a certificate for a server with these names. */
export async function createOwnCertificate(names: readonly string[], clock: Clock): Promise<OwnCertificate> {
  const created = await renewCertificates(NO_CERTIFICATES, names, clock.now())
  if (!created.serving) throw new Error('no certificate was issued')
  const { authorities, serving: material } = created
  return {
    authority: bundleOf(created),
    material,
    keep({ serve, failed }) {
      let serving = material
      const attempt = async (isStopped: () => boolean): Promise<void> => {
        const next = await renewServing({ authorities, serving }, names, clock.now())
        if (!next || next === serving || isStopped()) return
        serving = next
        serve(next)
      }
      return poll({ clock, attempt, failed })
    },
  }
}
