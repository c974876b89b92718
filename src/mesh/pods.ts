/** Pods of a cluster as far as the mesh asks for them: small, because tens of thousands stay in memory. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { readMetadata } from '../kubernetes/metadata.ts'
import { groupBy } from '../text/group.ts'
import { compareText } from '../text/order.ts'
import { type Parent, parentOf } from './parent.ts'

/** A Pod. */
export type MeshPod = {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The addresses of its status, at most one of each family. */
  readonly addresses: readonly string[]
  /** What made it; itself where nothing did. */
  readonly parent: Parent
  /** True where it runs or will, and carries the sidecar. */
  readonly isInMesh: boolean
  /** Names and images of its containers, those for its start included; empty where it is not in the mesh. */
  readonly images: readonly { readonly container: string; readonly image: string }[]
}

/** The annotation of a Pod that has the sidecar, in the API group of the mesh. */
export const statusAnnotation = (meshGroup: string): string => `injector.${meshGroup}/status`

/** The label of namespaces and Pods that decides on the sidecar: `enabled` or `disabled`. */
export const autoInjectLabel = (meshGroup: string): string => `injector.${meshGroup}/auto-inject`

/** A Pod that has ended does not use its address any longer. */
const ENDED: ReadonlySet<Json | undefined> = new Set(['Succeeded', 'Failed'])

/** Reads Pods; what they have in common is shared. Whatever they contain, it never throws. */
export function podReader(meshGroup: string): (object: JsonObject) => MeshPod {
  const status = statusAnnotation(meshGroup)
  return (object) => {
    const { metadata, name, namespace, labels, annotations } = readMetadata(object)
    const spec = isObject(object.spec) ? object.spec : {}
    const state = isObject(object.status) ? object.status : {}
    const isEnding = (metadata.value?.deletionTimestamp ?? undefined) !== undefined || ENDED.has(state.phase)
    const isInMesh = !isEnding && annotations.value !== undefined && Object.hasOwn(annotations.value, status)
    return {
      namespace: namespace.value ?? '',
      name: name.value ?? '',
      labels: stringsOf(labels.value),
      addresses: addressesOf(state),
      parent: parentOf(object, meshGroup),
      isInMesh,
      images: isInMesh ? [...imagesOf(spec.initContainers), ...imagesOf(spec.containers)] : [],
    }
  }
}

/** The members of an object that are strings. */
export const stringsOf = (object: JsonObject | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(object ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )

function addressesOf({ podIP, podIPs }: JsonObject): readonly string[] {
  const several = (Array.isArray(podIPs) ? podIPs : []).map((one: Json) => (isObject(one) ? one.ip : undefined))
  const all = [podIP, ...several].filter((ip): ip is string => typeof ip === 'string' && ip !== '')
  return [...new Set(all)]
}

/** The containers of a list that have a name and an image. */
export const imagesOf = (containers: Json | undefined): MeshPod['images'] =>
  (Array.isArray(containers) ? containers : []).flatMap((one: Json) =>
    isObject(one) && typeof one.name === 'string' && typeof one.image === 'string'
      ? [{ container: one.name, image: one.image }]
      : [],
  )

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
