/** The operations that add the sidecar to a workload. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import type { PatchOperation } from '../../json/patch.ts'
import { escapeToken, pointerTokens } from '../../json/pointer.ts'
import { isPort } from '../config-fields.ts'
import { type Container, listOf, type PodView, readPod } from './pod.ts'
import { type InjectSettings, socketVolume } from './settings.ts'
import { initContainer, sidecarContainer } from './sidecar.ts'
import { readAt, type Workload, type WorkloadFault } from './workload.ts'

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
  const { kind, pod } = workload
  const { meshRedirect } = settings.choices
  const read = readPod(workload, settings)
  const { view } = read
  const faults = [...read.faults, ...configFaults(settings, pod), ...fullAnnotations(workload)]
  if (faults.length > 0) return { faults }
  const { redirects, operations: probes } = redirectProbes(view, settings)
  const init = initContainer(settings, view, redirects)
  const sidecar = sidecarContainer(settings, { kind, view }, redirects)
  const ends = endsByItself(workload)
  const spec: readonly PatchOperation[] = [
    ...probes,
    ...addItems(workload, 'containers', ends ? [] : [sidecar]),
    ...addItems(workload, 'initContainers', [
      ...(meshRedirect === 'init-container' ? [init] : []),
      ...(ends ? [{ ...sidecar, restartPolicy: 'Always' }] : []),
    ]),
    ...addVolume(workload, socketVolume(settings.choices)),
  ]
  const labels = { [settings.keys.owner(kind)]: view.name, [SPIFFE_LABEL]: 'true' }
  const annotations = { [settings.keys.status]: 'injected', ...ignoredPorts(view, settings) }
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

/** The plugin of the network, which does what the init container would, reads in annotations what that gets as arguments. */
function ignoredPorts({ ignoreIncoming, ignoreOutgoing }: PodView, { keys, choices }: InjectSettings): JsonObject {
  const written = [['incoming', ignoreIncoming] as const, ['outgoing', ignoreOutgoing] as const]
  return choices.meshRedirect === 'cni'
    ? Object.fromEntries(
        written.flatMap(([direction, ports]) =>
          ports.length > 0 ? [[keys.ignorePorts(direction), ports.join(',')]] : [],
        ),
      )
    : {}
}

/** The API server takes a name of these characters for a container, and images without space around them. */
const CONTAINER_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

/** Values of the mesh's configuration that no Pod can have. */
function configFaults({ mesh: { sidecar, init } }: InjectSettings, pointer: string): readonly WorkloadFault[] {
  const wrong = [
    ...[sidecar, init].flatMap(({ name, image }) => [
      ...(CONTAINER_NAME.test(name) ? [] : [`"${name}" cannot be the name of a container`]),
      ...(image.trim() === image ? [] : ['an image has space around its name']),
    ]),
    ...(sidecar.name === init.name ? [`both containers have the name "${init.name}"`] : []),
  ]
  return wrong.map((message) => ({ pointer, message: `the configuration of the mesh is wrong: ${message}` }))
}

/** Bytes that all annotations of an object may have, less what is added. */
const ALL_ANNOTATIONS = 256 * 1024 - 4096

const UTF_8 = new TextEncoder()

function fullAnnotations(workload: Workload): readonly WorkloadFault[] {
  const pointer = `${workload.pod}/metadata/annotations`
  const annotations = readAt(workload, pointer)
  // JSON never has fewer bytes than the names and values in it.
  const isFull = isObject(annotations) && UTF_8.encode(JSON.stringify(annotations)).length > ALL_ANNOTATIONS
  return isFull ? [{ pointer, message: 'there is no room for another annotation' }] : []
}

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

/** Adds a volume, unless the Pod has it. */
function addVolume(workload: Workload, volume: JsonObject): readonly PatchOperation[] {
  const list = readAt(workload, `${workload.pod}/spec/volumes`)
  const isThere = Array.isArray(list) && list.some((one: Json) => isObject(one) && one.name === volume.name)
  return isThere ? [] : addItems(workload, 'volumes', [volume])
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
  { mesh, choices }: InjectSettings,
): { readonly redirects: ReadonlyMap<string, JsonObject>; readonly operations: readonly PatchOperation[] } {
  const redirects = new Map<string, JsonObject>()
  const operations: PatchOperation[] = []
  // They arrive as before where nothing takes the traffic of the Pod.
  if (choices.meshRedirect === 'none') return { redirects, operations }
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
