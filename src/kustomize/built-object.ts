/** What comes out of a build: objects, each value with its place. */
import { isObject, type JsonObject } from '../json/member.ts'
import { isEmptyMap } from './field-specs.ts'
import { filesOf, originalId, type Resource, withMetadata } from './resource.ts'
import { memberOf, objectOf, type Place, placeOf, type TextFile, type Traced, textsOf } from './traced.ts'

/** An object that a kustomization builds. */
export type BuiltObject = {
  readonly object: JsonObject
  /** Where the value at a JSON Pointer of the object is written; for an absent one, where it would be. */
  placeOf(pointer: string): Place
  /** Everything that says something about it: its own file, patches, kustomizations. */
  readonly files: ReadonlySet<TextFile>
  /** The name that it has in its file. */
  readonly originalName: string
}

/** The objects whose values are known, without those that are only there for kustomize. */
export const objectsOf = (resources: readonly Resource[]): readonly BuiltObject[] =>
  resources.filter((one) => one.isExact && !one.isGenerated && !isLocal(one)).map(builtObject)

const LOCAL = 'config.kubernetes.io/local-config'

/** An object that is only there for kustomize. */
function isLocal({ root }: Resource): boolean {
  const annotations = metadataOf(root, 'annotations')
  const written = annotations && memberOf(annotations, LOCAL)
  return written !== undefined && String(written.value) !== 'false'
}

function metadataOf(root: Traced, name: string): Traced | undefined {
  const metadata = memberOf(root, 'metadata')
  return metadata && memberOf(metadata, name)
}

function builtObject(resource: Resource): BuiltObject {
  const root = withFinalAnnotations(resource)
  return {
    object: objectOf(root),
    placeOf: (pointer) => placeOf(root, pointer),
    files: filesOf(resource),
    originalName: originalId(resource).name,
  }
}

/** kustomize keeps its notes in annotations. When it takes these out, all others have become texts, and an empty mapping is left out. */
function withFinalAnnotations({ root }: Resource): Traced {
  const annotations = metadataOf(root, 'annotations')
  if (!annotations || !isObject(annotations.value)) return root
  if (isEmptyMap(annotations)) return withMetadata(root, 'annotations', undefined)
  const texts = textsOf(annotations)
  return texts === annotations ? root : withMetadata(root, 'annotations', texts)
}
