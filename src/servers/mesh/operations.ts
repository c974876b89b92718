/** The operations of the API as a table: routes, rights, discovery and the OpenAPI documents follow from it. */

import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'

/** One operation on a resource. */
export type Operation = {
  readonly id: keyof typeof OPERATIONS
  readonly resource: string
  readonly method: 'get' | 'patch' | 'post'
  /** The verb that a role needs. */
  readonly verb: 'list' | 'patch' | 'create'
  readonly summary: string
  /** The media type of the body; undefined where a body is ignored. */
  readonly takes?: 'application/json' | 'multipart/form-data'
  /** The media type of the response. */
  readonly gives: 'application/json' | 'text/plain'
  /** True where it changes the configuration: it then takes `dryRun`. */
  readonly changesConfig?: true
}

const JSON_TYPE = 'application/json'

const OPERATIONS = {
  readConfig: { resource: 'config', method: 'get', verb: 'list', summary: 'the configuration', gives: JSON_TYPE },
  patchConfig: {
    ...{ resource: 'config', method: 'patch', verb: 'patch', takes: JSON_TYPE, gives: JSON_TYPE },
    changesConfig: true,
    summary: 'change the configuration: all operations, or none',
  },
  listServices: { resource: 'services', method: 'get', verb: 'list', summary: 'the Services', gives: JSON_TYPE },
  inject: {
    ...{ resource: 'inject', method: 'post', verb: 'create', takes: 'multipart/form-data', gives: 'text/plain' },
    summary: 'add the sidecar to manifests',
  },
  clear: {
    ...{ resource: 'clear', method: 'post', verb: 'create', gives: JSON_TYPE },
    changesConfig: true,
    summary: 'internal: let all sidecars pass on traffic as it is',
  },
  listResources: {
    ...{ resource: 'resources', method: 'get', verb: 'list', gives: JSON_TYPE },
    summary: 'internal: the owners of Pods with the sidecar',
  },
  listVersions: {
    ...{ resource: 'version', method: 'get', verb: 'list', gives: JSON_TYPE },
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

/** Resources that are listed; the others are internal. Clients drop those without a kind. */
const LISTED = [
  { name: 'services', singularName: 'service', kind: 'MeshServiceList' },
  { name: 'config', singularName: 'config', kind: 'MeshConfig' },
  { name: 'inject', singularName: 'inject', kind: 'MeshInjection' },
] as const

/** The resources of the version. */
export const resourceList = ({ meshGroup }: ApiNames): JsonObject => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${meshGroup}/${API_VERSION}`,
  resources: LISTED.map(({ name, singularName, kind }) => ({
    name,
    singularName,
    namespaced: false,
    kind,
    verbs: ALL_OPERATIONS.filter(({ resource }) => resource === name).map(({ verb }) => verb),
  })),
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
