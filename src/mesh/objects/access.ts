/** Roles and bindings as rules see them. Source: the table of resources and verbs of the mesh management API. */
import { isObject, type Json, type JsonObject, member } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { annotation, readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import type { ObjectView } from '../../world/objects.ts'
import { hasMisspelling, isMeshGroup } from './spelling.ts'

/** The verbs of each resource. */
export const VERBS: Readonly<Record<string, readonly string[]>> = {
  services: ['list'],
  config: ['list', 'patch'],
  inject: ['create'],
  clear: ['create'],
  resources: ['list'],
  version: ['list'],
}

/** The resources that are for the mesh's own programs alone. */
export const INTERNAL: readonly string[] = ['clear', 'resources', 'version']

/** The annotation of a role that says why it grants internal resources. */
export const REASON_ANNOTATION = 'sluice.policy/grants-internal'

/** A string of a list, with its place. */
export type Item = { readonly pointer: string; readonly value: string }

/** One rule of a role. */
export type AccessRule = {
  readonly pointer: string
  readonly groups: readonly Item[]
  readonly resources: readonly Item[]
  readonly verbs: readonly Item[]
  readonly paths: readonly Item[]
  /** True where it is about the group of the mesh, among others or alone. */
  readonly isOfMesh: boolean
  /** True where it is about no other group. */
  readonly isOfMeshAlone: boolean
}

/** A ClusterRole or a Role. */
export type RoleView = ObjectView & {
  readonly rules: readonly AccessRule[]
  /** What {@link REASON_ANNOTATION} says. */
  readonly reason: Json | undefined
}

/** A ClusterRoleBinding or a RoleBinding. */
export type BindingView = ObjectView & {
  readonly role: { readonly kind: Json | undefined; readonly name: Json | undefined }
  readonly subjects: readonly {
    readonly pointer: string
    readonly kind: Json | undefined
    readonly name: Json | undefined
  }[]
}

const listAt = (parent: Json | undefined, base: string, name: string): readonly (readonly [Json, string])[] => {
  const { raw, pointer } = member(parent, base, name, (value) => value)
  return Array.isArray(raw) ? raw.map((item: Json, index) => [item, `${pointer}/${index}`] as const) : []
}

const itemsAt = (parent: Json, base: string, name: string): readonly Item[] =>
  listAt(parent, base, name).flatMap(([value, pointer]) => (typeof value === 'string' ? [{ pointer, value }] : []))

function readRules(object: JsonObject, names: ApiNames): readonly AccessRule[] {
  return listAt(object, '', 'rules').map(([rule, pointer]) => {
    const groups = itemsAt(rule, pointer, 'apiGroups')
    const isOfMesh = groups.some(({ value }) => isMeshGroup(value, names))
    return {
      pointer,
      groups,
      resources: itemsAt(rule, pointer, 'resources'),
      verbs: itemsAt(rule, pointer, 'verbs'),
      paths: itemsAt(rule, pointer, 'nonResourceURLs'),
      isOfMesh,
      isOfMeshAlone: isOfMesh && groups.every(({ value }) => isMeshGroup(value, names)),
    }
  })
}

/** Reads a role. */
export function readRole(object: JsonObject, namespace: string | undefined, names: ApiNames): RoleView {
  const metadata = readMetadata(object)
  const identity = readIdentity(object.kind === 'Role' ? 'Role' : 'ClusterRole', metadata, namespace)
  return {
    object,
    identity: identity.kind === 'Role' ? identity : { ...identity, namespace: '' },
    rules: readRules(object, names),
    reason: annotation(metadata, REASON_ANNOTATION),
  }
}

/** True for a role that names the group of the mesh. */
export const isRoleOfMesh = (object: JsonObject, names: ApiNames): boolean =>
  readRules(object, names).some(
    ({ isOfMesh, paths }) => isOfMesh || paths.some(({ value }) => hasMisspelling(value, names)),
  )

/** Reads a binding. */
export function readBinding(object: JsonObject, namespace?: string): BindingView {
  const kind = object.kind === 'RoleBinding' ? 'RoleBinding' : 'ClusterRoleBinding'
  const identity = readIdentity(kind, readMetadata(object), namespace)
  const role = isObject(object.roleRef) ? object.roleRef : {}
  return {
    object,
    identity: kind === 'RoleBinding' ? identity : { ...identity, namespace: '' },
    role: { kind: role.kind, name: role.name },
    subjects: listAt(object, '', 'subjects').map(([subject, pointer]) => {
      const { kind: of, name } = isObject(subject) ? subject : {}
      return { pointer, kind: of, name }
    }),
  }
}
