/**
 * The certificates that replicas share, as plain data, and how they are renewed. All replicas and the API server know a
 * new authority before it signs anything, and an old one stays until nothing that it signed can be served.
 */
import { createAuthority, issueServing, plainName, readCertificate, type Validity } from '../../http/authority.ts'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Clock } from '../client/clock.ts'
import { poll } from '../client/poll.ts'

/** What is stored. */
export type Certificates = {
  /** The newest first. One without its key (an empty text) is trusted and signs nothing. */
  readonly authorities: readonly TlsMaterial[]
  readonly serving: TlsMaterial | undefined
}

export const NO_CERTIFICATES: Certificates = { authorities: [], serving: undefined }

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Lives in milliseconds. */
export const LIVES = {
  authority: 5 * 365 * DAY,
  serving: 365 * DAY,
  /** How long a new authority is published before it signs: every replica reads the Secret more often than this. */
  settling: 10 * MINUTE,
  /** Certificates are valid from before they are issued, for clocks that are behind. */
  backdated: 60 * MINUTE,
} as const

/** The names under which the API server calls a Service. */
export const serviceNames = (service: string, namespace: string): readonly string[] => [
  `${service}.${namespace}.svc`,
  `${service}.${namespace}`,
  `${service}.${namespace}.svc.cluster.local`,
]

/** For whom certificates are, and as of when. */
export type Renewal = {
  /** DNS names and IP addresses of the server. */
  readonly names: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds for which a new authority is published before it signs. Default: {@link LIVES.settling}. */
  readonly settling?: number
}

/** Renews certificates; returns the same object where nothing has to be done. */
export async function renewCertificates(
  current: Certificates,
  { names, now, settling = LIVES.settling }: Renewal,
): Promise<Certificates> {
  const authorities = await renewAuthorities(current.authorities, { now, settling })
  const serving = await renewServing({ authorities, serving: current.serving }, { names, now, settling })
  const isSame = authorities === current.authorities && serving === current.serving
  return isSame ? current : { authorities, serving }
}

/**
 * What is stored, and what this replica knows of it: the authority of the certificate that it serves stays trusted where
 * somebody has deleted or replaced the stored one. It signs nothing more, as its key may be the reason. Returns the same
 * object where nothing is missing.
 */
export function withServed(stored: Certificates, { authorities, serving }: Certificates): Certificates {
  const facts = serving && readCertificate(serving.cert)
  const signer = authorities.find(({ cert }) => facts?.isSignedBy(cert))
  const known = signer && stored.authorities.find(({ cert }) => cert === signer.cert)
  const isComplete = stored.serving !== undefined && known !== undefined
  if (!serving || !signer || isComplete) return stored
  return {
    authorities: known ? stored.authorities : [...stored.authorities, { cert: signer.cert, key: '' }],
    serving: stored.serving ?? serving,
  }
}

/** True where one of the authorities has signed a certificate. */
export const isSignedByOneOf = (authorities: readonly TlsMaterial[], { cert }: TlsMaterial): boolean => {
  const facts = readCertificate(cert)
  return authorities.some((authority) => facts?.isSignedBy(authority.cert))
}

/** The text of every authority that a client should trust. */
export const bundleOf = ({ authorities }: Certificates): string => authorities.map(({ cert }) => cert).join('')

type Moment = Pick<Required<Renewal>, 'now' | 'settling'>

async function renewAuthorities(
  authorities: readonly TlsMaterial[],
  { now, settling }: Moment,
): Promise<readonly TlsMaterial[]> {
  const [newest] = authorities
  if (newest && newest.key !== '' && !isDue(newest, now)) {
    const kept = isPublished(newest, { now: now - LIVES.serving, settling })
      ? [newest]
      : authorities.filter(({ cert }) => isValidAt(now)(cert))
    return kept.length === authorities.length ? authorities : kept
  }
  const created = await createAuthority('sluice', lifeFrom(now, LIVES.authority))
  return [created, ...authorities.filter(({ cert }) => isValidAt(now)(cert))]
}

/**
 * Signs with the newest authority that has been published for long enough; returns the same object where nothing has to
 * be done.
 */
async function renewServing(
  { authorities, serving }: Certificates,
  { names, now, settling }: Required<Renewal>,
): Promise<TlsMaterial | undefined> {
  const published =
    authorities.find((authority) => isPublished(authority, { now, settling })) ??
    authorities.findLast(isCurrentAt(now)) ??
    authorities.at(-1)
  const signer = published?.key === '' ? authorities.find(({ key }) => key !== '') : published
  if (!published || !signer) return serving
  const facts = serving && readCertificate(serving.cert)
  const isSigned = facts?.isSignedBy(published.cert) || facts?.isSignedBy(signer.cert)
  if (serving && facts && isSigned && sameNames(facts.names, names) && !isDue(serving, now)) return serving
  const { until } = readCertificate(signer.cert) ?? { until: now }
  const life = lifeFrom(now, LIVES.serving)
  return issueServing(signer, names, { ...life, until: Math.min(life.until, until) })
}

const sameNames = (some: readonly string[], others: readonly string[]): boolean =>
  some.join() === others.map(plainName).sort().join()

const lifeFrom = (now: number, life: number): Validity => ({ from: now - LIVES.backdated, until: now + life })

/**
 * True after two thirds of a life, before it begins (made while a clock was far ahead), and for what cannot be read.
 */
function isDue({ cert }: TlsMaterial, now: number): boolean {
  const facts = readCertificate(cert)
  return !facts || now < facts.from || now >= facts.from + ((facts.until - facts.from) * 2) / 3
}

/** Tells of a certificate (PEM) whether it has not expired at a moment. False for what cannot be read. */
export const isValidAt =
  (now: number) =>
  (cert: string): boolean =>
    (readCertificate(cert)?.until ?? 0) > now

const isCurrentAt =
  (now: number) =>
  ({ cert }: TlsMaterial): boolean => {
    const facts = readCertificate(cert)
    return facts !== undefined && now >= facts.from && now < facts.until
  }

/** True where an authority has been published for long enough. */
const isPublished = ({ cert }: TlsMaterial, { now, settling }: Moment): boolean =>
  now >= (readCertificate(cert)?.from ?? Number.POSITIVE_INFINITY) + LIVES.backdated + settling

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

/** Authorities that outlive the process. */
export type KeptAuthorities = {
  /** Those of before, the newest first. */
  readonly authorities: readonly TlsMaterial[]
  /** Called with all that there are from now on. */
  keep(authorities: readonly TlsMaterial[]): void
}

/** Creates an authority, or takes a kept one, and a certificate for a server with these names. */
export async function createOwnCertificate(
  names: readonly string[],
  clock: Clock,
  kept: KeptAuthorities = { authorities: [], keep: () => {} },
): Promise<OwnCertificate> {
  const renewal = () => ({ names, now: clock.now(), settling: ANNOUNCED_FOR })
  const created = await renewCertificates({ ...NO_CERTIFICATES, authorities: kept.authorities }, renewal())
  if (!created.serving) throw new Error('no certificate was issued')
  if (created.authorities !== kept.authorities) kept.keep(created.authorities)
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
        if (next.authorities !== before.authorities) kept.keep(next.authorities)
        if (next.authorities[0] !== before.authorities[0]) announce(bundleOf(next))
        if (next.serving && next.serving !== before.serving) serve(next.serving)
      }
      return poll({ clock, attempt, failed })
    },
  }
}
