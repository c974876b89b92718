/**
 * Whether a client's certificate was issued by one of some authorities, as Go's `x509.Verify` has it for client
 * certificates, and the user that it names. Source: RFC 5280; k8s.io/apiserver, `x509.CommonNameUserConversion`.
 */
import { X509Certificate } from 'node:crypto'
import { pemBlocks } from '../../http/authority.ts'
import type { User } from '../../http/delegated-access.ts'

/** The certificate of a client, with those that it sent beside it. */
export type ClientChain = { readonly leaf: X509Certificate; readonly others: readonly X509Certificate[] }

/** Certificates between that of a client and that of an authority. */
const MOST_BETWEEN = 4

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2'
const ANY_USAGE = '2.5.29.37.0'

/** Reads authorities in PEM. Throws where one cannot be read. */
export const readAuthorities = (pem: string): readonly X509Certificate[] =>
  pemBlocks(pem).map((block) => new X509Certificate(block))

/** True where a chain leads to one of the authorities, everything in it is valid now, and it is meant for clients. */
export function isIssuedBy(
  { leaf, others }: ClientChain,
  authorities: readonly X509Certificate[],
  now: number,
): boolean {
  const { keyUsage } = leaf
  // Node calls the extended key usage `keyUsage`.
  if (keyUsage && !keyUsage.includes(CLIENT_AUTHENTICATION) && !keyUsage.includes(ANY_USAGE)) return false
  let current = leaf
  for (let between = 0; between <= MOST_BETWEEN; between += 1) {
    if (!isValidAt(current, now)) return false
    if (authorities.some((authority) => isValidAt(authority, now) && hasIssued(authority, current))) return true
    const issuer = others.find((other) => other.ca && !other.raw.equals(current.raw) && hasIssued(other, current))
    if (!issuer) return false
    current = issuer
  }
  return false
}

/** The user: the common name, with the organizations as groups; undefined where there is no common name. */
export function userOfCertificate(leaf: X509Certificate): User | undefined {
  const username = commonNameOf(leaf)
  return username ? { username, groups: valuesOf(leaf, 'O'), extra: {} } : undefined
}

/** The last common name, as Go takes it; undefined where there is none. */
export const commonNameOf = (leaf: X509Certificate): string | undefined => valuesOf(leaf, 'CN').at(-1)

/** The values of a part of the subject. The text of the whole subject would have to be taken apart. */
function valuesOf(leaf: X509Certificate, name: 'CN' | 'O'): readonly string[] {
  const value: string | string[] | undefined = leaf.toLegacyObject().subject?.[name]
  return value === undefined ? [] : [value].flat()
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now <= validToDate.getTime()
}

function hasIssued(authority: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  } catch {
    // Of another kind of key, for example.
    return false
  }
}
