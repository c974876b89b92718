/** What every Kubernetes object carries, and the identity by which others find it. */
import {
  asObject,
  asString,
  isObject,
  type Json,
  type JsonObject,
  type Member,
  memberReader,
  sharedMemberReader,
} from '../json/member.ts'

/** The members of `metadata` that rules read. */
export type MetadataView = {
  readonly metadata: Member<JsonObject>
  readonly name: Member<string>
  readonly generateName: Member<string>
  readonly namespace: Member<string>
  readonly labels: Member<JsonObject>
  readonly annotations: Member<JsonObject>
  /** RFC 3339; absent in manifests that do not come from a cluster. */
  readonly creationTimestamp: Member<string>
}

/** How other objects refer to an object. */
export type Identity = {
  readonly kind: string
  /**
   * Undefined where neither the manifest nor its context names one: then it is unknown, not "default". Objects that
   * name none, but certainly get the same one, have a {@link sharedNamespace}; {@link knownNamespace} is for output.
   */
  readonly namespace: string | undefined
  /** Undefined where it is generated or unreadable. */
  readonly name: string | undefined
}

const readObject = memberReader('', 'metadata', asObject)
const readName = memberReader('/metadata', 'name', asString)
const readGenerateName = memberReader('/metadata', 'generateName', asString)
const readNamespace = sharedMemberReader('/metadata', 'namespace', asString)
const readLabels = memberReader('/metadata', 'labels', asObject)
const readCreationTimestamp = memberReader('/metadata', 'creationTimestamp', asString)
const readAnnotations = memberReader('/metadata', 'annotations', asObject)

/** No name of a namespace begins with it. */
const UNNAMED = '\0'

/** Stands for the one namespace, not known, of the objects in a group (a stream, a kustomization, a folder). */
export const sharedNamespace = (group: string): string => UNNAMED + group

/** The name of a namespace, for output and for comparison with other names; undefined where it is not known. */
export const knownNamespace = (namespace: string | undefined): string | undefined =>
  namespace?.startsWith(UNNAMED) ? undefined : namespace

/** The name of a namespace, empty where it is not known: as results and reports have it. */
export const namespaceName = (namespace: string | undefined): string => knownNamespace(namespace) ?? ''

/** `shop/coffee`, or the name alone where the namespace is not known. */
export function fullName({
  namespace,
  name = '',
}: {
  readonly namespace: string | undefined
  readonly name?: string | undefined
}): string {
  const known = namespaceName(namespace)
  return known === '' ? name : `${known}/${name}`
}

/** True where two objects may be in one namespace, and it is not known whether they are. */
export const mayShareNamespace = (a: string | undefined, b: string | undefined): boolean =>
  (a === undefined || a !== b) && (knownNamespace(a) === undefined || knownNamespace(b) === undefined)

/** Reads `metadata`; never throws. */
export function readMetadata(object: JsonObject): MetadataView {
  const metadata = readObject(object)
  return {
    metadata,
    name: readName(metadata.value),
    generateName: readGenerateName(metadata.value),
    namespace: readNamespace(metadata.value),
    labels: readLabels(metadata.value),
    annotations: readAnnotations(metadata.value),
    creationTimestamp: readCreationTimestamp(metadata.value),
  }
}

/** The identity of an object. `namespace` comes from its context (a kustomization, a flag) and overrides that of the manifest. */
export function readIdentity(kind: string, metadata: MetadataView, namespace?: string): Identity {
  return {
    kind,
    namespace: namespace || metadata.namespace.value || undefined,
    name: metadata.name.value || undefined,
  }
}

/** The value of an annotation, or undefined. */
export function annotation(metadata: MetadataView, name: string): Json | undefined {
  const { value } = metadata.annotations
  return value && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The value of an annotation of an object of any shape, or undefined. */
export function objectAnnotation({ metadata }: JsonObject, name: string): Json | undefined {
  const annotations = isObject(metadata) ? metadata.annotations : undefined
  return isObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined
}
