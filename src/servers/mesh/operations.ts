/** The operations of the API as a table: routes, rights, discovery, metrics and the OpenAPI documents follow from it. */

import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { attributesOf } from './access.ts'

/** One operation on a resource. */
export type Operation = {
  readonly id: keyof typeof OPERATIONS
  readonly resource: string
  readonly method: 'get' | 'patch' | 'post'
  readonly summary: string
  /** The media type of the body; undefined where a body is ignored. */
  readonly takes?: 'application/json' | 'multipart/form-data'
  /** The media type of the response. */
  readonly gives: 'application/json' | 'text/plain'
  /** The schema of the response; `to` is where schemas are. */
  result(to: string): JsonObject
  /** True where it changes the configuration: it then takes `dryRun`. */
  readonly changesConfig?: true
  /** How discovery lists its resource; the others are internal. Clients drop those without a kind. */
  readonly listed?: { readonly singularName: string; readonly kind: string }
}

const JSON_TYPE = 'application/json'

/** The schema of a list of texts. */
export const TEXTS = { type: 'array', items: { type: 'string' } } as const

const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties })

const configOf = (to: string): JsonObject => ({ $ref: `${to}MeshConfig` })

const SERVICES: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      ...{ name: { type: 'string' }, namespace: { type: 'string' }, serviceIP: { type: 'string' }, addresses: TEXTS },
      ports: {
        type: 'array',
        items: { type: 'object', properties: { port: { type: 'integer' }, protocol: { type: 'string' } } },
      },
    },
  },
}

const OPERATIONS = {
  listServices: {
    ...{ resource: 'services', method: 'get', gives: JSON_TYPE, result: () => SERVICES },
    listed: { singularName: 'service', kind: 'MeshServiceList' },
    summary: 'the Services',
  },
  readConfig: {
    ...{ resource: 'config', method: 'get', gives: JSON_TYPE, result: configOf },
    listed: { singularName: 'config', kind: 'MeshConfig' },
    summary: 'the configuration',
  },
  patchConfig: {
    ...{ resource: 'config', method: 'patch', takes: JSON_TYPE, gives: JSON_TYPE, result: configOf },
    changesConfig: true,
    summary: 'change the configuration: all operations, or none',
  },
  inject: {
    ...{ resource: 'inject', method: 'post', takes: 'multipart/form-data', gives: 'text/plain' },
    result: () => ({ type: 'string' }),
    listed: { singularName: 'inject', kind: 'MeshInjection' },
    summary: 'add the sidecar to manifests',
  },
  clear: {
    ...{ resource: 'clear', method: 'post', gives: JSON_TYPE, result: () => ({ type: 'object' }) },
    changesConfig: true,
    summary: 'internal: let all sidecars pass on traffic as it is',
  },
  listResources: {
    ...{ resource: 'resources', method: 'get', gives: JSON_TYPE, result: () => mapOf(mapOf(TEXTS)) },
    summary: 'internal: the owners of Pods with the sidecar',
  },
  listVersions: {
    ...{ resource: 'version', method: 'get', gives: JSON_TYPE, result: () => mapOf(TEXTS) },
    summary: 'internal: the versions of components',
  },
} as const satisfies Readonly<Record<string, Omit<Operation, 'id'>>>

/** All of them. */
export const ALL_OPERATIONS: readonly Operation[] = (Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).map(
  (id) => ({ id, ...OPERATIONS[id] }),
)

/** The version of the API. */
export const API_VERSION = 'v1alpha1'

/** `/apis/nsm.nginx.com/v1alpha1`, which the paths of all resources begin with. */
export const basePath = ({ meshGroup }: ApiNames): string => `/apis/${meshGroup}/${API_VERSION}`

/** Where an operation is. */
export const pathOf = ({ resource }: Operation, names: ApiNames): string => `${basePath(names)}/${resource}`

/** What an operation does with its resource, as a role says it. */
const verbOf = (operation: Operation, names: ApiNames): string =>
  attributesOf(operation.method.toUpperCase(), pathOf(operation, names)).verb

/** The resources of the version. */
export const resourceList = (names: ApiNames): JsonObject => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${names.meshGroup}/${API_VERSION}`,
  resources: ALL_OPERATIONS.flatMap(({ resource, listed }) => {
    if (!listed) return []
    const own = ALL_OPERATIONS.filter((one) => one.resource === resource)
    const { singularName, kind } = listed
    return [{ name: resource, singularName, namespaced: false, kind, verbs: own.map((one) => verbOf(one, names)) }]
  }),
})

const versionsOf = ({ meshGroup }: ApiNames): JsonObject => {
  const version = { groupVersion: `${meshGroup}/${API_VERSION}`, version: API_VERSION }
  return { name: meshGroup, versions: [version], preferredVersion: version }
}

/** The group with its only version. */
export const apiGroup = (names: ApiNames): JsonObject => ({ kind: 'APIGroup', apiVersion: 'v1', ...versionsOf(names) })

/** The only group. */
export const groupList = (names: ApiNames): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [versionsOf(names)],
})
