/** Objects with Pods as rules see them: what keeps the mesh from adding its sidecar. */
import { asObject, asString, isObject, type JsonObject, type Member, member } from '../../json/member.ts'
import { escapeToken } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { knownNamespace, readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import type { PodTemplates } from '../../kubernetes/pod-templates.ts'
import type { Namespaces } from '../../world/namespaces.ts'
import type { ObjectView } from '../../world/objects.ts'
import { decideInjection, SYSTEM_NAMESPACE } from '../decide-injection.ts'
import { planInjection } from '../inject/plan.ts'
import { type MeshKeys, meshKeys, meshValues } from '../inject/settings.ts'
import { readAt, readWorkloads, untouched, type Workload, type WorkloadFault } from '../inject/workload.ts'
import { type NotEnforced, notEnforcedIn } from '../not-enforced.ts'

/** An object with a Pod. */
export type WorkloadView = ObjectView & {
  /** The first of its Pods. */
  readonly workload: Workload | undefined
  /** JSON Pointer of the labels and of the annotations of the Pod. */
  readonly labels: Member<JsonObject>
  readonly annotations: Member<JsonObject>
  /** A view of each of its Pods; this one where there is none. */
  readonly pods: readonly Omit<WorkloadView, 'pods'>[]
}

/** A Namespace with the label of the mesh. */
export type LabelledNamespaceView = ObjectView & { readonly labelMember: Member<JsonObject> }

/** Reads a workload. */
export function readPodOwner(
  object: JsonObject,
  namespace?: string,
  podTemplates: readonly PodTemplates[] = [],
): WorkloadView {
  const read = readWorkloads(object, '', podTemplates)
  const kind = typeof object.kind === 'string' ? object.kind : ''
  const identity = readIdentity(kind, readMetadata(object), namespace)
  const viewOf = (workload: Workload | undefined) => {
    const base = `${workload?.pod ?? ''}/metadata`
    const metadata = workload ? readAt(workload, base) : undefined
    const parent = isObject(metadata) ? metadata : undefined
    return {
      ...{ object, identity, workload },
      labels: member(parent, base, 'labels', asObject),
      annotations: member(parent, base, 'annotations', asObject),
    }
  }
  const [first = viewOf(undefined), ...others] = 'workloads' in read ? read.workloads.map(viewOf) : []
  return { ...first, pods: [first, ...others] }
}

/** The label that asks for the sidecar, or forbids it. */
export const autoInjectLabel = ({ meshGroup }: ApiNames): string => `injector.${meshGroup}/auto-inject`

/** A label or an annotation. */
export const keyed = ({ value, pointer }: Member<JsonObject>, key: string): Member<string> => ({
  ...member(value, pointer, key, asString),
  pointer: `${pointer}/${escapeToken(key)}`,
})

/** What decides whether a workload gets the sidecar. */
type InjectionWorld = {
  readonly config: JsonObject | undefined
  readonly names: ApiNames
  readonly namespaces: Namespaces
}

/**
 * What keeps the mesh from adding the sidecar to a workload that is to get it. `config` is that of the mesh; without
 * one, that of a new mesh counts.
 */
export const injectionFaults = (view: WorkloadView, world: InjectionWorld): readonly WorkloadFault[] =>
  view.pods.flatMap((pod) => {
    const planned = (isWanted(pod, world) ?? isUsual(pod, world)) ? planOf(pod, world) : undefined
    return planned && 'faults' in planned.plan ? planned.plan.faults : []
  })

/** What a workload that certainly gets the sidecar asks for, and the sidecar does not do. */
export const workloadNotEnforced = (view: WorkloadView, world: InjectionWorld): readonly NotEnforced[] =>
  view.pods.flatMap((pod) => {
    const planned = isWanted(pod, world) ? planOf(pod, world) : undefined
    if (!planned || 'faults' in planned.plan) return []
    const { workload, plan } = planned
    return notEnforcedIn({ workload, plan, keys: meshKeys(world.names), config: world.config ?? {} })
  })

type OnePod = Omit<WorkloadView, 'pods'>

/** Whether the mesh adds the sidecar; undefined where its configuration or the namespace decides, which is not known. */
function isWanted({ labels, identity }: OnePod, { config, names, namespaces }: InjectionWorld): boolean | undefined {
  const podLabel = keyed(labels, autoInjectLabel(names)).value
  const namespace = knownNamespace(identity.namespace)
  if (namespace === undefined || !config)
    return podLabel === 'enabled' && namespace !== SYSTEM_NAMESPACE ? true : undefined
  const known = namespaces.labels(namespace)
  const namespaceLabel = known.state === 'found' ? known.value[autoInjectLabel(names)] : undefined
  return decideInjection({ config, namespace, namespaceLabel, podLabel }).inject
}

/** What a new mesh does. */
const isUsual = ({ labels, identity }: OnePod, { names }: InjectionWorld): boolean =>
  keyed(labels, autoInjectLabel(names)).value !== 'disabled' && knownNamespace(identity.namespace) !== SYSTEM_NAMESPACE

/** The plan for a Pod that does not stay as it is. */
function planOf({ workload }: OnePod, { config, names }: InjectionWorld) {
  const keys: MeshKeys = meshKeys(names)
  if (!workload || untouched(workload, keys.status) !== undefined) return undefined
  const mesh = meshValues(config ?? {}, names)
  return { workload, plan: planInjection(workload, { mesh, keys, ignoreIncomingPorts: [], ignoreOutgoingPorts: [] }) }
}
