/** The Pod of a workload as the sidecar needs to know it, with everything that makes it impossible to add the sidecar. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import { expected } from '../config.ts'
import { BODY_SIZE, isPort, MTLS_MODES } from '../config-fields.ts'
import { type PortList, readPorts } from './ports.ts'
import { type InjectSettings, socketVolume } from './settings.ts'
import { readAt, type Workload, type WorkloadFault } from './workload.ts'

/** A container with the pointer at which it is written. */
export type Container = { readonly pointer: string; readonly name: string; readonly object: JsonObject }

/** What the sidecar needs to know of a Pod. */
export type PodView = {
  /** The name of the workload; that before the random part where it is generated. */
  readonly name: string
  readonly containers: readonly Container[]
  readonly initContainers: readonly Container[]
  /** Numbers of the containers' ports, in their order. */
  readonly ports: readonly number[]
  readonly ignoreIncoming: readonly number[]
  readonly ignoreOutgoing: readonly number[]
  readonly mtlsMode: string
  readonly clientMaxBodySize: string
}

/** Reads the Pod of a workload; `faults` is empty where it can get the sidecar. */
export function readPod(
  workload: Workload,
  settings: InjectSettings,
): { readonly view: PodView; readonly faults: readonly WorkloadFault[] } {
  const faults: WorkloadFault[] = []
  const { pod } = workload
  const shape: readonly string[] = [pod, `${pod}/metadata`, `${pod}/metadata/labels`, `${pod}/metadata/annotations`]
  for (const pointer of shape) {
    const value = pointer === '' ? workload.object : readAt(workload, pointer)
    if (value !== undefined && !isObject(value)) faults.push({ pointer, message: 'expected an object' })
  }
  const containers = readContainers(workload, 'containers', faults)
  const initContainers = readContainers(workload, 'initContainers', faults)
  if (containers.length === 0 && faults.length === 0)
    faults.push({ pointer: `${pod}/spec/containers`, message: 'a Pod needs at least one container' })
  checkNames(workload, settings, { containers: [...containers, ...initContainers], faults })
  const view: PodView = {
    name: readName(workload, settings, faults),
    containers,
    initContainers,
    ports: readContainerPorts(containers, faults),
    ignoreIncoming: readIgnored(workload, settings, { direction: 'incoming', faults }),
    ignoreOutgoing: readIgnored(workload, settings, { direction: 'outgoing', faults }),
    mtlsMode: readMtlsMode(workload, settings, faults),
    clientMaxBodySize: readBodySize(workload, settings, faults),
  }
  return { view, faults }
}

/** Most characters in the value of a label. */
const LONGEST_LABEL = 63

const LABEL_VALUE = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/

/** A prefix of names without the hyphens and dots at its end. */
function withoutEnd(prefix: string): string {
  let end = prefix.length
  while (end > 0 && '-.'.includes(prefix.charAt(end - 1))) end -= 1
  return prefix.slice(0, end)
}

function readName(workload: Workload, { keys }: InjectSettings, faults: WorkloadFault[]): string {
  const { base, kind } = workload
  const pointer = `${base}/metadata/name`
  const written = workload.name ?? readAt(workload, pointer)
  const prefix = readAt(workload, `${base}/metadata/generateName`)
  const name =
    typeof written === 'string' && written !== '' ? written : typeof prefix === 'string' ? withoutEnd(prefix) : ''
  if (written !== undefined && written !== null && typeof written !== 'string')
    faults.push({ pointer, message: `${expected('a string', written)}; write it in quotes` })
  else if (name === '') faults.push({ pointer, message: 'is missing; the sidecar is told the name of its workload' })
  else if (name.length > LONGEST_LABEL)
    faults.push({
      pointer,
      message: `has ${name.length} characters; the label ${keys.owner(kind)} can hold ${LONGEST_LABEL}`,
    })
  else if (!LABEL_VALUE.test(name))
    faults.push({ pointer, message: `cannot be the value of the label ${keys.owner(kind)}` })
  return name
}

function readContainers(
  workload: Workload,
  list: 'containers' | 'initContainers',
  faults: WorkloadFault[],
): readonly Container[] {
  const base = `${workload.pod}/spec/${list}`
  const raw = readAt(workload, base)
  if (raw === undefined) return []
  if (!Array.isArray(raw)) {
    faults.push({ pointer: base, message: 'expected a list' })
    return []
  }
  return raw.flatMap((object: Json, index): readonly Container[] => {
    const pointer = `${base}/${index}`
    const name = isObject(object) ? object.name : undefined
    if (isObject(object) && typeof name === 'string' && name !== '') return [{ pointer, name, object }]
    faults.push(isObject(object) ? { pointer, message: 'needs a name' } : { pointer, message: 'expected an object' })
    return []
  })
}

