/** What clients read to find the resources of the API. */
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { ALL_OPERATIONS, API_VERSION } from './operations.ts'

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
