/** The webhook of the service mesh in the real API server: which new Pods get the sidecar, with the rights of its installation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE } from '../../scripts/manifests/parts.ts'
import { admissionInstallation } from '../../src/installation/admission.ts'
import { NAMES } from '../../src/installation/object.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../src/mesh/config.ts'
import { type AdmissionServer, installObjects, startAdmission, writeCertificate } from './admission-server.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { namespace, serviceAccount, until } from './resources.ts'

const AUTO = 'injector.nsm.nginx.com/auto-inject'
const SPACES = [
  namespace('nginx-mesh'),
  namespace('plain'),
  namespace('listed'),
  namespace('labelled-on', { [AUTO]: 'enabled' }),
  namespace('labelled-off', { [AUTO]: 'disabled' }),
]

const names = apiNames()

/** The ConfigMap with the configuration of the mesh. */
const stored = (injection: JsonObject) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'mesh-config', namespace: 'nginx-mesh' },
  data: { 'mesh-config.json': JSON.stringify({ ...initialConfig(names), injection }) },
})
const ALL_BUT = { isAutoInjectEnabled: true, enabledNamespaces: [], disabledNamespaces: ['listed'] }
const ONLY = { isAutoInjectEnabled: false, enabledNamespaces: ['listed'], disabledNamespaces: [] }

const cluster = useCluster({
  objects: [
    ...SPACES,
    ...[...SPACES, namespace('default'), namespace('kube-system')].map(({ metadata }) => serviceAccount(metadata.name)),
  ],
})
const { kubectl, store } = cluster
let server: AdmissionServer

const inMesh = admissionInstallation({ ...BASE, mesh: true })

beforeAll(async () => {
  const certificate = await writeCertificate(cluster.folder)
  const isAccess = ({ kind }: { readonly kind: string }) => /^(?:Namespace|ServiceAccount|.*Role.*)$/.test(kind)
  await must(kubectl('apply --server-side -f -', inMesh.filter(isAccess)))
  const token = (await must(kubectl(`create token ${NAMES.admission} -n ${NAMES.namespace}`))).trim()
  const kubeconfig = cluster.kubeconfig({ name: 'account', token, groups: [] })
  server = await startAdmission([...certificate.flags, '--kubeconfig', kubeconfig, '--mesh'])
  await installObjects(
    kubectl,
    inMesh.filter(({ metadata }) => metadata.name === NAMES.meshInjection),
    { port: server.port, authority: certificate.authority },
  )
  await until('the watches are synced', () => server.isSynced())
  await until('the configuration is known', () => server.log.join('\n').includes('that of a new one is in use'))
})
afterAll(() => server?.stop())

type Pod = {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly containers: readonly { readonly name: string; readonly args?: readonly string[] }[]
    readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[]
  }
}

