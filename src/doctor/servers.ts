/** The servers that an installation may have, and what each consists of, with the choices of the one that runs. */
import { admissionInstallation } from '../installation/admission.ts'
import { API_MANAGEMENT } from '../installation/api-management.ts'
import { CONTROLLER, controllerInstallation } from '../installation/controller.ts'
import { meshInstallation, meshNames } from '../installation/mesh.ts'
import { type ComponentName, type KubeObject, NAMES } from '../installation/object.ts'
import type { JsonObject } from '../json/member.ts'
import { type Evidence, type Known, listAt, objectAt, textAt, textsAt } from './evidence.ts'

/** A server, as the checks see it. */
export type Server = {
  readonly id: 'admission' | 'controller' | 'mesh' | 'api-management'
  readonly title: string
  /** The kind of what runs it. */
  readonly kind: 'Deployment' | 'StatefulSet'
  /** Of what runs it, its Service and its service account. */
  name(evidence: Place): string
  namespace(evidence: Place): string
  /** What it consists of, with the choices of the one that runs; undefined where it does not use the API of Kubernetes. */
  installation?(evidence: Place, workload: JsonObject): readonly KubeObject[]
  /** What prints its manifests with the same choices. */
  command(evidence: Place, workload: JsonObject): string
}

type Place = Pick<Evidence, 'names' | 'namespace' | 'project'>

const containerOf = (workload: JsonObject): unknown => listAt(workload, 'spec', 'template', 'spec', 'containers')[0]

/** The image that a workload runs. */
export const imageOf = (workload: JsonObject): string => textAt(containerOf(workload), 'image')

/** Whether the program of a workload is started with a flag. */
export const hasFlag = (workload: JsonObject, flag: string): boolean =>
  textsAt(containerOf(workload), 'args').includes(flag)

const portsOf = (workload: JsonObject): readonly number[] =>
  listAt(containerOf(workload), 'ports').flatMap((port) => {
    const { name, containerPort } = objectAt(port)
    return typeof name === 'string' && name.startsWith('traffic-') && typeof containerPort === 'number'
      ? [containerPort]
      : []
  })

const common = ({ namespace, project }: Place, workload: JsonObject) => ({
  namespace,
  image: imageOf(workload),
  apiGroups: project.settings.apiGroups,
})

/** Those of the overlays that its program shows. */
const componentsOf = (workload: JsonObject): readonly ComponentName[] => [
  ...(hasFlag(workload, '--cert') ? (['cert-manager'] as const) : []),
  ...(hasFlag(workload, '--client-ca') ? (['client-ca'] as const) : []),
]

function manifests({ namespace }: Place, workload: JsonObject, words: readonly string[]): string {
  const image = imageOf(workload)
  const place = namespace === NAMES.namespace ? [] : [`--namespace ${namespace}`]
  const own = image === '' ? [] : [`--image ${image}`]
  const line = ['sluice manifests', ...words, ...place, ...own]
  return `${line.join(' ')} | kubectl apply --server-side --force-conflicts -f -`
}

/** All of them; that which denies is the first. */
export const SERVERS: readonly Server[] = [
  {
    id: 'admission',
    title: 'the webhook',
    kind: 'Deployment',
    name: () => NAMES.admission,
    namespace: ({ namespace }) => namespace,
    installation: (place, workload) =>
      admissionInstallation({
        ...common(place, workload),
        components: new Set(componentsOf(workload)),
        mesh: hasFlag(workload, '--mesh'),
      }),
    command: (place, workload) =>
      manifests(place, workload, [
        ...componentsOf(workload).map((name) => `--overlay ${name}`),
        ...(hasFlag(workload, '--mesh') ? ['--mesh'] : []),
      ]),
  },
  {
    id: 'controller',
    title: 'the controller',
    kind: 'Deployment',
    name: () => CONTROLLER,
    namespace: ({ namespace }) => namespace,
    installation(place, workload) {
      const nginxPorts = portsOf(workload)
      return controllerInstallation({
        ...common(place, workload),
        ...(nginxPorts.length > 0 ? { nginxPorts } : {}),
      })
    },
    command: (place, workload) =>
      manifests(place, workload, ['controller', ...portsOf(workload).map((port) => `--nginx-port ${port}`)]),
  },
  {
    id: 'mesh',
    title: 'the API of the mesh',
    kind: 'Deployment',
    name: ({ project }) => meshNames(project.settings).api,
    namespace: ({ project }) => meshNames(project.settings).namespace,
    installation: (place, workload) =>
      meshInstallation({ ...common(place, workload), namespace: meshNames(place.project.settings).namespace }),
    command: (place, workload) => manifests({ ...place, namespace: NAMES.namespace }, workload, ['mesh']),
  },
  {
    id: 'api-management',
    title: 'the management API',
    kind: 'StatefulSet',
    name: () => API_MANAGEMENT,
    namespace: ({ namespace }) => namespace,
    command: (place, workload) => manifests(place, workload, ['api-management']),
  },
]

/** What runs a server. */
export const workloadOf = (server: Server, evidence: Evidence): Known<JsonObject> =>
  evidence.get({ kind: server.kind, name: server.name(evidence), namespace: server.namespace(evidence) })

/** The server of an id. */
export function serverOf(id: Server['id']): Server {
  const server = SERVERS.find((one) => one.id === id)
  if (!server) throw new Error(`no server ${id}`)
  return server
}

/** What prints the manifests of the webhook again, with the choices of the one that runs where it is known. */
export function reinstall(evidence: Evidence, id: Server['id'] = 'admission'): string {
  const workload = workloadOf(serverOf(id), evidence)
  return serverOf(id).command(evidence, workload.state === 'found' ? workload.value : {})
}
