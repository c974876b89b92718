/**
 * The certificates that replicas share, as plain data, and how they are renewed. All replicas and the API server know a
 * new authority before it signs anything, and an old one stays until nothing that it signed can be served.
 */
import { createAuthority, issueServing, plainName, readCertificate, type Validity } from '../../http/authority.ts'
import type { TlsMaterial } from '../../http/listen.ts'

/** What is stored. */
export type Certificates = {
  /** The newest first. */
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

/** Renews certificates as of a moment; returns the same object where nothing has to be done. */
export async function renewCertificates(
  current: Certificates,
  names: readonly string[],
  now: number,
): Promise<Certificates> {
  const authorities = await renewAuthorities(current.authorities, now)
  const serving = await renewServing({ authorities, serving: current.serving }, names, now)
  const isSame = authorities === current.authorities && serving === current.serving
  return isSame ? current : { authorities, serving }
}

/** The text of every authority that a client should trust. */
export const bundleOf = ({ authorities }: Certificates): string => authorities.map(({ cert }) => cert).join('')

async function renewAuthorities(authorities: readonly TlsMaterial[], now: number): Promise<readonly TlsMaterial[]> {
  const [newest] = authorities
  if (newest && !isDue(newest, now)) {
    const kept = isPublished(newest, now - LIVES.serving) ? [newest] : authorities.filter(isValidAt(now))
    return kept.length === authorities.length ? authorities : kept
  }
  const created = await createAuthority('sluice', lifeFrom(now, LIVES.authority))
  return [created, ...authorities.filter(isValidAt(now))]
}

/**
 * Signs with the newest authority that has been published for long enough; returns the same object where nothing has to
 * be done.
 */
export async function renewServing(
  { authorities, serving }: Certificates,
  names: readonly string[],
  now: number,
): Promise<TlsMaterial | undefined> {
  const published = authorities.find((authority) => isPublished(authority, now)) ?? authorities.at(-1)
  if (!published) return serving
  const facts = serving && readCertificate(serving.cert)
  const isUsable = facts?.isSignedBy(published.cert) && sameNames(facts.names, names)
  if (serving && isUsable && !isDue(serving, now)) return serving
  const { until } = readCertificate(published.cert) ?? { until: now }
  const life = lifeFrom(now, LIVES.serving)
  return issueServing(published, names, { ...life, until: Math.min(life.until, until) })
}

const sameNames = (some: readonly string[], others: readonly string[]): boolean =>
  some.join() === others.map(plainName).sort().join()

const lifeFrom = (now: number, life: number): Validity => ({ from: now - LIVES.backdated, until: now + life })

/** True after two thirds of a life, and for what cannot be read. */
function isDue({ cert }: TlsMaterial, now: number): boolean {
  const facts = readCertificate(cert)
  return !facts || now >= facts.from + ((facts.until - facts.from) * 2) / 3
}

const isValidAt =
  (now: number) =>
  ({ cert }: TlsMaterial): boolean =>
    (readCertificate(cert)?.until ?? 0) > now

/** True where an authority has been published for long enough. */
const isPublished = ({ cert }: TlsMaterial, now: number): boolean =>
  now >= (readCertificate(cert)?.from ?? Number.POSITIVE_INFINITY) + LIVES.backdated + LIVES.settling
