/** What injection needs of the mesh: its configuration, its labels and annotations, and the ports that a request names. */
import { isObject, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { initialConfig, jsonAt } from '../config.ts'
import { ownerLabel } from '../parent.ts'
import { statusAnnotation } from '../pods.ts'

/** The parts of the mesh's configuration that are written into manifests. */
export type MeshValues = {
  readonly namespace: string
  readonly trustDomain: string
  readonly isUdpEnabled: boolean
  readonly mtlsMode: string
  readonly clientMaxBodySize: string
  readonly sidecar: { readonly name: string; readonly image: string }
  readonly init: { readonly name: string; readonly image: string }
  /** Ports of the sidecar: its metrics, and those at which it takes the probes of HTTP and HTTPS. */
  readonly ports: { readonly metrics: number; readonly health: number; readonly healthTls: number }
  /** All ports of the sidecar, by the names of the configuration. */
  readonly proxyPorts: ReadonlyMap<number, string>
}

/** How Pods are prepared for the sidecar: members of the settings. */
export type PodChoices = {
  /** What redirects the traffic of a Pod to its sidecar. */
  readonly meshRedirect: 'init-container' | 'cni' | 'none'
  /** The volume with the socket of SPIRE. */
  readonly meshSocket: 'host-path' | 'csi'
}

/** Those of a mesh whose settings say nothing. */
const USUAL_CHOICES: PodChoices = { meshRedirect: 'init-container', meshSocket: 'host-path' }

/** Labels and annotations of the mesh. */
export type MeshKeys = {
  readonly status: string
  readonly mtlsMode: string
  readonly clientMaxBodySize: string
  ignorePorts(direction: 'incoming' | 'outgoing'): string
  /** The label with the name of the workload: `nsm.nginx.com/deployment`. */
  owner(kind: string): string
}

/** How sidecars are added to a Pod. */
export type InjectSettings = {
  readonly mesh: MeshValues
  readonly keys: MeshKeys
  readonly ignoreIncomingPorts: readonly number[]
  readonly ignoreOutgoingPorts: readonly number[]
  readonly choices: PodChoices
}

/** The settings of a mesh for Pods that nobody names ports for. */
export const podSettings = (
  config: JsonObject,
  names: ApiNames,
  choices: PodChoices = USUAL_CHOICES,
): InjectSettings => ({
  mesh: meshValues(config, names),
  keys: meshKeys(names),
  ignoreIncomingPorts: [],
  ignoreOutgoingPorts: [],
  choices,
})

/** The keys in the API group of the mesh. */
export const meshKeys = ({ meshGroup }: ApiNames): MeshKeys => ({
  status: statusAnnotation(meshGroup),
  mtlsMode: `config.${meshGroup}/mtls-mode`,
  clientMaxBodySize: `config.${meshGroup}/client-max-body-size`,
  ignorePorts: (direction) => `config.${meshGroup}/ignore-${direction}-ports`,
  owner: (kind) => ownerLabel(meshGroup, kind),
})

/** Reads a configuration; what it lacks is as in a new mesh. */
export function meshValues(config: JsonObject, names: ApiNames): MeshValues {
  const initial = initialConfig(names)
  const text = (pointer: string): string => String(jsonAt(config, pointer) ?? jsonAt(initial, pointer))
  const number = (pointer: string): number => Number(text(pointer))
  const ports = jsonAt(initial, '/proxy/ports')
  const portNames = Object.keys(isObject(ports) ? ports : {})
  return {
    namespace: text('/namespace'),
    trustDomain: text('/trustDomain'),
    isUdpEnabled: text('/isUDPEnabled') === 'true',
    mtlsMode: text('/mtls/mode'),
    clientMaxBodySize: text('/clientMaxBodySize'),
    sidecar: { name: text('/sidecarImage/name'), image: text('/sidecarImage/image') },
    init: { name: text('/sidecarInitImage/name'), image: text('/sidecarInitImage/image') },
    ports: {
      metrics: number('/proxy/ports/metrics'),
      health: number('/proxy/ports/redirectHealthPort'),
      healthTls: number('/proxy/ports/redirectHealthPortHTTPS'),
    },
    proxyPorts: new Map(portNames.map((name) => [number(`/proxy/ports/${name}`), name])),
  }
}

/** The folder of the sockets of SPIRE on a node and in the sidecar. */
export const SOCKETS = '/run/spire/sockets'

const SOCKET = 'spire-agent-socket'

/** The volume through which the sidecar gets its certificates: a folder of the node, or one of the CSI driver of SPIFFE. */
export const socketVolume = ({ meshSocket }: PodChoices) =>
  meshSocket === 'csi'
    ? ({ name: SOCKET, csi: { driver: 'csi.spiffe.io', readOnly: true } } as const satisfies JsonObject)
    : ({ name: SOCKET, hostPath: { path: SOCKETS, type: 'DirectoryOrCreate' } } as const satisfies JsonObject)
