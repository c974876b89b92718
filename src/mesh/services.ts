/** The Services of the mesh: those whose Pods carry the sidecar. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { readMetadata } from '../kubernetes/metadata.ts'
import { groupBy } from '../text/group.ts'
import { compareText } from '../text/order.ts'
import { type MeshPod, stringsOf } from './pods.ts'

/** A Service as the API of the mesh lists it. */
export type MeshService = {
  readonly name: string
  readonly namespace: string
  /** Its first cluster IP: `None` for a headless Service, empty where it has none yet. */
  readonly serviceIP: string
  /** The addresses of its Pods with the sidecar. */
  readonly addresses: readonly string[]
  readonly ports: readonly { readonly port: number; readonly protocol: MeshProtocol }[]
}

/** What the sidecar takes the traffic of a port for. */
type MeshProtocol = 'http' | 'grpc' | 'tcp' | 'udp'

/** A Service with the Pods that it selects. */
export type ServiceView = Omit<MeshService, 'addresses'> & {
  /** Labels that its Pods have; empty where it selects none. */
  readonly selector: readonly Pair[]
}

/** A label with its value. */
type Pair = readonly [label: string, value: string]

/** Reads a Service. Never throws. */
export function readService(object: JsonObject): ServiceView {
  const { name, namespace } = readMetadata(object)
  const { type, clusterIP, ports, selector } = isObject(object.spec) ? object.spec : {}
  // The API server ignores the selector of a Service that is only a name in the DNS.
  const isSelecting = type !== 'ExternalName' && isObject(selector)
  return {
    name: name.value ?? '',
    namespace: namespace.value ?? '',
    serviceIP: typeof clusterIP === 'string' ? clusterIP : '',
    ports: (Array.isArray(ports) ? ports : []).flatMap(readPort),
    selector: isSelecting ? Object.entries(stringsOf(selector)) : [],
  }
}

const PROTOCOLS: readonly MeshProtocol[] = ['http', 'grpc', 'tcp', 'udp']

function readPort(written: Json): MeshService['ports'] {
  if (!isObject(written) || typeof written.port !== 'number') return []
  const { port, name, protocol } = written
  const prefix = typeof name === 'string' ? name.split('-', 1)[0] : undefined
  const named = PROTOCOLS.find((one) => one === prefix)
  return [{ port, protocol: named ?? (protocol === 'UDP' ? 'udp' : port === 80 ? 'http' : 'tcp') }]
}

/**
 * The Services whose Pods carry the sidecar, in order of namespace and name. Takes time in proportion to Services, Pods and
 * addresses: each Pod is compared only with the Services that share their rarest label with it.
 */
export function meshServices(services: readonly ServiceView[], pods: readonly MeshPod[]): readonly MeshService[] {
  const index = selectorIndex(services)
  for (const pod of pods)
    if (pod.isInMesh) for (const ofLabel of index.get(pod.namespace) ?? []) addAddresses(pod, ofLabel)
  const selectors = [...index.values()].flat().flatMap(({ byValue }) => [...byValue.values()].flat())
  return selectors.flatMap(listed).sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name))
}

function addAddresses(pod: MeshPod, { label, byValue }: OfLabel): void {
  for (const { pairs, addresses } of byValue.get(pod.labels[label] ?? '') ?? [])
    if (pairs.every(([name, value]) => pod.labels[name] === value)) addresses.push(pod.addresses)
}

/** The Services of a selector as the API lists them; none where no Pod was found. */
function listed({ services, addresses: found }: Selector): readonly MeshService[] {
  if (found.length === 0) return []
  const addresses = [...new Set(found.flat())].sort(compareText)
  return services.map(({ selector: _, ...service }) => ({ ...service, addresses }))
}

/** Services of a namespace that select the same Pods, and the addresses of each of these Pods. */
type Selector = {
  readonly pairs: ServiceView['selector']
  readonly services: readonly ServiceView[]
  readonly addresses: (readonly string[])[]
}

/** The selectors of a namespace by the one of their labels that the fewest others have. */
type OfLabel = { readonly label: string; readonly byValue: ReadonlyMap<string, readonly Selector[]> }

function selectorIndex(services: readonly ServiceView[]): ReadonlyMap<string, readonly OfLabel[]> {
  const withPods = services.filter(({ selector }) => selector.length > 0)
  const namespaces = groupBy(withPods, ({ namespace }) => namespace)
  return new Map([...namespaces].map(([namespace, own]) => [namespace, byRarestLabel(own)]))
}

function byRarestLabel(services: readonly ServiceView[]): readonly OfLabel[] {
  const same = groupBy(services, ({ selector }) => selector.map(asText).sort().join())
  const counts = new Map<string, number>()
  for (const [{ selector } = NO_SERVICE] of same.values())
    for (const pair of selector) counts.set(asText(pair), (counts.get(asText(pair)) ?? 0) + 1)
  const countOf = (pair: Pair): number => counts.get(asText(pair)) ?? 0
  const selectors = [...same.values()].map((group) => {
    const pairs = [...(group[0]?.selector ?? [])].sort((a, b) => countOf(a) - countOf(b))
    return { pairs, services: group, addresses: [] }
  })
  return [...groupBy(selectors, ({ pairs }) => pairs[0]?.[0] ?? '')].map(([label, ofLabel]) => ({
    label,
    byValue: groupBy(ofLabel, ({ pairs }) => pairs[0]?.[1] ?? ''),
  }))
}

const NO_SERVICE: Pick<ServiceView, 'selector'> = { selector: [] }

const asText = ([label, value]: Pair): string => `${label}=${value}`