/** What the sidecar would bring a second time. */
function checkNames(
  workload: Workload,
  { mesh, choices }: InjectSettings,
  { containers, faults }: { containers: readonly Container[]; faults: WorkloadFault[] },
): void {
  for (const { name, pointer } of containers)
    if (name === mesh.sidecar.name || name === mesh.init.name)
      faults.push({
        pointer: `${pointer}/name`,
        message: `"${name}" is the name of a container that is injected; remove it, or name it otherwise`,
      })
  const wanted = socketVolume(choices)
  const volumes = readAt(workload, `${workload.pod}/spec/volumes`)
  if (volumes === undefined) return
  const pointer = `${workload.pod}/spec/volumes`
  if (!Array.isArray(volumes)) faults.push({ pointer, message: 'expected a list' })
  else
    for (const [index, volume] of volumes.entries())
      if (isObject(volume) && volume.name === wanted.name && !isSameValue(volume, wanted))
        faults.push({
          pointer: `${pointer}/${index}/name`,
          message: `"${wanted.name}" is the name of a volume that is injected; name this one otherwise`,
        })
}

function readContainerPorts(containers: readonly Container[], faults: WorkloadFault[]): readonly number[] {
  const owners = new Map<number, string>()
  const found: number[] = []
  for (const { object, name, pointer } of containers)
    for (const [index, port] of listOf(object.ports).entries()) {
      const number = readPort(port, { pointer: `${pointer}/ports/${index}`, owners, faults })
      if (number === undefined) continue
      owners.set(number, name)
      found.push(number)
    }
  return found
}

/** Where a port of a container is written, and the containers that have ports before it. */
type PortPlace = {
  readonly pointer: string
  readonly owners: ReadonlyMap<number, string>
  readonly faults: WorkloadFault[]
}

function readPort(port: Json, { pointer, owners, faults }: PortPlace): number | undefined {
  if (isObject(port) && port.protocol === 'SCTP')
    faults.push({ pointer: `${pointer}/protocol`, message: 'the mesh does not support SCTP; use TCP or UDP' })
  const number = isObject(port) ? (port.containerPort ?? null) : port
  const message = isPort(number) ? doubleUse(number, owners.get(number)) : expected('a port from 1 to 65535', number)
  if (message === undefined) return isPort(number) ? number : undefined
  faults.push({ pointer: `${pointer}/containerPort`, message })
  return undefined
}

const doubleUse = (port: number, owner: string | undefined): string | undefined =>
  owner === undefined
    ? undefined
    : `port ${port} is used twice, by "${owner}" too; the mesh tells containers apart by their ports`

/** The items of a list; none where it is something else, which the API server rejects. */
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

type Annotated = { readonly pointer: string; readonly text: string | undefined }

/** An annotation of the Pod; one that is no string is a fault. */
function readAnnotation(workload: Workload, name: string, faults: WorkloadFault[]): Annotated {
  const annotations = readAt(workload, `${workload.pod}/metadata/annotations`)
  const value = isObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined
  const pointer = `${workload.pod}/metadata/annotations/${name.replaceAll('/', '~1')}`
  if (value === undefined || value === null) return { pointer, text: undefined }
  if (typeof value === 'string') return { pointer, text: value }
  faults.push({ pointer, message: `${expected('a string', value)}; write it in quotes` })
  return { pointer, text: undefined }
}

function readIgnored(
  workload: Workload,
  settings: InjectSettings,
  { direction, faults }: { direction: 'incoming' | 'outgoing'; faults: WorkloadFault[] },
): readonly number[] {
  const wanted = direction === 'incoming' ? settings.ignoreIncomingPorts : settings.ignoreOutgoingPorts
  const { pointer, text = '' } = readAnnotation(workload, settings.keys.ignorePorts(direction), faults)
  const list: PortList = readPorts([text])
  if ('problem' in list) {
    faults.push({ pointer, message: list.problem })
    return wanted
  }
  const { ports } = list
  if (ports.length === 0 || wanted.length === 0) return ports.length === 0 ? wanted : ports
  if (!isSameValue(sorted(ports), sorted(wanted)))
    faults.push({
      pointer,
      message: `names the ports ${ports.join(', ')}, and the request ${wanted.join(', ')}; name them in one place`,
    })
  return ports
}

const sorted = (ports: readonly number[]): readonly number[] => [...ports].sort((a, b) => a - b)

function readMtlsMode(workload: Workload, { keys, mesh }: InjectSettings, faults: WorkloadFault[]): string {
  const { pointer, text } = readAnnotation(workload, keys.mtlsMode, faults)
  if (text === undefined) return mesh.mtlsMode
  if (!MTLS_MODES.some((mode) => mode === text))
    faults.push({ pointer, message: expected(`one of ${MTLS_MODES.join(', ')}`, text) })
  else if (mesh.mtlsMode === 'strict' && text !== 'strict')
    faults.push({ pointer, message: `"${text}" is not allowed: the mode of the mesh is strict; remove the annotation` })
  return text
}

function readBodySize(workload: Workload, { keys, mesh }: InjectSettings, faults: WorkloadFault[]): string {
  const { pointer, text } = readAnnotation(workload, keys.clientMaxBodySize, faults)
  if (text !== undefined && !BODY_SIZE.accepts(text))
    faults.push({ pointer, message: expected(BODY_SIZE.expected, text) })
  return text ?? mesh.clientMaxBodySize
}