let count = 0
const podOf = (space: string, metadata: JsonObject = {}, spec: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${count++}`, namespace: space, ...metadata },
  spec: { containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 8080 }] }], ...spec },
})

/** The Pod as the API server stores it. */
async function created(pod: JsonObject, flags = ''): Promise<Pod> {
  return JSON.parse(await must(kubectl(`create ${flags} -o json -f -`.replace('  ', ' '), JSON.stringify(pod))))
}

const isInjected = ({ spec, metadata }: Pod): boolean => {
  const found = [
    spec.containers.some(({ name }) => name === 'nginx-mesh-sidecar'),
    spec.initContainers?.some(({ name }) => name === 'nginx-mesh-init') ?? false,
    metadata.annotations?.['injector.nsm.nginx.com/status'] === 'injected',
  ]
  expect(new Set(found).size, 'a Pod has all of it, or nothing').toBe(1)
  return found[0] ?? false
}

/** Stores a configuration, and waits until the webhook decides by it. */
async function configure(injection: JsonObject, isForPlain: boolean): Promise<void> {
  await store([stored(injection)])
  await until('the webhook has the configuration', async () => {
    const pod = await created(podOf('plain'), '--dry-run=server')
    return isInjected(pod) === isForPlain
  })
}

it('decides as in a new mesh where no configuration is stored', async () => {
  expect(isInjected(await created(podOf('plain')))).toBe(true)
  expect(isInjected(await created(podOf('labelled-off')))).toBe(false)
})

/** Where a Pod is created, its labels, and whether it gets the sidecar with automatic injection on, and off. */
const PODS: readonly (readonly [string, JsonObject, on: boolean, off: boolean])[] = [
  ['plain', {}, true, false],
  ['listed', {}, false, true],
  ['labelled-on', {}, true, true],
  ['labelled-off', {}, false, false],
  ['labelled-off', { [AUTO]: 'enabled' }, true, true],
  ['labelled-on', { [AUTO]: 'disabled' }, false, false],
  ['plain', { [AUTO]: 'maybe' }, true, false],
  ['kube-system', { [AUTO]: 'enabled' }, false, false],
  ['nginx-mesh', { [AUTO]: 'enabled' }, false, false],
]

it.each([
  ['on', ALL_BUT],
  ['off', ONLY],
] as const)(
  'with automatic injection %s, a Pod gets the sidecar by its label, its namespace, and the lists',
  async (state, injection) => {
    await configure(injection, state === 'on')
    const pods = PODS.map(([space, labels]) => podOf(space, { labels }))
    const said = await must(kubectl('create -o json -f -', pods))
    const items = said.split(/^(?=\{)/m).map((one): Pod => JSON.parse(one))
    expect(items.map((pod, index) => [...(PODS[index]?.slice(0, 2) ?? []), isInjected(pod)])).toEqual(
      PODS.map(([space, labels, on, off]) => [space, labels, state === 'on' ? on : off]),
    )
  },
)

describe('with automatic injection', () => {
  beforeAll(() => configure(ALL_BUT, true))

  it('names the workload that a Pod belongs to', async () => {
    const owner = (kind: string, name: string) => ({
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: '0b5f', controller: true }],
    })
    const made = { name: undefined, generateName: 'web-7d4b9c-', labels: { 'pod-template-hash': '7d4b9c' } }
    const ofDeployment = await created(podOf('plain', { ...made, ...owner('ReplicaSet', 'web-7d4b9c') }))
    expect(ofDeployment.metadata.labels).toMatchObject({
      'nsm.nginx.com/deployment': 'web',
      'pod-template-hash': '7d4b9c',
      'spiffe.io/spiffeid': 'true',
    })
    const sidecar = ofDeployment.spec.containers.find(({ name }) => name === 'nginx-mesh-sidecar')
    expect(sidecar?.args?.slice(0, 4)).toEqual(['-s', '8080', '-n', 'web'])
    const ofSet = await created(podOf('plain', { name: 'db-0', ...owner('StatefulSet', 'db') }))
    expect(ofSet.metadata.labels).toMatchObject({ 'nsm.nginx.com/statefulset': 'db' })
    const alone = await created(podOf('plain', { name: 'alone' }))
    expect(alone.metadata.labels).toMatchObject({ 'nsm.nginx.com/pod': 'alone' })
  })

  it('adds nothing to a Pod that has the sidecar', async () => {
    const first = await created(podOf('plain', { name: 'first' }), '--dry-run=server')
    const { metadata, spec } = first
    const again = await created({ apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as JsonObject)
    expect(again.spec.containers.map(({ name }) => name)).toEqual(['app', 'nginx-mesh-sidecar'])
    expect(again.spec.initContainers?.map(({ name }) => name)).toEqual(['nginx-mesh-init'])
  })

  it('creates a Pod that cannot get the sidecar without it, and says why', async () => {
    const ports = [{ containerPort: 9, protocol: 'SCTP' }]
    const pod = podOf('plain', { name: 'sctp' }, { containers: [{ name: 'app', image: 'app:1', ports }] })
    const { code, stderr } = await kubectl('create -f -', JSON.stringify(pod))
    expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 0,
      stderr: expect.stringContaining('spec.containers[0].ports[0].protocol: the mesh does not support SCTP'),
    })
    expect(server.log.join('\n')).toContain('a Pod is created without its sidecar')
  })

  it('leaves a Pod in the network of its node alone', async () => {
    expect(isInjected(await created(podOf('plain', {}, { hostNetwork: true })))).toBe(false)
  })

  it('keeps Pods from nobody while its configuration is wrong, or nobody answers', async () => {
    await store([stored({ isAutoInjectEnabled: 'yes' })])
    await until('the webhook knows no configuration', async () => {
      return !isInjected(await created(podOf('plain'), '--dry-run=server'))
    })
    expect(await kubectl('create -f -', JSON.stringify(podOf('plain')))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the configuration of the mesh is not known'),
    })
    expect(server.log.join('\n')).toContain('the configuration of the mesh cannot be read')
    await server.stop()
    expect(await kubectl('create -f -', JSON.stringify(podOf('plain')))).toMatchObject({ code: 0, stderr: '' })
  })
})
