/** Certificates of clients, and of the authorities that sign them. */
import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  X509CertificateGenerator,
} from '@peculiar/x509'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const VALID = { notBefore: new Date('2020-01-01'), notAfter: new Date('2099-01-01'), signingAlgorithm: CURVE }

type Pem = { readonly cert: string; readonly key: string }

/** An authority of this name, and what it issues. */
export async function clientAuthority(
  name: string,
): Promise<{ readonly ca: Pem; issue(subject: string): Promise<Pem> }> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const ca = await X509CertificateGenerator.createSelfSigned(
    { ...VALID, name: `CN=${name}`, keys, extensions: [new BasicConstraintsExtension(true, 0, true)] },
    crypto,
  )
  const pem = async (certificate: string, key: webcrypto.CryptoKey): Promise<Pem> => ({
    cert: `${certificate}\n`,
    key: PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY'),
  })
  return {
    ca: await pem(ca.toString('pem'), keys.privateKey),
    async issue(subject) {
      const own = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
      const certificate = await X509CertificateGenerator.create(
        {
          ...VALID,
          subject,
          issuer: ca.subject,
          publicKey: own.publicKey,
          signingKey: keys.privateKey,
          extensions: [
            new BasicConstraintsExtension(false, undefined, true),
            new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth]),
          ],
        },
        crypto,
      )
      return pem(certificate.toString('pem'), own.privateKey)
    },
  }
}
