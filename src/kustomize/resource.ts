/** An object on its way through a build, and the identities that it had. Source: kustomize, api/resource, kyaml/resid. */
import { isObject } from '../json/member.ts'
import { memberOf, stringAt, type TextFile, type Traced, withMember, withoutMember } from './traced.ts'

/** Group, version and kind. */
export type Gvk = { readonly group: string; readonly version: string; readonly kind: string }

/** How kustomize finds an object. */
export type Id = Gvk & { readonly name: string; readonly namespace: string }

/** An object of a build. */
export type Resource = {
  readonly root: Traced
  /** Kinds, names and namespaces that it had, oldest first. */
  readonly previous: readonly Pick<Id, 'kind' | 'name' | 'namespace'>[]
  readonly prefixes: readonly string[]
  readonly suffixes: readonly string[]
  readonly touched: Touched
  /** False where only its identity and metadata are known. */
  readonly isExact: boolean
  /** False where a patch that is not followed may have removed it or changed its identity. */
  readonly isIdentified: boolean
  /** True for a ConfigMap or Secret that a generator makes: its name will end in a hash. */
  readonly isGenerated: boolean
  /** True where a replacement has created scalars, which have no type yet. */
  readonly hasUntyped?: boolean
  /** True where a strategic merge patch has changed it. */
  readonly isMerged?: boolean
}

/**
 * The files that say something about an object, newest first: where it is written, patches, kustomizations. A file may be
 * there several times. What is added goes on from the same list, which is never copied.
 */
type Touched = { readonly file: TextFile; readonly before: Touched } | undefined

/** A resource as it is read from a file. */
export function createResource(root: Traced, files: readonly TextFile[]): Resource {
  const isExact = !isOpaque(gvkOf(root))
  const touched = withFiles(undefined, files)
  const isIdentified = typeof memberOf(memberOf(root, 'metadata') ?? root, 'name')?.value === 'string'
  return { root, previous: [], prefixes: [], suffixes: [], touched, isExact, isIdentified, isGenerated: false }
}

function withFiles(before: Touched, files: readonly TextFile[]): Touched {
  let touched = before
  for (const file of files) if (file !== touched?.file) touched = { file, before: touched }
  return touched
}

/** Group, version and kind of an object. */
export function gvkOf(root: Traced): Gvk {
  const apiVersion = stringAt(root, 'apiVersion') ?? ''
  const slash = apiVersion.indexOf('/')
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: stringAt(root, 'kind') ?? '',
  }
}

export const currentId = ({ root }: Pick<Resource, 'root'>): Id => ({
  ...gvkOf(root),
  name: stringAt(root, 'metadata', 'name') ?? '',
  namespace: stringAt(root, 'metadata', 'namespace') ?? '',
})

/** Every identity that it had before, oldest first. */
export function previousIds({ root, previous }: Resource): readonly Id[] {
  const gvk = gvkOf(root)
  return previous.map((id) => ({ ...gvk, ...id }))
}

export function originalId({ root, previous }: Resource): Id {
  const [oldest] = previous
  return oldest ? { ...gvkOf(root), ...oldest } : currentId({ root })
}

/** Remembers the identity that it has now, unless that is the last one that is remembered. */
export function withPreviousId(resource: Resource): Resource {
  const id = currentId(resource)
  const { kind, name } = id
  const namespace = effectiveNamespace(id)
  const last = resource.previous.at(-1)
  if (last?.kind === kind && last.name === name && last.namespace === namespace) return resource
  return { ...resource, previous: [...resource.previous, { kind, name, namespace }] }
}

const NOT_NAMESPACED = '_non_namespaceable_'

/** The namespace by which kustomize compares: "default" where an object names none. */
export function effectiveNamespace(id: Id): string {
  if (isClusterScoped(id)) return NOT_NAMESPACED
  return id.namespace === '' || id.namespace === 'default' ? 'default' : id.namespace
}

export const isSameNamespace = (a: Id, b: Id): boolean => effectiveNamespace(a) === effectiveNamespace(b)

/** The same text for identities of which kustomize takes two for one. */
export const idKey = (id: Id): string =>
  JSON.stringify([id.group, id.version, id.kind, id.name, effectiveNamespace(id)])

/** Whether an object is of the group, version and kind that a selector names; what it leaves empty matches all. */
export const isSelected = (id: Gvk, { group, version, kind }: Partial<Gvk>): boolean =>
  (!group || group === id.group) && (!version || version === id.version) && (!kind || kind === id.kind)

/** How kustomize names an identity. */
export const describeId = ({ kind, name, namespace }: Id): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`

/** The kinds of Kubernetes itself that have no namespace. kustomize takes all others, also GatewayClass, for namespaced. */
const CLUSTER_SCOPED: Readonly<Record<string, readonly string[]>> = {
  '': ['ComponentStatus', 'Namespace', 'Node', 'NodeProxyOptions', 'PersistentVolume'],
  'admissionregistration.k8s.io': ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  'apiextensions.k8s.io': ['CustomResourceDefinition'],
  'apiregistration.k8s.io': ['APIService'],
  'certificates.k8s.io': ['CertificateSigningRequest'],
  'flowcontrol.apiserver.k8s.io': ['FlowSchema', 'PriorityLevelConfiguration'],
  'networking.k8s.io': ['IngressClass'],
  'node.k8s.io': ['RuntimeClass'],
  policy: ['PodSecurityPolicy'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding'],
  'scheduling.k8s.io': ['PriorityClass'],
  'storage.k8s.io': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
}

export const isClusterScoped = ({ group, kind }: Gvk): boolean => CLUSTER_SCOPED[group]?.includes(kind) ?? false

const BUILT_IN_GROUPS = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'extensions',
  'policy',
  ...Object.keys(CLUSTER_SCOPED),
])

/** Kinds of Kubernetes itself without lists that a patch would merge by key. */
const SIMPLE_KINDS = new Set(['ConfigMap', 'Namespace', 'Secret'])

/**
 * True for the kinds of Kubernetes itself, whose lists kustomize merges by the keys of its OpenAPI schema: only their
 * identity is followed. Lists of all other kinds are replaced.
 */
const isOpaque = ({ group, kind }: Gvk): boolean => BUILT_IN_GROUPS.has(group) && !SIMPLE_KINDS.has(kind)

/** The resource with another value. */
export const withRoot = (resource: Resource, root: Traced): Resource => ({ ...resource, root })

/** The resource, about which more files say something. */
export const touchedBy = (resource: Resource, ...files: readonly TextFile[]): Resource => ({
  ...resource,
  touched: withFiles(resource.touched, files),
})

/** The files that say something about a resource, oldest first. */
export function filesOf(resource: Resource): ReadonlySet<TextFile> {
  const files: TextFile[] = []
  for (let { touched } = resource; touched; touched = touched.before) files.push(touched.file)
  return new Set(files.reverse())
}

/** Sets a member of `metadata`; undefined removes it. */
export function withMetadata(root: Traced, name: string, member: Traced | undefined): Traced {
  const metadata = memberOf(root, 'metadata')
  if (!metadata || !isObject(metadata.value)) return root
  return withMember(root, 'metadata', member ? withMember(metadata, name, member) : withoutMember(metadata, name))
}
