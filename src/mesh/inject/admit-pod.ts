/** A Pod that is about to be created: whether it gets the sidecar, and the patch that adds it. */
import { isObject, type JsonObject } from '../../json/member.ts'
import type { PatchOperation } from '../../json/patch.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { objectAnnotation } from '../../kubernetes/metadata.ts'
import { decideInjection } from '../decide-injection.ts'
import { parentOf } from '../parent.ts'
import { autoInjectLabel, statusAnnotation } from '../pods.ts'
import { planInjection } from './plan.ts'
import { meshKeys, meshValues } from './settings.ts'
import { untouched, type Workload, type WorkloadFault } from './workload.ts'

/** What is known when a Pod is created. */
export type PodQuestion = {
  readonly pod: JsonObject
  /** Where it will be; the Pod itself may not say it. */
  readonly namespace: string
  readonly namespaceLabels: Readonly<Record<string, string>>
  /** The mesh's configuration. */
  readonly config: JsonObject
  readonly names: ApiNames
}

/** The patch, empty where the Pod stays as it is; `faults` say why it cannot get the sidecar that it should have. */
export type PodAdmission = {
  readonly patch: readonly PatchOperation[]
  readonly faults: readonly WorkloadFault[]
}

const AS_IT_IS: PodAdmission = { patch: [], faults: [] }

/** Made by the kubelet of a Pod that runs already. */
const MIRROR = 'kubernetes.io/config.mirror'

/** Decides, and plans what `inject` would add. A Pod that has the sidecar stays as it is. Never throws. */
export function admitPod({ pod, namespace, namespaceLabels, config, names }: PodQuestion): PodAdmission {
  const label = autoInjectLabel(names.meshGroup)
  const labels = isObject(pod.metadata) && isObject(pod.metadata.labels) ? pod.metadata.labels : {}
  const podLabel = labels[label]
  const { inject } = decideInjection({
    config,
    namespace,
    namespaceLabel: namespaceLabels[label],
    podLabel: typeof podLabel === 'string' ? podLabel : undefined,
    isInjected: objectAnnotation(pod, statusAnnotation(names.meshGroup)) !== undefined,
  })
  if (!inject || objectAnnotation(pod, MIRROR) !== undefined) return AS_IT_IS
  const { kind, name } = parentOf(pod, names.meshGroup)
  const workload: Workload = { kind, object: pod, base: '', pod: '', name: kind === 'Pod' ? undefined : name }
  const keys = meshKeys(names)
  if (untouched(workload, keys.status)) return AS_IT_IS
  const settings = { mesh: meshValues(config, names), keys, ignoreIncomingPorts: [], ignoreOutgoingPorts: [] }
  const plan = planInjection(workload, settings)
  return 'faults' in plan ? { patch: [], faults: plan.faults } : { patch: plan.operations, faults: [] }
}
