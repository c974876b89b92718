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
import { podSettings } from '../inject/settings.ts'
import { readAt, readWorkloads, untouched, type Workload, type WorkloadFault } from '../inject/workload.ts'
import { type NotEnforced, notEnforcedIn } from '../not-enforced.ts'
import { statusAnnotation } from '../pods.ts'

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

type OnePod = Omit<WorkloadView, 'pods'>

/**
 * The workloads of an object that the mesh adds its sidecar to, as far as that is known. `config` is that of the mesh; without
 * one, that of a new mesh counts.
 */
export const wantedWorkloads = ({ pods }: WorkloadView, world: InjectionWorld): readonly Workload[] =>
  pods.flatMap((pod) => {
    const workload = changed(pod, world)
    return workload && (isWanted(pod, world) ?? isUsual(pod, world)) ? [workload] : []
  })

/** What keeps the mesh from adding the sidecar to a workload that is to get it. */
export function injectionFaults(view: WorkloadView, world: InjectionWorld): readonly WorkloadFault[] {
  const settings = podSettings(world.config ?? {}, world.names)
  return wantedWorkloads(view, world).flatMap((workload) => {
    const plan = planInjection(workload, settings)
    return 'faults' in plan ? plan.faults : []
  })
}

/** What a workload that certainly gets the sidecar asks for, and the sidecar does not do. */
export function workloadNotEnforced({ pods }: WorkloadView, world: InjectionWorld): readonly NotEnforced[] {
  const { config = {}, names } = world
  const settings = podSettings(config, names)
  return pods.flatMap((pod) => {
    const workload = isWanted(pod, world) ? changed(pod, world) : undefined
    const plan = workload && planInjection(workload, settings)
    return plan && 'operations' in plan ? notEnforcedIn({ workload, plan, keys: settings.keys, config }) : []
  })
}

/** The workload of a Pod that does not stay as it is. */
const changed = ({ workload }: OnePod, { names }: InjectionWorld): Workload | undefined =>
  workload && untouched(workload, statusAnnotation(names.meshGroup)) === undefined ? workload : undefined

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
