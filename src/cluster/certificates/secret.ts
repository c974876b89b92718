/** The Secret in which replicas share their certificates. The first writer decides; the other replicas use what it wrote. */
import { CoreV1Api, type KubeConfig, type V1Secret } from '@kubernetes/client-node'
import { pemBlocks, readCertificate } from '../../http/authority.ts'
import { statusOf } from '../client/failure.ts'
import { bundleOf, type Certificates, NO_CERTIFICATES } from './certificates.ts'

/** Where a Secret is. */
export type SecretPlace = { readonly namespace: string; readonly name: string }

/** Renews stored certificates; returns the same object where nothing has to be done. */
export type Renew = (stored: Certificates) => Promise<Certificates>

/** The most conflicts with other writers, between reading and writing, before renewing fails. */
const MOST_CONFLICTS = 5

/** Reads the Secret, renews its certificates, and writes it if that changed it. Throws the error of the API server. */
export async function renewSecret(kubeconfig: KubeConfig, place: SecretPlace, renew: Renew): Promise<Certificates> {
  const api = kubeconfig.makeApiClient(CoreV1Api)
  for (let conflicts = 0; ; conflicts++) {
    const secret = await unless(404, api.readNamespacedSecret(place))
    const stored = secret ? readSecret(secret) : NO_CERTIFICATES
    const renewed = await renew(stored)
    if (renewed === stored) return stored
    const body = writeSecret(renewed, place, secret)
    const written = secret
      ? api.replaceNamespacedSecret({ ...place, body })
      : api.createNamespacedSecret({ namespace: place.namespace, body })
    if ((await unless(409, written)) !== undefined) return renewed
    if (conflicts >= MOST_CONFLICTS)
      throw new Error(`other clients keep changing the Secret ${place.namespace}/${place.name}`)
  }
}

/** The result of a promise; undefined where it fails with this status. */
async function unless<Value>(status: number, promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if (statusOf(error) === status) return undefined
    throw error
  }
}

/** The certificates in a Secret; none where it has another format or a part is missing. */
export function readSecret({ data = {} }: V1Secret): Certificates {
  const [certs = [], keys = [], cert = '', key = ''] = [
    pemBlocks(text(data['ca.crt'])),
    pemBlocks(text(data['ca.key'])),
    text(data['tls.crt']),
    text(data['tls.key']),
  ]
  const authorities = certs.flatMap((ca, index) => {
    const caKey = keys[index]
    return caKey && readCertificate(ca) ? [{ cert: ca, key: caKey }] : []
  })
  if (authorities.length === 0 || authorities.length !== certs.length) return NO_CERTIFICATES
  return { authorities, serving: readCertificate(cert) && key !== '' ? { cert, key } : undefined }
}

const text = (encoded: string | undefined): string => Buffer.from(encoded ?? '', 'base64').toString()

function writeSecret(certificates: Certificates, place: SecretPlace, old: V1Secret | undefined): V1Secret {
  const encode = (value: string): string => Buffer.from(value).toString('base64')
  return {
    ...old,
    apiVersion: 'v1',
    kind: 'Secret',
    type: old?.type ?? 'kubernetes.io/tls',
    // With the resourceVersion that was read, the API server rejects the write if the Secret has changed since.
    metadata: old?.metadata ?? { ...place, labels: { 'app.kubernetes.io/name': 'sluice' } },
    data: {
      ...old?.data,
      'ca.crt': encode(bundleOf(certificates)),
      'ca.key': encode(certificates.authorities.map(({ key }) => pemBlocks(key).join('')).join('')),
      'tls.crt': encode(certificates.serving?.cert ?? ''),
      'tls.key': encode(certificates.serving?.key ?? ''),
    },
  }
}
