/** What made a Pod: the workload that people know, such as the Deployment above a ReplicaSet. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'

/** A workload in the namespace of its Pod. */
export type Parent = { readonly kind: string; readonly name: string }

/** The labels that what makes ReplicaSets puts on their Pods; the names of the ReplicaSets end in them. */
const TEMPLATE_HASHES = [
  ['pod-template-hash', 'Deployment'],
  ['rollouts-pod-template-hash', 'Rollout'],
] as const

/** Kinds that make others, which make Pods: the name of the maker, a hyphen and more is that of the other. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  ReplicaSet: ['Deployment', 'Rollout'],
  Job: ['CronJob'],
}

/** The label with the name of the workload: `nsm.nginx.com/deployment`. */
export const ownerLabel = (meshGroup: string, kind: string): string => `${meshGroup}/${kind.toLowerCase()}`

/** The parent of a Pod: its controller, in place of a ReplicaSet or Job what made that, where it can be told; the Pod itself where nothing made it. */
export function parentOf({ metadata }: JsonObject, meshGroup: string): Parent {
  const { name, ownerReferences, labels } = isObject(metadata) ? metadata : {}
  const owner = controllerAmong(ownerReferences)
  if (!owner) return { kind: 'Pod', name: textOf(name) }
  if (!isObject(labels)) return owner
  for (const kind of (Object.hasOwn(MAKERS, owner.kind) && MAKERS[owner.kind]) || []) {
    const labelled = textOf(labels[ownerLabel(meshGroup, kind)])
    if (labelled !== '' && owner.name.startsWith(`${labelled}-`)) return { kind, name: labelled }
  }
  for (const [label, kind] of owner.kind === 'ReplicaSet' ? TEMPLATE_HASHES : []) {
    const end = `-${textOf(labels[label])}`
    if (end.length > 1 && end.length < owner.name.length && owner.name.endsWith(end))
      return { kind, name: owner.name.slice(0, -end.length) }
  }
  return owner
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
