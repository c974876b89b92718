/** The Secret in which replicas share their certificates. Who writes first wins, the others take what is there. */
import { CoreV1Api, type KubeConfig, type V1Secret } from '@kubernetes/client-node'
import { pemBlocks, readCertificate } from '../../http/authority.ts'
import { statusOf } from '../client/failure.ts'
import { bundleOf, type Certificates, NO_CERTIFICATES } from './certificates.ts'

/** Where a Secret is. */
export type SecretPlace = { readonly namespace: string; readonly name: string }

/** Brings stored certificates up to date; gives the very same where nothing is to be done. */
export type Renew = (stored: Certificates) => Promise<Certificates>

/** How often another writer may come between reading and writing. */
const MOST_CONFLICTS = 5

/** Reads the Secret, renews what it holds, writes it where that changed it. Throws what the API server refuses. */
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
    if (conflicts >= MOST_CONFLICTS) throw new Error(`the Secret ${place.namespace}/${place.name} never stands still`)
  }
}

/** What a promise gives; undefined where it fails with a status. */
async function unless<Value>(status: number, promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if (statusOf(error) === status) return undefined
    throw error
  }
}

/** What a Secret holds; nothing where somebody else has written it or a part is missing. */
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
    // With the version that was read, a write on top of another's is refused.
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
