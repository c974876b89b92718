/** A server behind the aggregation layer of a real API server, and the certificates that the two know each other by. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAuthority, issueServing } from '../../../src/http/authority.ts'
import type { TlsMaterial } from '../../../src/http/listen.ts'
import { clientAuthority } from '../../nginx/api-management/certificates.ts'

export const GROUP = 'nsm.nginx.com'
export const VERSION = 'v1alpha1'
const SERVICE = { namespace: 'nginx-mesh', name: 'nginx-mesh-api' } as const

type Authority = Awaited<ReturnType<typeof clientAuthority>>

/** The serving certificate of a server behind an API server, and who vouches for it. */
export async function servingCertificate(): Promise<TlsMaterial & { readonly authority: string }> {
  const validity = { from: Date.now() - 3_600_000, until: Date.now() + 24 * 3_600_000 }
  const authority = await createAuthority('serving', validity)
  const names = [`${SERVICE.name}.${SERVICE.namespace}.svc`, 'localhost', '127.0.0.1']
  return { ...(await issueServing(authority, names, validity)), authority: authority.cert }
}

/** What an API server knows clients by, and shows to servers behind it. */
export type Aggregator = {
  readonly flags: readonly string[]
  /** The authority of the aggregator's certificate. */
  readonly aggregators: Authority
  /** The authority of users' certificates. */
  readonly users: Authority
  /** Replaces the authority of the aggregator, and its certificate. The API server must be started again. */
  rotate(): Promise<Authority>
}

/** Makes it in a folder. */
export async function createAggregator(folder: string): Promise<Aggregator> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const users = await clientAuthority('users')
  const use = async (authority: Authority) => {
    const { cert, key } = await authority.issue('CN=aggregator')
    const flags = [
      `--client-ca-file=${file('users.crt', users.ca.cert)}`,
      `--requestheader-client-ca-file=${file('request-header-ca.crt', authority.ca.cert)}`,
      '--requestheader-allowed-names=aggregator',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${file('aggregator.crt', cert)}`,
      `--proxy-client-key-file=${file('aggregator.key', key)}`,
    ]
    return { authority, flags }
  }
  const { authority: aggregators, flags } = await use(await clientAuthority('aggregators'))
  const rotate = async () => (await use(await clientAuthority('other-aggregators'))).authority
  return { flags, aggregators, users, rotate }
}

/** The objects by which a server on a port of this machine serves the API group. */
export const registration = (port: number, authority: string): readonly object[] => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SERVICE.namespace } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: SERVICE,
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${VERSION}.${GROUP}` },
    spec: {
      group: GROUP,
      version: VERSION,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { ...SERVICE, port },
      caBundle: Buffer.from(authority).toString('base64'),
    },
  },
]
