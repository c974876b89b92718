/** What has the sidecar: the workloads whose Pods carry it. */
import { groupBy } from '../text/group.ts'
import { compareText } from '../text/order.ts'
import type { MeshPod } from './pods.ts'

/** Names of workloads by namespace and by their kind in lower case: `{"shop": {"deployment": ["web"]}}`. */
export type MeshResources = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** The parents of the Pods in the mesh; namespaces, kinds and names are in order. */
export function meshResources(pods: readonly MeshPod[]): MeshResources {
  const inMesh = pods.filter(({ isInMesh }) => isInMesh)
  return sortedRecord(
    groupBy(inMesh, ({ namespace }) => namespace),
    (own) =>
      sortedRecord(
        groupBy(own, ({ parent }) => parent.kind.toLowerCase()),
        (ofKind) => [...new Set(ofKind.map(({ parent }) => parent.name))].sort(compareText),
      ),
  )
}

const sortedRecord = <Item, Value>(
  groups: ReadonlyMap<string, readonly Item[]>,
  toValue: (items: readonly Item[]) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries([...groups].sort(([a], [b]) => compareText(a, b)).map(([key, items]) => [key, toValue(items)]))
