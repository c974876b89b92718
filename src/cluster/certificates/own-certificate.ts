/** A certificate of our own making where no store shares one: its authority lasts, and the certificate is renewed. */
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import { keepLooking } from '../client/poll.ts'
import { bundleOf, NO_CERTIFICATES, renewCertificates, renewServing } from './certificates.ts'

export type OwnCertificate = {
  /** Whom clients are to trust (PEM): the same for as long as this process runs. */
  readonly authority: string
  readonly material: TlsMaterial
  /** Renews it after two thirds of its life. Ends when stopped. */
  keep(told: { serve(material: TlsMaterial): void; failed(reason: string): void }): { stop(): void }
}

/** Makes an authority, and a certificate for a server of some names. */
export async function createOwnCertificate(names: readonly string[], clock: Clock): Promise<OwnCertificate> {
  const made = await renewCertificates(NO_CERTIFICATES, names, clock.now())
  if (!made.serving) throw new Error('an authority has signed nothing')
  const { authorities, serving: material } = made
  return {
    authority: bundleOf(made),
    material,
    keep({ serve, failed }) {
      let serving = material
      const look = async (isStopped: () => boolean): Promise<void> => {
        const next = await renewServing({ authorities, serving }, names, clock.now())
        if (!next || next === serving || isStopped()) return
        serving = next
        serve(next)
      }
      return keepLooking({ clock, look, failed })
    },
  }
}
