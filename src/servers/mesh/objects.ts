/** The configuration and the Services as objects of Kubernetes: kind, metadata and the bare fields beside them; lists and tables. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { jsonAt } from '../../mesh/config.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { API_VERSION } from './operations.ts'

/** The name of the only configuration. */
export const CONFIG_NAME = 'mesh'

/** An object with its kind. */
export type MeshObject = JsonObject & {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject & { readonly name: string; readonly resourceVersion: string }
}

const apiVersionOf = ({ meshGroup }: ApiNames): string => `${meshGroup}/${API_VERSION}`

const objectOf = (kind: string, name: string, fields: JsonObject, names: ApiNames): MeshObject => ({
  apiVersion: apiVersionOf(names),
  kind,
  // Two states are equal where their versions are: that is all that a version is good for here.
  metadata: { name, resourceVersion: fingerprint(JSON.stringify(fields)) },
  ...fields,
})

/** The configuration. */
export const configObject = (config: JsonObject, names: ApiNames): MeshObject =>
  objectOf('MeshConfig', CONFIG_NAME, config, names)

/** A Service; its name is unique in the cluster: `web.shop`. */
export function serviceObject(service: object, names: ApiNames): MeshObject {
  return objectOf('MeshService', serviceName(service), { ...service }, names)
}

/** `web.shop`: the name of a Service, and its namespace. */
export const serviceName = (service: { readonly name?: unknown; readonly namespace?: unknown }): string =>
  `${service.name}.${service.namespace}`

/** A list of them. */
export const listOf = (kind: string, items: readonly MeshObject[], names: ApiNames): JsonObject => ({
  apiVersion: apiVersionOf(names),
  kind: `${kind}List`,
  metadata: { resourceVersion: versionOf(items) },
  items,
})

const versionOf = (items: readonly MeshObject[]): string =>
  fingerprint(items.map(({ metadata }) => metadata.resourceVersion).join(' '))

/** A column of a table: `priority` 1 is for `-o wide`. */
type Column = {
  readonly name: string
  readonly type: 'string' | 'boolean'
  readonly priority?: 1
  readonly description: string
  cell(object: MeshObject): Json
}

const field = (pointer: string) => (object: MeshObject) => jsonAt(object, pointer) ?? null

const NAME: Column = {
  name: 'Name',
  type: 'string',
  description: 'The name of the object.',
  cell: ({ metadata }) => metadata.name,
}

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  MeshConfig: [
    NAME,
    { name: 'mTLS', type: 'string', description: 'mtls.mode', cell: field('/mtls/mode') },
    { name: 'Injection', type: 'string', description: 'Which Pods get the sidecar.', cell: injectionOf },
    { name: 'Access', type: 'string', description: 'accessControlMode', cell: field('/accessControlMode') },
    { name: 'Transparent', type: 'boolean', description: 'proxy.transparent', cell: field('/proxy/transparent') },
    { name: 'Body', type: 'string', priority: 1, description: 'clientMaxBodySize', cell: field('/clientMaxBodySize') },
    {
      name: 'Balancing',
      type: 'string',
      priority: 1,
      description: 'loadBalancingMethod',
      cell: field('/loadBalancingMethod'),
    },
    {
      name: 'Image',
      type: 'string',
      priority: 1,
      description: 'sidecarImage.image',
      cell: field('/sidecarImage/image'),
    },
  ],
  MeshService: [
    NAME,
    { name: 'IP', type: 'string', description: 'The address of the Service.', cell: field('/serviceIP') },
    { name: 'Ports', type: 'string', description: 'Ports with their protocols.', cell: portsOf },
    {
      ...{ name: 'Addresses', type: 'string', priority: 1, description: 'The addresses of its Pods.' },
      cell: ({ addresses }) => (Array.isArray(addresses) ? addresses.join(',') : ''),
    },
  ],
}

/** `all`, `all but 2 namespaces`, `1 namespace`, `on request`. */
function injectionOf(config: MeshObject): string {
  const isOn = jsonAt(config, '/injection/isAutoInjectEnabled') === true
  const names = jsonAt(config, `/injection/${isOn ? 'disabledNamespaces' : 'enabledNamespaces'}`)
  const count = Array.isArray(names) ? names.length : 0
  const some = `${count} namespace${count === 1 ? '' : 's'}`
  if (isOn) return count === 0 ? 'all' : `all but ${some}`
  return count === 0 ? 'on request' : some
}

function portsOf({ ports }: MeshObject): string {
  const list = Array.isArray(ports) ? ports : []
  return list.map((one: Json) => (isObject(one) ? `${one.port}/${one.protocol}` : '')).join(',')
}

/** A table, as `kubectl get` prints it. `include` is the option `includeObject`. Source: `Table` of meta/v1. */
export function tableOf(kind: string, items: readonly MeshObject[], include: string | null): JsonObject {
  const columns = COLUMNS[kind] ?? [NAME]
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: versionOf(items) },
    columnDefinitions: columns.map(({ name, type, priority = 0, description }) => {
      const format = name === 'Name' ? 'name' : ''
      return { name, type, format, description, priority }
    }),
    rows: items.map((object) => ({
      cells: columns.map(({ cell }) => cell(object)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : metadataOf(object) }),
    })),
  }
}

const metadataOf = ({ metadata }: MeshObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
})
