/** Objects that have or are a Pod, and where it is written in them. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { valueAt } from '../../json/pointer.ts'
import { type PodTemplates, podTemplatesAt } from '../../kubernetes/pod-templates.ts'
import { splitApiVersion } from '../../world/kinds.ts'
import { SYSTEM_NAMESPACE } from '../decide-injection.ts'

/** The kinds of Kubernetes that get the sidecar, with the pointer of their Pod. */
const PODS: ReadonlyMap<string, string> = new Map([
  ['apps/v1 Deployment', '/spec/template'],
  ['apps/v1 DaemonSet', '/spec/template'],
  ['apps/v1 StatefulSet', '/spec/template'],
  ['apps/v1 ReplicaSet', '/spec/template'],
  ['v1 ReplicationController', '/spec/template'],
  ['batch/v1 Job', '/spec/template'],
  ['batch/v1 CronJob', '/spec/jobTemplate/spec/template'],
  ['v1 Pod', ''],
])

/** Where an object of another kind may have a Pod template, as Deployments and CronJobs have theirs. */
const SHAPES = ['/spec/template', '/spec/jobTemplate/spec/template']

/**
 * The group whose API server refuses what the sidecar needs unless its flags allow it: init containers, volumes of the
 * host, fields of the Pod in variables, a second port. Source: Knative Serving, feature and extension flags.
 */
const KNATIVE = 'serving.knative.dev'

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
export type Untouched =
  | 'unsupported'
  | 'no-template'
  | 'too-many'
  | 'knative'
  | 'already-injected'
  | 'kube-system'
  | 'host-network'

/** Something wrong with an object. */
export type WorkloadFault = { readonly pointer: string; readonly message: string }

/** The Pods of an object, or why it has none that could get the sidecar. */
type Workloads = { readonly workloads: readonly Workload[] } | { readonly without: Untouched }

/** Reads an object at a pointer of its document. A kind that is none of Kubernetes is known by the settings, or its shape. */
export function readWorkloads(object: JsonObject, base: string, custom: readonly PodTemplates[] = []): Workloads {
  const { apiVersion, kind } = object
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return { without: 'unsupported' }
  const own = PODS.get(`${apiVersion} ${kind}`)
  const at = (pointers: readonly string[]) => ({
    workloads: pointers.map((pointer) => ({ kind, object, base, pod: base + pointer })),
  })
  if (own !== undefined) return at([own])
  const { group } = splitApiVersion(apiVersion)
  const written = custom.find((one) => one.group === group && one.kind === kind)
  if (written) {
    const found = [...new Set(written.paths)].map((path) => podTemplatesAt(object, path))
    if (found.includes(undefined)) return { without: 'too-many' }
    const pointers = found.flatMap((own) => own ?? [])
    return pointers.length > 0 ? at(pointers) : { without: written.paths.length > 0 ? 'no-template' : 'unsupported' }
  }
  // The groups of Kubernetes that have workloads contain no dot.
  const shaped = group.includes('.') ? SHAPES.filter((pointer) => isPodTemplate(valueAt(object, pointer))) : []
  if (shaped.length === 0) return { without: 'unsupported' }
  return group === KNATIVE ? { without: 'knative' } : at(shaped)
}

/** True for what can only be a Pod template: its containers have names and images. */
function isPodTemplate(value: unknown): boolean {
  const spec = isObject(value) ? value.spec : undefined
  const containers = isObject(spec) ? spec.containers : undefined
  const isText = (text: Json | undefined): boolean => typeof text === 'string' && text !== ''
  return (
    Array.isArray(containers) &&
    containers.length > 0 &&
    containers.every((one: Json) => isObject(one) && isText(one.name) && isText(one.image))
  )
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
