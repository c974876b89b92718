/** The system of the service mesh: what people keep in Git for it. Source: specification of the mesh management API. */
import { asObject, isObject, type JsonObject, member } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import type { PodTemplates } from '../kubernetes/pod-templates.ts'
import { type Lookup, UNKNOWN } from '../world/lookup.ts'
import { NAMESPACE_KIND } from '../world/namespaces.ts'
import type { KindRef, ObjectsByKind } from '../world/objects.ts'
import type { Kind, Resource, System } from '../world/system.ts'
import { readWorkloads } from './inject/workload.ts'
import { isRoleOfMesh, type RoleView, readBinding, readRole } from './objects/access.ts'
import { isApiServiceOfMesh, readApiService } from './objects/api-service.ts'
import { hasMisspelling, misspeltGroup } from './objects/spelling.ts'
import { type ConfigMapView, readConfigMap, STORED } from './objects/stored.ts'
import { autoInjectLabel, readPodOwner, type WorkloadView } from './objects/workloads.ts'

/** What rules of this system look up. */
export type MeshLookups = {
  /** The stored configuration of the mesh; undefined where none is known, or several are. */
  readonly meshConfig: { current(): JsonObject | undefined }
  /** The roles that grant something of the mesh. */
  readonly meshRoles: { get(name: string): Lookup<RoleView> }
}

const CONFIG_MAP: KindRef<ConfigMapView> = { kind: 'ConfigMap', read: readConfigMap }
/** The view was made by the reader that {@link kinds} registers. */
const CLUSTER_ROLE = { kind: 'ClusterRole' } as KindRef<RoleView>

/** Registers the system. */
export const MESH_SYSTEM: System<MeshLookups> = {
  name: 'mesh',
  kinds,
  lookups: {
    meshConfig: { kinds: ['ConfigMap'], needsClosedWorld: false, make: configIn },
    meshRoles: {
      kinds: ['ClusterRole'],
      needsClosedWorld: false,
      make: (objects) => ({
        get(name) {
          const known = objects.of(CLUSTER_ROLE).index().get('ClusterRole', '', name)
          return known.state === 'found' ? known : UNKNOWN
        },
      }),
    },
  },
}

function configIn(objects: ObjectsByKind): MeshLookups['meshConfig'] {
  return {
    current() {
      const stored = objects
        .of(CONFIG_MAP)
        .all()
        .flatMap((view) => (view.stored ? [view.stored.config] : []))
      return stored.length === 1 && isObject(stored[0]) ? stored[0] : undefined
    },
  }
}

/** The kinds that have a Pod, with their groups and plurals. */
const WORKLOADS = [
  ['Deployment', 'apps', 'deployments'],
  ['DaemonSet', 'apps', 'daemonsets'],
  ['StatefulSet', 'apps', 'statefulsets'],
  ['ReplicaSet', 'apps', 'replicasets'],
  ['ReplicationController', '', 'replicationcontrollers'],
  ['Pod', '', 'pods'],
  ['Job', 'batch', 'jobs'],
  ['CronJob', 'batch', 'cronjobs'],
] as const

const served = (plural: string, own: Partial<Resource> = {}): Resource => ({
  version: 'v1',
  plural,
  namespaced: true,
  optional: false,
  ...own,
})

const isOfGroup = ({ apiVersion }: JsonObject, group: string): boolean =>
  group === '' ? apiVersion === 'v1' : typeof apiVersion === 'string' && apiVersion.startsWith(`${group}/`)

/** Finds a name with dots by its last part: a search stops at a dot, and not at each `n`. */
function fromItsEnd(name: string): string {
  const escaped = name.replaceAll('.', String.raw`\.`)
  return `${escaped.slice(escaped.lastIndexOf('\\'))}(?<=${escaped})`
}

function kinds(names: ApiNames, podTemplates: readonly PodTemplates[] = []): readonly Kind[] {
  const gate = new RegExp([names.meshGroup, misspeltGroup(names), STORED.key].map(fromItsEnd).join('|'))
  const rbac = 'rbac.authorization.k8s.io'
  const judged = (kind: string, group: string, isOurs: (object: JsonObject) => boolean = () => true) => ({
    kind,
    group,
    gate,
    subjects: [kind],
    judgedAs: (object: JsonObject) => (isOfGroup(object, group) && isOurs(object) ? kind : undefined),
  })
  const role = (kind: string) => ({
    ...judged(kind, rbac, (object) => isRoleOfMesh(object, names)),
    read: (object: JsonObject, namespace?: string) => readRole(object, namespace, names),
  })
  return [
    { ...role('ClusterRole'), resource: served('clusterroles', { namespaced: false }) },
    { ...role('Role'), resource: served('roles') },
    {
      ...judged('ClusterRoleBinding', rbac),
      read: readBinding,
      resource: served('clusterrolebindings', { namespaced: false }),
    },
    { ...judged('RoleBinding', rbac), read: readBinding, resource: served('rolebindings') },
    {
      ...judged('APIService', 'apiregistration.k8s.io', (object) => isApiServiceOfMesh(object, names)),
      read: readApiService,
      resource: served('apiservices', { namespaced: false, optional: true }),
    },
    {
      ...judged('ConfigMap', '', (object) => isConfigMapOfMesh(readConfigMap(object), names)),
      read: readConfigMap,
      resource: served('configmaps'),
    },
    ...WORKLOADS.map(([kind, group, plural]) => ({
      ...judged(kind, group),
      subjects: ['Workload'],
      judgedAs: (object: JsonObject) => (isOfGroup(object, group) ? 'Workload' : undefined),
      read: readPodOwner,
      resource: served(plural),
    })),
    customKind(podTemplates, gate),
    namespaceKind(names, gate),
  ]
}

/** The objects of all other kinds that have Pod templates. No list of a cluster is asked for them, as nobody knows them all. */
const customKind = (podTemplates: readonly PodTemplates[], gate: RegExp): Kind<WorkloadView> => ({
  ...{ kind: 'Workload', group: '', gate, subjects: ['Workload'], adopts: /\bcontainers\b/ },
  judgedAs: (object) => ('workloads' in readWorkloads(object, '', podTemplates) ? 'Workload' : undefined),
  read: (object, namespace) => readPodOwner(object, namespace, podTemplates),
})

/** A Namespace with the label of the mesh. What looks up namespaces finds it as any other. */
function namespaceKind(names: ApiNames, gate: RegExp): Kind {
  const { resource: _, ...plain } = NAMESPACE_KIND
  const labelsOf = (object: JsonObject) => member(object.metadata, '/metadata', 'labels', asObject)
  return {
    ...plain,
    gate,
    subjects: ['LabelledNamespace'],
    judgedAs: (object) =>
      object.apiVersion === 'v1' && Object.hasOwn(labelsOf(object).value ?? {}, autoInjectLabel(names))
        ? 'LabelledNamespace'
        : undefined,
    read: (object, namespace) => ({ ...NAMESPACE_KIND.read(object, namespace), labelMember: labelsOf(object) }),
  }
}

const isConfigMapOfMesh = ({ stored, texts }: ConfigMapView, names: ApiNames): boolean =>
  stored !== undefined || texts.some(({ text }) => hasMisspelling(text, names))
