/** The manifests of the controller and of the APIs on a real API server: taken as they are, in all variants. */
import { describe, expect, test } from 'vitest'
import { meshRemoval } from '../../scripts/manifests/mesh-chart.ts'
import { apiManagementInstallation } from '../../src/installation/api-management.ts'
import { controllerInstallation } from '../../src/installation/controller.ts'
import { meshInstallation, meshNames } from '../../src/installation/mesh.ts'
import { type KubeObject, NAMES } from '../../src/installation/object.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'

const { kubectl, read } = useCluster()

const COMMON = { namespace: NAMES.namespace, image: 'sluice:test' }

const MESH = { ...COMMON, namespace: meshNames({}).namespace }

const VARIANTS: readonly (readonly [string, readonly KubeObject[]])[] = [
  ['the controller', controllerInstallation(COMMON)],
  ['the controller with nginx', controllerInstallation({ ...COMMON, nginxPorts: [80, 443] })],
  ['the management API', apiManagementInstallation(COMMON)],
  ['the management API with nginx', apiManagementInstallation({ ...COMMON, nginxPort: 80, tlsSecret: 'tls' })],
  ['the API of the mesh', meshInstallation(MESH)],
  [
    'the removal of the API of the mesh',
    [...meshInstallation(MESH).filter(({ kind }) => kind === 'Namespace'), ...meshRemoval(MESH)],
  ],
]

const WORKLOADS = ['Deployment', 'StatefulSet', 'Job']

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

describe.each(VARIANTS)('%s', (_, objects) => {
  const workload = objects.find(({ kind }) => WORKLOADS.includes(kind)) as KubeObject
  const { namespace = '' } = workload.metadata

  test('is stored as it is written, so that nothing shows drift', async () => {
    await must(kubectl('apply --server-side -f -', objects))
    expect(await kubectl('diff --server-side -f -', objects)).toMatchObject({ code: 0, stdout: '' })
    const { kind, metadata } = workload
    const { spec } = await read(`${kind} ${metadata.name} -n ${namespace}`)
    expect(spec).toMatchObject(workload.spec as object)
    await must(kubectl('delete --wait=false -f -', [workload]))
  })

  test('has a Pod that keeps to the security level of its namespace', async () => {
    const { spec, metadata } = objectOf(objectOf(workload.spec).template)
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...objectOf(metadata), name: 'try', namespace },
      spec: spec ?? null,
    }
    // A StatefulSet adds the volumes of its claims.
    const claimed = { name: 'state', emptyDir: {} }
    const { volumes } = objectOf(spec)
    const own = Array.isArray(volumes) ? volumes : []
    const complete = { ...pod, spec: { ...objectOf(spec), volumes: [...own, claimed] } }
    const create = 'create --dry-run=server -f -'
    expect(await kubectl(create, [complete])).toMatchObject({ code: 0 })
    const root = { ...complete, spec: { ...complete.spec, hostPID: true } }
    expect((await kubectl(create, [root])).stderr).toContain('violates PodSecurity "restricted:latest"')
  })
})
