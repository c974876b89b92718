/** The operations that add the sidecar to a workload, and to a Pod that is about to be created. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import type { PatchOperation } from '../../json/patch.ts'
import { escapeToken, pointerTokens } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { objectAnnotation } from '../../kubernetes/metadata.ts'
import { isPort } from '../config-fields.ts'
import { decideInjection } from '../decide-injection.ts'
import { parentOf } from '../parent.ts'
import { autoInjectLabel, statusAnnotation } from '../pods.ts'
import { type Container, listOf, type PodView, readPod } from './pod.ts'
import { type InjectSettings, meshKeys, meshValues, SOCKET_VOLUME } from './settings.ts'
import { initContainer, sidecarContainer } from './sidecar.ts'
import { readAt, untouched, type Workload, type WorkloadFault } from './workload.ts'

/** The label of every Pod with the sidecar, by which SPIRE gives it certificates. */
export const SPIFFE_LABEL = 'spiffe.io/spiffeid'

/** What adds the sidecar. */
export type InjectionPlan = {
  readonly operations: readonly PatchOperation[]
  /** The same, with labels that are written as a whole: what an alias stands for must not be changed. */
  readonly withOwnLabels: readonly PatchOperation[]
  /** The Pod as it is without the sidecar. */
  readonly view: PodView
}

/** Plans the injection of a workload, or says why it is impossible. */
export function planInjection(
  workload: Workload,
  settings: InjectSettings,
): InjectionPlan | { readonly faults: readonly WorkloadFault[] } {
  const { view, faults } = readPod(workload, settings)
  if (faults.length > 0) return { faults }
  const { kind, pod } = workload
  const { redirects, operations: probes } = redirectProbes(view, settings)
  const init = initContainer(settings, view, redirects)
  const sidecar = sidecarContainer(settings, { kind, view }, redirects)
  const ends = endsByItself(workload)
  const spec: readonly PatchOperation[] = [
    ...probes,
    ...addItems(workload, 'containers', ends ? [] : [sidecar]),
    ...addItems(workload, 'initContainers', [init, ...(ends ? [{ ...sidecar, restartPolicy: 'Always' }] : [])]),
    ...addVolume(workload),
  ]
  const labels = { [settings.keys.owner(kind)]: view.name, [SPIFFE_LABEL]: 'true' }
  const annotations = { [settings.keys.status]: 'injected' }
  const base = `${pod}/metadata`
  if (readAt(workload, base) === undefined) {
    const operations = deepestFirst([...spec, { op: 'add', path: base, value: { labels, annotations } }])
    return { operations, withOwnLabels: operations, view }
  }
  const ofAnnotations = addMembers(workload, `${base}/annotations`, annotations)
  const written = readAt(workload, `${base}/labels`)
  const whole: PatchOperation = {
    op: 'add',
    path: `${base}/labels`,
    value: { ...(isObject(written) ? written : {}), ...labels },
  }
  return {
    operations: deepestFirst([...spec, ...addMembers(workload, `${base}/labels`, labels), ...ofAnnotations]),
    withOwnLabels: deepestFirst([...spec, whole, ...ofAnnotations]),
    view,
  }
}

/** What is added at the end of a collection goes before what is added after that collection, at the same place of a text. */
const deepestFirst = (operations: readonly PatchOperation[]): readonly PatchOperation[] =>
  operations
    .map((operation) => ({ operation, depth: pointerTokens(operation.path).length }))
    .sort((a, b) => b.depth - a.depth)
    .map(({ operation }) => operation)

/**
 * True for a Pod that is to end, as that of a Job: it would never complete with one more container that runs. A restartable
 * init container ends with the others. Source: Kubernetes, sidecar containers, from 1.29.
 */
function endsByItself(workload: Workload): boolean {
  const policy = readAt(workload, `${workload.pod}/spec/restartPolicy`)
  return policy === 'Never' || policy === 'OnFailure'
}

/** Adds items at the end of a list of the Pod. */
function addItems(workload: Workload, name: string, items: readonly Json[]): readonly PatchOperation[] {
  const path = `${workload.pod}/spec/${name}`
  if (items.length === 0) return []
  if (!Array.isArray(readAt(workload, path))) return [{ op: 'add', path, value: [...items] }]
  return items.map((value) => ({ op: 'add', path: `${path}/-`, value }))
}

/** Adds the volume of the sockets, unless the Pod has it. */
function addVolume(workload: Workload): readonly PatchOperation[] {
  const volumes = readAt(workload, `${workload.pod}/spec/volumes`)
  const isThere =
    Array.isArray(volumes) && volumes.some((one: Json) => isObject(one) && one.name === SOCKET_VOLUME.name)
  return isThere ? [] : addItems(workload, 'volumes', [SOCKET_VOLUME])
}

function addMembers(workload: Workload, path: string, members: JsonObject): readonly PatchOperation[] {
  if (!isObject(readAt(workload, path))) return [{ op: 'add', path, value: members }]
  return Object.entries(members).map(([name, value]) => ({ op: 'add', path: `${path}/${escapeToken(name)}`, value }))
}

const PROBES = [
  ['livenessProbe', 'liveness'],
  ['readinessProbe', 'readiness'],
  ['startupProbe', 'startup'],
] as const

/** The probes of the kubelet, which has no certificate, go to ports of the sidecar that pass them on. */
function redirectProbes(
  { containers, initContainers }: PodView,
  { mesh }: InjectSettings,
): { readonly redirects: ReadonlyMap<string, JsonObject>; readonly operations: readonly PatchOperation[] } {
  const redirects = new Map<string, JsonObject>()
  const operations: PatchOperation[] = []
  for (const container of [...containers, ...initContainers])
    for (const [member, word] of PROBES) {
      const request = requestOf(container, member)
      const port = request && portOf(container, request)
      // A host is another machine, and a port that nobody has is probed in vain as before.
      if (!request || port === undefined || request.host) continue
      const path = `/health-redirects/${container.name}/${word}`
      const { scheme = 'HTTP', path: written = '/' } = request
      redirects.set(path, { path: written, port, scheme })
      const base = `${container.pointer}/${member}/httpGet`
      operations.push({ op: 'add', path: `${base}/path`, value: path })
      operations.push({
        op: 'add',
        path: `${base}/port`,
        value: scheme === 'HTTPS' ? mesh.ports.healthTls : mesh.ports.health,
      })
    }
  return { redirects, operations }
}

function requestOf({ object }: Container, member: string): JsonObject | undefined {
  const probe = object[member]
  const request = isObject(probe) ? probe.httpGet : undefined
  return isObject(request) ? request : undefined
}

/** The number of the port of a request, which may name one of the container. */
function portOf({ object }: Container, { port }: JsonObject): number | undefined {
  if (isPort(port)) return port
  const named = listOf(object.ports).find((one) => isObject(one) && one.name === port && port !== undefined)
  const number = isObject(named) ? named.containerPort : undefined
  return isPort(number) ? number : undefined
}

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
