/** The sidecar of the service mesh for a Pod that is about to be created. */

import type { Review } from '../../admission/review.ts'
import type { PatchOperation } from '../../engine/rule.ts'
import type { JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { admitPod } from '../../mesh/inject/plan.ts'
import type { ClusterView } from '../../world/world.ts'

/** What is known of the mesh now. */
export type MeshView = {
  readonly names: ApiNames
  /** Its configuration; undefined where it is not known. */
  readonly config: JsonObject | undefined
}

/** The patch of a Pod, and why it does not get the sidecar that it should have. */
export type PodInjection = { readonly patch: readonly PatchOperation[]; readonly problems: readonly string[] }

/** A Pod is never denied: without its sidecar it runs as it would without a mesh. */
export function injectPod(
  review: Review,
  { names, config }: MeshView,
  { world, notSynced }: ClusterView,
): PodInjection {
  const { object: pod, namespace = '', operation, subResource } = review
  const isNewPod = operation === 'CREATE' && subResource === '' && pod?.apiVersion === 'v1' && pod.kind === 'Pod'
  if (!isNewPod) return { patch: [], problems: [] }
  if (!config) return notInjected('the configuration of the mesh is not known')
  if (notSynced.includes('Namespace')) return notInjected('the labels of namespaces are not known')
  // Those of a namespace that is newer than what the watch has received count as none.
  const labels = world.lookups.namespaces.labels(namespace)
  const namespaceLabels = labels.state === 'found' ? labels.value : {}
  const { patch, faults } = admitPod({ pod, namespace, namespaceLabels, config, names })
  return { patch, problems: faults.map(({ pointer, message }) => `${fieldPath(pointer)}: ${message}`) }
}

const notInjected = (problem: string): PodInjection => ({ patch: [], problems: [problem] })
