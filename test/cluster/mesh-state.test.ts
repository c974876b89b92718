/** What is in a mesh, from watches of the real API server. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/cluster/client/clock.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { type MeshWatch, watchMesh } from '../../src/cluster/watch/watch-mesh.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../src/mesh/config.ts'
import { inject } from '../../src/mesh/inject/inject.ts'
import { casesOf } from '../support/cases.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { namespace, serviceAccount, until } from './resources.ts'
import { ADMIN } from './users.ts'

const { cases } = casesOf(import.meta.url)

const names = apiNames()
const cluster = useCluster({ objects: [namespace('shop'), namespace('nginx-mesh'), serviceAccount('shop')] })
const { kubectl, read } = cluster
let mesh: MeshWatch

beforeAll(async () => {
  mesh = watchMesh(clusterOfFile(cluster.kubeconfig(ADMIN)), { names, clock: systemClock })
  await until('the watches are synced', () => mesh.notSynced().length === 0)
})
afterAll(() => mesh?.stop())

const service = (name: string, app: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { app }, ports: [{ name: 'http-web', port: 80 }] },
})

const pod = (name: string, app: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    labels: { app, 'pod-template-hash': '7d4b9c' },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-7d4b9c`, uid: '0b5f', controller: true },
    ],
  },
  spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'SECRET', value: 'x' }] }] },
})

const injected = (object: object): string => {
  const outcome = inject(JSON.stringify(object), { config: {}, names })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.errors))
  return outcome.text
}

/** What the kubelet would write. */
const running = (name: string, ip: string) =>
  must(
    kubectl([
      ...['patch', 'pod', name, '-n', 'shop', '--subresource=status', '--type=merge'],
      ...['-p', JSON.stringify({ status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] } })],
    ]),
  )

it('is empty in a cluster without one', () => {
  expect([mesh.services(), mesh.resources()]).toEqual([[], {}])
  expect(mesh.versions(initialConfig(names))).toEqual({ 'nginx-mesh-init': ['1.7.0'], 'nginx-mesh-sidecar': ['1.7.0'] })
})

it('has the Services, workloads and versions of injected Pods as they come, run and go', async () => {
  await must(kubectl('create -f -', [service('web', 'web'), service('plain', 'plain'), pod('plain-1', 'plain')]))
  for (const name of ['web-1', 'web-2']) await must(kubectl('create -f -', injected(pod(name, 'web'))))
  await running('web-1', '10.0.0.7')
  await running('plain-1', '10.0.0.8')
  await until('the address is known', () => mesh.services()[0]?.addresses.length === 1)
  const stored = await read('service web -n shop')
  expect(mesh.services()).toEqual([
    {
      name: 'web',
      namespace: 'shop',
      serviceIP: stored.spec.clusterIP,
      addresses: ['10.0.0.7'],
      ports: [{ port: 80, protocol: 'http' }],
    },
  ])
  expect(mesh.resources()).toEqual({ shop: { deployment: ['web'] } })

  const template = cases<object>('template')
  const component = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'nginx-mesh-api',
      namespace: 'nginx-mesh',
      labels: { 'app.kubernetes.io/part-of': 'nginx-service-mesh' },
    },
    spec: { selector: { matchLabels: { app: 'api' } }, template },
  }
  await must(kubectl('create -f -', [component]))
  const config = { sidecarImage: { name: 'nginx-mesh-sidecar', image: 'nginx-mesh-sidecar:1.8.0' } }
  await until('the component is known', () => 'nginx-mesh-api' in mesh.versions(config))
  expect(mesh.versions(config)).toEqual(
    cases('has the Services, workloads and versions of injected Pods as they come, run and go'),
  )

  await must(kubectl('delete pod web-1 web-2 -n shop --force --grace-period=0'))
  await until('the mesh is empty', () => mesh.services().length === 0)
  expect(mesh.resources()).toEqual({})
  expect(mesh.state().map(({ kind, state }) => `${kind} ${state}`)).toEqual(
    cases('has the Services, workloads and versions of injected Pods as they come, run and go (2)'),
  )
})
