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
  /** True where it is about one object, whose name is the last part of the path. The specification has none of these. */
  readonly isOfObject?: true
  /** The media types of the body; undefined where a body is ignored. */
  readonly takes?: readonly string[]
  /** The media type of the response. */
  readonly gives: 'application/json' | 'text/plain'
  /** The schema of the response; `to` is where schemas are. */
  result(to: string): JsonObject
  /** True where it changes the configuration: it then takes `dryRun`. */
  readonly changesConfig?: true
  /** How discovery lists its resource; the others are internal. Clients drop those without a kind. */
  readonly listed?: Listed
}

/** The names of a resource beside the plural: `kind` is that of one object. */
type Listed = { readonly singularName: string; readonly kind: string; readonly shortNames: readonly string[] }

const JSON_TYPE = 'application/json'

/** What kubectl sends to change an object. A strategic merge patch without directives is a merge patch here: lists have no keys. */
export const OBJECT_PATCHES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const

/** The most bytes of a patch. An API server takes 3 MiB by itself. */
export const LARGEST_PATCH = 3 * 1024 * 1024

/** The schema of a list of texts. */
export const TEXTS = { type: 'array', items: { type: 'string' } } as const

const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties })

const configOf = (to: string): JsonObject => ({ $ref: `${to}MeshConfig` })

const servicesOf = (to: string): JsonObject => ({ type: 'array', items: { $ref: `${to}MeshService` } })

const OPERATIONS = {
  listServices: {
    ...{ resource: 'services', method: 'get', gives: JSON_TYPE, result: servicesOf },
    listed: { singularName: 'service', kind: 'MeshService', shortNames: ['meshservices'] },
    summary: 'the Services',
  },
  readService: {
    ...{ resource: 'services', isOfObject: true, method: 'get', gives: JSON_TYPE },
    result: (to: string) => ({ $ref: `${to}MeshService` }),
    summary: 'one Service, by NAME.NAMESPACE',
  },
  readConfig: {
    ...{ resource: 'config', method: 'get', gives: JSON_TYPE, result: configOf },
    listed: { singularName: 'config', kind: 'MeshConfig', shortNames: ['meshconfig'] },
    summary: 'the configuration',
  },
  readConfigObject: {
    ...{ resource: 'config', isOfObject: true, method: 'get', gives: JSON_TYPE, result: configOf },
    summary: 'the configuration, as the object "mesh"',
  },
  patchConfig: {
    ...{ resource: 'config', method: 'patch', takes: [JSON_TYPE], gives: JSON_TYPE, result: configOf },
    changesConfig: true,
    summary: 'change the configuration: all operations, or none',
  },
  patchConfigObject: {
    ...{ resource: 'config', isOfObject: true, method: 'patch', takes: Object.values(OBJECT_PATCHES) },
    ...{ gives: JSON_TYPE, result: configOf, changesConfig: true },
    summary: 'change the configuration as an object: all of the patch, or nothing',
  },
  inject: {
    ...{ resource: 'inject', method: 'post', takes: ['multipart/form-data'], gives: 'text/plain' },
    result: () => ({ type: 'string' }),
    listed: { singularName: 'inject', kind: 'MeshInjection', shortNames: [] },
    summary: 'add the sidecar to manifests',
  },
  clear: {
    ...{ resource: 'clear', method: 'post', gives: JSON_TYPE, result: () => ({ type: 'object' }) },
    changesConfig: true,
    summary: 'internal: let all sidecars pass on traffic as it is, or with undo=true take that back',
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

/** Where an operation is; `name` stands for the name of an object, as Express writes it. */
export const pathOf = ({ resource, isOfObject }: Operation, names: ApiNames, name = ':name'): string =>
  `${basePath(names)}/${resource}${isOfObject ? `/${name}` : ''}`

/** What an operation does with its resource, as a role says it. */
const verbOf = (operation: Operation, names: ApiNames): string =>
  attributesOf(operation.method.toUpperCase(), pathOf(operation, names)).verb

type ListedResource = { readonly resource: string; readonly listed: Listed; readonly own: readonly Operation[] }

const LISTED: readonly ListedResource[] = ALL_OPERATIONS.flatMap(({ resource, listed }) =>
  listed ? [{ resource, listed, own: ALL_OPERATIONS.filter((one) => one.resource === resource) }] : [],
)

/** The resources of the version, as the specification lists them: with the verbs that it knows. */
export const resourceList = (names: ApiNames): JsonObject => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${names.meshGroup}/${API_VERSION}`,
  resources: LISTED.map(({ resource, listed: { singularName, kind }, own }) => {
    const verbs = own.filter(({ isOfObject }) => !isOfObject).map((one) => verbOf(one, names))
    return { name: resource, singularName, namespaced: false, kind, verbs }
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

/** The media type in which API servers ask for everything at once. Source: Kubernetes, "API discovery", aggregated. */
export const DISCOVERY_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The group with its resources, all their verbs and short names. */
export const discoveryList = (names: ApiNames): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: names.meshGroup, creationTimestamp: null },
      versions: [
        {
          version: API_VERSION,
          freshness: 'Current',
          resources: LISTED.map(({ resource, listed: { singularName, kind, shortNames }, own }) => ({
            resource,
            responseKind: { group: names.meshGroup, version: API_VERSION, kind },
            scope: 'Cluster',
            singularResource: singularName,
            ...(shortNames.length > 0 ? { shortNames } : {}),
            verbs: [...new Set(own.map((one) => verbOf(one, names)))].sort(),
          })),
        },
      ],
    },
  ],
})
