/** What made a Pod: the workload that people know, such as the Deployment above a ReplicaSet. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'

/** A workload in the namespace of its Pod. */
export type Parent = { readonly kind: string; readonly name: string }

/** The label that a Deployment puts on its Pods; the names of its ReplicaSets end in it. */
const TEMPLATE_HASH = 'pod-template-hash'

/** The label with the name of the workload: `nsm.nginx.com/deployment`. */
export const ownerLabel = (meshGroup: string, kind: string): string => `${meshGroup}/${kind.toLowerCase()}`

/** The parent of a Pod: its controller, in place of a ReplicaSet the Deployment; the Pod itself where nothing made it. */
export function parentOf({ metadata }: JsonObject, meshGroup: string): Parent {
  const { name, ownerReferences, labels } = isObject(metadata) ? metadata : {}
  const owner = controllerAmong(ownerReferences)
  if (!owner) return { kind: 'Pod', name: textOf(name) }
  if (owner.kind !== 'ReplicaSet' || !isObject(labels)) return owner
  const labelled = textOf(labels[ownerLabel(meshGroup, 'Deployment')])
  if (labelled !== '' && owner.name.startsWith(`${labelled}-`)) return { kind: 'Deployment', name: labelled }
  const end = `-${textOf(labels[TEMPLATE_HASH])}`
  const isOfDeployment = end.length > 1 && end.length < owner.name.length && owner.name.endsWith(end)
  return isOfDeployment ? { kind: 'Deployment', name: owner.name.slice(0, -end.length) } : owner
}

/** The controller; a Node, which owns the mirror of a static Pod, made it no more than the file did. */
function controllerAmong(references: Json | undefined): Parent | undefined {
  for (const one of Array.isArray(references) ? references : []) {
    if (!isObject(one) || one.controller !== true || one.kind === 'Node') continue
    const [kind, name] = [textOf(one.kind), textOf(one.name)]
    if (/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(kind) && name !== '') return { kind, name }
  }
  return undefined
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
