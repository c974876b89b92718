/** The Secret in which replicas share their certificates. The first writer decides; the other replicas use what it wrote. */

import { isKeyOf, pemBlocks, readCertificate } from '../../http/authority.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { callUnless } from '../client/api.ts'
import type { KubeConfig } from '../client/library.ts'
import { bundleOf, type Certificates, NO_CERTIFICATES } from './certificates.ts'

/** Where a Secret is. */
export type SecretPlace = { readonly namespace: string; readonly name: string }

/** Renews stored certificates; returns the same object where nothing has to be done. */
export type Renew = (stored: Certificates) => Promise<Certificates>

/** The most conflicts with other writers, between reading and writing, before renewing fails. */
const MOST_CONFLICTS = 5

/** Reads the Secret, renews its certificates, and writes it if that changed it. Throws the error of the API server. */
export async function renewSecret(kubeconfig: KubeConfig, place: SecretPlace, renew: Renew): Promise<Certificates> {
  const secrets = `/api/v1/namespaces/${place.namespace}/secrets`
  const path = `${secrets}/${place.name}`
  for (let conflicts = 0; ; conflicts++) {
    const secret = await callUnless(404, kubeconfig, { path })
    const stored = secret ? readSecret(secret) : NO_CERTIFICATES
    const renewed = await renew(stored)
    if (renewed === stored) return stored
    const body = writeSecret(renewed, place, secret)
    const written = callUnless(
      409,
      kubeconfig,
      secret ? { method: 'PUT', path, body } : { method: 'POST', path: secrets, body },
    )
    if (await written) return renewed
    if (conflicts >= MOST_CONFLICTS)
      throw new Error(`other clients keep changing the Secret ${place.namespace}/${place.name}`)
  }
}

/** The certificates in a Secret: those that can be read, and a key only where it is that of its certificate. */
export function readSecret({ data }: JsonObject): Certificates {
  const text = (name: string): string => {
    const encoded = isObject(data) ? data[name] : undefined
    return typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString() : ''
  }
  const keys = pemBlocks(text('ca.key'))
  const authorities = pemBlocks(text('ca.crt'))
    .filter((cert) => readCertificate(cert))
    .map((cert) => ({ cert, key: keys.find((key) => isKeyOf(key, cert)) ?? '' }))
  const [cert, key] = [text('tls.crt'), text('tls.key')]
  return { authorities, serving: isKeyOf(key, cert) ? { cert, key } : undefined }
}

function writeSecret(certificates: Certificates, place: SecretPlace, old: JsonObject | undefined): object {
  const encode = (value: string): string => Buffer.from(value).toString('base64')
  return {
    ...old,
    apiVersion: 'v1',
    kind: 'Secret',
    type: old?.type ?? 'kubernetes.io/tls',
    // With the resourceVersion that was read, the API server rejects the write if the Secret has changed since.
    metadata: old?.metadata ?? { ...place, labels: { 'app.kubernetes.io/name': 'sluice' } },
    data: {
      ...(isObject(old?.data) ? old.data : {}),
      'ca.crt': encode(bundleOf(certificates)),
      'ca.key': encode(certificates.authorities.map(({ key }) => pemBlocks(key).join('')).join('')),
      'tls.crt': encode(certificates.serving?.cert ?? ''),
      'tls.key': encode(certificates.serving?.key ?? ''),
    },
  }
}
