/** The webhook of the service mesh in the real API server: which new Pods get the sidecar, with the rights of its installation: `test/fixtures/cluster/injection.txtar`. */
import { afterAll, beforeAll, expect, it } from 'vitest'
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
import { describeInCluster } from './transcripts.ts'

const AUTO = 'injector.nsm.nginx.com/auto-inject'
const SPACES = [
  namespace('nginx-mesh'),
  namespace('plain'),
  namespace('listed'),
  namespace('labelled-on', { [AUTO]: 'enabled' }),
  namespace('labelled-off', { [AUTO]: 'disabled' }),
]

const cluster = useCluster({
  objects: [
    ...SPACES,
    ...[...SPACES, namespace('default'), namespace('kube-system')].map(({ metadata }) => serviceAccount(metadata.name)),
  ],
})
const { kubectl } = cluster
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

/** The configuration of a new mesh, but for injection. */
const configured = (injection: JsonObject) => JSON.stringify({ ...initialConfig(apiNames()), injection })

const [KEY, STATUS] = [AUTO, 'injector.nsm.nginx.com/status'].map((name) => name.replaceAll('.', '\\.'))

describeInCluster(cluster, 'injection', {
  variables: {
    ALL_BUT_LISTED: configured({ isAutoInjectEnabled: true, enabledNamespaces: [], disabledNamespaces: ['listed'] }),
    ONLY_LISTED: configured({ isAutoInjectEnabled: false, enabledNamespaces: ['listed'], disabledNamespaces: [] }),
    WRONG: configured({ isAutoInjectEnabled: 'yes' }),
    SHOWN: `jsonpath={.metadata.namespace} {.metadata.labels.${KEY}}: {.spec.containers[*].name} / {.spec.initContainers[*].name} / {.metadata.annotations.${STATUS}}{"\\n"}`,
  },
})

it('says in its log what it left out, and keeps Pods from nobody where it does not answer', async () => {
  const log = server.log.join('\n')
  expect(log).toContain('a Pod is created without its sidecar')
  expect(log).toContain('the configuration of the mesh cannot be read')
  await server.stop()
  const pod = {
    metadata: { name: 'late', namespace: 'plain' },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  }
  expect(await kubectl('create -f -', [{ apiVersion: 'v1', kind: 'Pod', ...pod }])).toMatchObject({
    code: 0,
    stderr: '',
  })
})
