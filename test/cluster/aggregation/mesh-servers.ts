/** Replicas of the built `sluice serve mesh` behind the aggregation layer of a real API server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { meshInstallation } from '../../../src/installation/mesh.ts'
import { type Serving, serve } from '../../serving.ts'
import type { Cluster } from '../cluster.ts'
import { type Kubectl, must } from '../kubectl.ts'
import { namespace, until } from '../resources.ts'
import { ADMIN } from '../users.ts'
import { GROUP, registration, servingCertificate, VERSION } from './aggregated.ts'

/** What all paths of the API begin with. */
export const BASE = `/apis/${GROUP}/${VERSION}`

/** Where the mesh is. */
export const NAMESPACE = 'nginx-mesh'

/** The API of the mesh behind the API server of a file's cluster. The first replica is the one that the API server asks. */
export type Mesh = {
  readonly replicas: readonly Serving[]
  /** Who vouches for their certificate. */
  readonly authority: string
}

/** Has it for the tests of the file, with the roles of its installation. */
export function useMesh(cluster: Cluster, count: number): Mesh {
  const { kubectl, store } = cluster
  const replicas: Serving[] = []
  let authority = ''
  beforeAll(async () => {
    const serving = await servingCertificate()
    authority = serving.authority
    const [cert, key] = [join(cluster.folder, 'serving.crt'), join(cluster.folder, 'serving.key')]
    writeFileSync(cert, serving.cert)
    writeFileSync(key, serving.key, { mode: 0o600 })
    await store([namespace(NAMESPACE)])
    const ports = ['--port', '0', '--health-port', '0']
    const flags = ['--kubeconfig', cluster.kubeconfig(ADMIN), '--cert', cert, '--key', key, ...ports]
    replicas.push(...(await Promise.all(Array.from({ length: count }, () => serve('mesh', flags)))))
    for (const replica of replicas) await until('the replica is ready', async () => (await replica.ready()) === 200)
    const roles = meshInstallation({ namespace: NAMESPACE, image: 'sluice:test' }).filter(
      ({ kind, metadata }) => kind === 'ClusterRole' && /-(?:admin|operator|reader)$/.test(metadata.name),
    )
    await store([...registration(replicas[0]?.port ?? 0, authority), ...roles])
    await until('the APIService is available', async () => (await kubectl(`get --raw ${BASE}`)).code === 0)
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
  })
  return {
    replicas,
    get authority() {
      return authority
    },
  }
}

/** A Pod with the sidecar, as the API server gets it from a user, and the address that its kubelet would write. */
export async function runInjectedPod(kubectl: Kubectl, name: string, podIP: string): Promise<void> {
  const metadata = {
    labels: { app: 'web', 'spiffe.io/spiffeid': 'true' },
    annotations: { 'injector.nsm.nginx.com/status': 'injected' },
  }
  const containers = [
    { name: 'web', image: 'web:1' },
    { name: 'nginx-mesh-sidecar', image: 'nginx-mesh-sidecar:1.6.0' },
  ]
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name, namespace: 'shop' },
    spec: { containers },
  }
  await must(kubectl('apply -f -', [pod]))
  const status = JSON.stringify({ status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }] } })
  await must(kubectl(['patch', 'pod', name, '-n', 'shop', '--subresource=status', '-p', status]))
}

/** The Service of these Pods, with their namespace. */
export const WEB: readonly object[] = [
  namespace('shop'),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { app: 'web' }, clusterIP: 'None', ports: [{ name: 'http-web', port: 8080 }] },
  },
]
