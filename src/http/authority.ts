/** A small certificate authority for servers. Dates are arguments. */
import 'reflect-metadata'
import { createPrivateKey, type webcrypto, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { TlsMaterial } from './listen.ts'

/** When a certificate is valid, in milliseconds since 1970. */
export type Validity = { readonly from: number; readonly until: number }

const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

const makeKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> =>
  PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')

/** Creates a self-signed authority that may sign certificates of servers, and no other authorities. */
export async function createAuthority(name: string, { from, until }: Validity): Promise<TlsMaterial> {
  const keys = await makeKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      // With one name for two authorities, a verifier could not know which of them signed.
      name: [{ CN: [`${name} ${new Date(from).toISOString()}`] }],
      notBefore: new Date(from),
      notAfter: new Date(until),
      signingAlgorithm: CURVE,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    },
    crypto,
  )
  return { cert: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

/** Issues a certificate for a server with these DNS names and IP addresses; the first is the common name. */
export async function issueServing(
  authority: TlsMaterial,
  names: readonly string[],
  { from, until }: Validity,
): Promise<TlsMaterial> {
  const keys = await makeKeys()
  const signingKey = await crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(authority.key), CURVE, false, [
    'sign',
  ])
  const certificate = await X509CertificateGenerator.create(
    {
      subject: [{ CN: [names[0] ?? 'localhost'] }],
      issuer: issuerOf(authority.cert),
      notBefore: new Date(from),
      notAfter: new Date(until),
      signingAlgorithm: CURVE,
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
        ),
      ],
    },
    crypto,
  )
  return { cert: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

/** The name of the authority: one of ours, so it consists of a common name. */
const issuerOf = (cert: string) => [{ CN: [new X509Certificate(cert).subject.replace(/^CN=/, '')] }]

/** What a certificate states. */
export type CertificateFacts = Validity & {
  /** DNS names and IP addresses, sorted. */
  readonly names: readonly string[]
  /** True where this authority (PEM) has signed it. */
  isSignedBy(authority: string): boolean
}

/** Reads a certificate (PEM); undefined where the text is not one. */
export function readCertificate(pem: string): CertificateFacts | undefined {
  const certificate = parse(pem)
  if (!certificate) return undefined
  const names = certificate.subjectAltName?.split(', ').map((name) => plainName(name.replace(/^[^:]+:/, ''))) ?? []
  return {
    from: Date.parse(certificate.validFrom),
    until: Date.parse(certificate.validTo),
    names: names.sort(),
    isSignedBy(authority) {
      const issuer = parse(authority)
      return issuer !== undefined && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
    },
  }
}

/** True where a key (PEM) is that of a certificate (PEM); false where one of them cannot be read. */
export function isKeyOf(key: string, cert: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** The canonical form of a name or an address: `::1` for `0:0:0:0:0:0:0:1`. */
export function plainName(name: string): string {
  const url = `http://[${name}]`
  return isIP(name) === 6 && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : name
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** The blocks of a PEM text, each with its closing newline. */
export const pemBlocks = (text: string): readonly string[] =>
  (text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? []).map((block) => `${block}\n`)

/** Returns a PEM text. Throws where it has no certificate, or one that may not sign others. */
export function checkClientAuthority(text: string): string {
  const blocks = pemBlocks(text)
  if (blocks.length === 0) throw new Error('there is no certificate in PEM format')
  for (const block of blocks) if (!maySign(block)) throw new Error('a certificate in it is not one of an authority')
  return text
}

function maySign(block: string): boolean {
  try {
    return new X509Certificate(block).ca
  } catch (error) {
    throw new Error('a certificate in it is not in PEM format', { cause: error })
  }
}
