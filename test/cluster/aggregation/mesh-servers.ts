/** Replicas of the built `sluice serve mesh` behind the aggregation layer of a real API server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { meshInstallation } from '../../../src/installation/mesh.ts'
import { createKubectl, type Kubectl, must } from '../kubectl.ts'
import { namespace, until } from '../resources.ts'
import { ADMIN } from '../users.ts'
import { type Aggregated, GROUP, registration, startAggregated, VERSION } from './aggregated.ts'

/** What all paths of the API begin with. */
export const BASE = `/apis/${GROUP}/${VERSION}`

/** Where the mesh is. */
export const NAMESPACE = 'nginx-mesh'

/** One process. */
type Replica = { readonly child: ChildProcess; readonly port: number; readonly healthPort: number }

/** A cluster with the API of the mesh, and with the roles of its installation. The first replica is the one behind the API server. */
export type MeshCluster = {
  readonly aggregated: Aggregated
  readonly kubectl: Kubectl
  readonly replicas: readonly Replica[]
  stop(): Promise<void>
}

/** Starts it. */
export async function startMesh(count: number): Promise<MeshCluster> {
  const aggregated = await startAggregated()
  const kubectl = createKubectl(aggregated.plane.kubeconfig(ADMIN))
  await must(kubectl('apply -f -', [namespace(NAMESPACE)]))
  const replicas = await Promise.all(Array.from({ length: count }, () => startReplica(aggregated)))
  await must(kubectl('apply -f -', registration(replicas[0]?.port ?? 0, aggregated.serving.authority)))
  await until('the APIService is available', async () => (await kubectl(`get --raw ${BASE}`)).code === 0)
  const roles = meshInstallation({ namespace: NAMESPACE, image: 'sluice:test' }).filter(
    ({ kind, metadata }) => kind === 'ClusterRole' && /-(?:admin|operator|reader)$/.test(metadata.name),
  )
  await must(kubectl('apply -f -', roles))
  return {
    aggregated,
    kubectl,
    replicas,
    async stop() {
      for (const { child } of replicas) {
        child.kill('SIGTERM')
        if (child.exitCode === null) await once(child, 'exit')
      }
      await aggregated.stop()
    },
  }
}

async function startReplica({ plane, serving }: Aggregated): Promise<Replica> {
  const [cert, key] = [join(plane.folder, 'serving.crt'), join(plane.folder, 'serving.key')]
  writeFileSync(cert, serving.cert)
  writeFileSync(key, serving.key, { mode: 0o600 })
  const ports = ['--host', '127.0.0.1', '--port', '0', '--health-port', '0']
  const flags = ['serve', 'mesh', '--kubeconfig', plane.kubeconfig(ADMIN), '--cert', cert, '--key', key, ...ports]
  const child = spawn(process.execPath, [resolve('dist/cli.js'), ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { port, healthPort } = JSON.parse(line)
  await until('the replica is ready', async () => {
    const response = await fetch(`http://127.0.0.1:${healthPort}/readyz`)
    return response.ok
  })
  return { child, port, healthPort }
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
