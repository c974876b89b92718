/** The sidecar of the service mesh for a Pod that is about to be created. */

import type { Review } from '../../admission/review.ts'
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { admitPod, type PodAdmission } from '../../mesh/inject/admit.ts'
import { leftAlone, type Reason } from '../../mesh/inject/left-alone.ts'
import type { NamespaceLimits } from '../../mesh/inject/room.ts'
import type { PodChoices } from '../../mesh/inject/settings.ts'
import type { ClusterView } from '../../world/world.ts'

/** What is known of the mesh now. */
export type MeshView = {
  readonly names: ApiNames
  /** Its configuration; undefined where it is not known. */
  readonly config: JsonObject | undefined
  /** The limits of a namespace; undefined while they are not known. */
  limitsOf(namespace: string): NamespaceLimits | undefined
  /** Tells people who look after the cluster about a Pod that is left alone. */
  tell?(left: LeftPod): void
}

/** A Pod that is left without the sidecar. */
export type LeftPod = {
  readonly pod: JsonObject
  readonly namespace: string
  readonly reason: Reason
  readonly message: string
}

const left = (reason: Reason): PodAdmission => ({ patch: [], left: [leftAlone(reason)] })

/** A Pod is never denied: without its sidecar it runs as it would without a mesh. */
export function injectPod(
  review: Review,
  { names, config, limitsOf }: MeshView,
  { view, choices }: { readonly view: ClusterView; readonly choices: PodChoices },
): PodAdmission {
  const { object: pod, namespace = '', operation, subResource } = review
  const isNewPod = operation === 'CREATE' && subResource === '' && pod?.apiVersion === 'v1' && pod.kind === 'Pod'
  if (!isNewPod) return { patch: [], left: [] }
  if (!config) return left('mesh-unknown')
  const labels = view.world.lookups.namespaces.labels(namespace)
  // A namespace that is newer than what the watch has received may forbid anything.
  if (view.notSynced.includes('Namespace') || labels.state === 'absent') return left('namespace-unknown')
  const limits = limitsOf(namespace)
  if (!limits) return left('limits-unknown')
  const facts = { labels: labels.state === 'found' ? labels.value : {}, limits }
  return admitPod({ pod, namespace, facts, config, names, choices })
}
