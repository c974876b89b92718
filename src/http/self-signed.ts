/** A certificate of our own making, for who tries the server and for tests. */
import 'reflect-metadata'
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

/** Whom it is for, and how long. */
export type SelfSigned = {
  /** DNS names and IP addresses; the first is the common name. */
  readonly names: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Makes a key and a certificate that signs itself: whoever trusts it as an authority trusts the server. */
export async function createSelfSigned({ names, notBefore, notAfter }: SelfSigned): Promise<TlsMaterial> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [names[0] ?? 'localhost'] }],
      notBefore,
      notAfter,
      signingAlgorithm: CURVE,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
        ),
      ],
    },
    crypto,
  )
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') }
}
