/** A Pod that is about to be created: whether it gets the sidecar, and the patch. */
import { isObject, type JsonObject } from '../../json/member.ts'
import type { PatchOperation } from '../../json/patch.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { objectAnnotation } from '../../kubernetes/metadata.ts'
import { decideInjection } from '../decide-injection.ts'
import { parentOf } from '../parent.ts'
import { autoInjectLabel, statusAnnotation } from '../pods.ts'
import { type LeftAlone, leftAlone, type NamespaceFacts, obstacleTo, windowsObstacle } from './left-alone.ts'
import { planInjection } from './plan.ts'
import { type PodChoices, podSettings } from './settings.ts'
import { untouched, type Workload } from './workload.ts'

/** What is known when a Pod is created. */
export type PodQuestion = {
  readonly pod: JsonObject
  /** Where it will be; the Pod itself may not say it. */
  readonly namespace: string
  readonly facts: NamespaceFacts
  /** The mesh's configuration. */
  readonly config: JsonObject
  readonly names: ApiNames
  readonly choices: PodChoices
}

/** The patch, empty where the Pod stays as it is; `left` says why it does not get the sidecar that it should have. */
export type PodAdmission = {
  readonly patch: readonly PatchOperation[]
  readonly left: readonly LeftAlone[]
}

const left = (...reasons: readonly LeftAlone[]): PodAdmission => ({ patch: [], left: reasons })

/** Made by the kubelet of a Pod that runs already. */
const MIRROR = 'kubernetes.io/config.mirror'

/** Decides, and plans what `inject` would add. A Pod that has the sidecar stays as it is. Never throws. */
export function admitPod({ pod, namespace, facts, config, names, choices }: PodQuestion): PodAdmission {
  const label = autoInjectLabel(names.meshGroup)
  const labels = isObject(pod.metadata) && isObject(pod.metadata.labels) ? pod.metadata.labels : {}
  const podLabel = labels[label]
  const { inject } = decideInjection({
    config,
    namespace,
    namespaceLabel: facts.labels[label],
    podLabel: typeof podLabel === 'string' ? podLabel : undefined,
    isInjected: objectAnnotation(pod, statusAnnotation(names.meshGroup)) !== undefined,
  })
  if (!inject) return left()
  if (objectAnnotation(pod, MIRROR) !== undefined) return left(leftAlone('static-pod'))
  const { kind, name } = parentOf(pod, names.meshGroup)
  const workload: Workload = { kind, object: pod, base: '', pod: '', name: kind === 'Pod' ? undefined : name }
  const settings = podSettings(config, names, choices)
  const outcome = untouched(workload, settings.keys.status)
  if (outcome) return outcome === 'host-network' ? left(leftAlone('host-network')) : left()
  const windows = windowsObstacle(workload)
  if (windows) return left(windows)
  const plan = planInjection(workload, settings)
  if ('faults' in plan)
    return left(
      ...plan.faults.map(({ pointer, message }) =>
        leftAlone('not-injectable', pointer === '' ? message : `${fieldPath(pointer)}: ${message}`, pointer),
      ),
    )
  const obstacle = obstacleTo(plan, workload, { facts, settings })
  return obstacle ? left(obstacle) : { patch: plan.operations, left: [] }
}
