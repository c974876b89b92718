/** Objects that have or are a Pod, and where it is written in them. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { valueAt } from '../../json/pointer.ts'
import { SYSTEM_NAMESPACE } from '../decide-injection.ts'

/** The kinds that get the sidecar, with the pointer of their Pod. */
const PODS: ReadonlyMap<string, string> = new Map([
  ['apps/v1 Deployment', '/spec/template'],
  ['apps/v1 DaemonSet', '/spec/template'],
  ['apps/v1 StatefulSet', '/spec/template'],
  ['apps/v1 ReplicaSet', '/spec/template'],
  ['v1 ReplicationController', '/spec/template'],
  ['batch/v1 Job', '/spec/template'],
  ['v1 Pod', ''],
])

/** An object with a Pod. */
export type Workload = {
  readonly kind: string
  readonly object: JsonObject
  /** JSON Pointer of the object in its document: empty, or `/items/3` in a List. */
  readonly base: string
  /** JSON Pointer of the Pod in the document. */
  readonly pod: string
  /** The name, where the object has another one, or none yet: a Pod that a Deployment makes. */
  readonly name?: string | undefined
}

/** What becomes of an object that is not changed. */
export type Untouched = 'unsupported' | 'already-injected' | 'kube-system' | 'host-network'

/** Something wrong with an object. */
export type WorkloadFault = { readonly pointer: string; readonly message: string }

/** Reads an object at a pointer of its document. */
export function readWorkload(object: JsonObject, base: string): Workload | undefined {
  const { apiVersion, kind } = object
  const pod = PODS.get(`${String(apiVersion)} ${String(kind)}`)
  return pod === undefined || typeof kind !== 'string' ? undefined : { kind, object, base, pod: base + pod }
}

/** The items of a `List`; undefined for any other object. */
export const listItems = ({ apiVersion, kind, items }: JsonObject): readonly Json[] | undefined =>
  apiVersion === 'v1' && kind === 'List' && Array.isArray(items) ? items : undefined

/** The value at a pointer of the document, read in its object. */
export const readAt = ({ object, base }: Workload, pointer: string): unknown =>
  valueAt(object, pointer.slice(base.length)) ?? undefined

/** Why a workload is left as it is; undefined where it gets the sidecar. */
export function untouched(workload: Workload, status: string): Untouched | undefined {
  const { base, pod } = workload
  if (readAt(workload, `${base}/metadata/namespace`) === SYSTEM_NAMESPACE) return 'kube-system'
  // The init container would redirect the traffic of the whole node.
  if (readAt(workload, `${pod}/spec/hostNetwork`) === true) return 'host-network'
  const annotations = readAt(workload, `${pod}/metadata/annotations`)
  return isObject(annotations) && Object.hasOwn(annotations, status) ? 'already-injected' : undefined
}
