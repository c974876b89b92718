/**
 * Builds kustomizations as `kubectl kustomize` does, with the place of every value. Pure: it reads through a function.
 * Source: kustomize 5.5 (kubectl 1.32), api/internal/target/kusttarget.go.
 */
import { isObject, type JsonObject } from '../json/member.ts'
import { createTexts, type Texts } from '../yaml/documents.ts'
import { rejectDeepBase } from './bounds.ts'
import { mergeConfigs, NO_CONFIG, readConfig, type TransformerConfig } from './config.ts'
import type { BuildContext } from './context.ts'
import { BuildFailure } from './failure.ts'
import { isEmptyMap } from './field-specs.ts'
import { applyGenerators } from './generators.ts'
import {
  isRemote,
  joinPath,
  KUSTOMIZATION_FILES,
  type Kustomization,
  readKustomization,
  stringsIn,
} from './kustomization.ts'
import { updateNameReferences } from './name-references.ts'
import { applyJsonPatches, applyPatches, applyStrategicMerges } from './patches.ts'
import { readObjects, textFile } from './read.ts'
import { applyReplacements } from './replacements.ts'
import {
  createResource,
  currentId,
  describeId,
  filesOf,
  idKey,
  originalId,
  type Resource,
  touchedBy,
  withMetadata,
} from './resource.ts'
import { memberOf, objectOf, type Place, placeOf, type TextFile, type Traced, textsOf } from './traced.ts'
import { applyAffixes, applyAnnotations, applyLabels, applyNamespace } from './transform.ts'

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

/** What is not built, and why; `file` is the path of the file that it is about. */
export type BuildNote = { readonly file: string; readonly reason: string }

/** The objects of a kustomization. */
type Build = {
  /**
   * Those whose values are known, in no particular order. Of Kubernetes' own kinds only ConfigMaps, Secrets and
   * Namespaces are among them, and none that is generated.
   */
  readonly objects: readonly BuiltObject[]
  /** True where others may exist that are not known. */
  readonly isPartial: boolean
  readonly notes: readonly BuildNote[]
}

/** Builds the kustomizations of one set of files. */
export type Builder = {
  /** Builds that of a folder. Never throws: what cannot be built is noted. */
  build(folder: string): Build
}

/** Reads the file at a path with forward slashes, without `.` and with `..` only at its beginning; undefined where there is none. */
export type ReadFile = (path: string) => Pick<TextFile, 'file' | 'text'> | undefined

/** Creates a builder. A base that several kustomizations build on is built once. */
export function createBuilder(readFile: ReadFile, texts: Texts = createTexts()): Builder {
  const files = new Map<ReturnType<ReadFile>, TextFile>()
  const read = (path: string) => {
    const given = readFile(path)
    const file = given && (files.get(given) ?? textFile(given, texts))
    if (file) files.set(given, file)
    return file
  }
  const run: Run = { read, texts, built: new Map(), kustomizations: new Map(), inlines: new Map() }
  return {
    build(folder) {
      try {
        return finish(accumulateFolder(run, joinPath('', folder), []))
      } catch (error) {
        if (!(error instanceof BuildFailure)) throw error
        return { objects: [], isPartial: true, notes: [{ file: error.file, reason: error.message }] }
      }
    },
  }
}

type Run = {
  readonly read: (path: string) => TextFile | undefined
  readonly texts: Texts
  /** By folder; a failure stands for a base that cannot be built. */
  readonly built: Map<string, Accumulated | BuildFailure>
  readonly kustomizations: Map<string, Kustomization | undefined>
  /** The texts of inline patches, by file and pointer. */
  readonly inlines: Map<string, TextFile>
}

/** What a kustomization and all below it have gathered. */
type Accumulated = {
  readonly resources: readonly Resource[]
  readonly config: TransformerConfig
  readonly notes: readonly BuildNote[]
  readonly isPartial: boolean
}

const NOTHING: Accumulated = { resources: [], config: NO_CONFIG, notes: [], isPartial: false }

function kustomizationIn({ read, kustomizations }: Run, folder: string): Kustomization | undefined {
  if (kustomizations.has(folder)) return kustomizations.get(folder)
  const [source] = KUSTOMIZATION_FILES.flatMap((name) => read(joinPath(folder, name)) ?? [])
  const kustomization = source && readKustomization(source, folder)
  kustomizations.set(folder, kustomization)
  return kustomization
}

function accumulateFolder(run: Run, folder: string, above: readonly string[]): Accumulated {
  const known = run.built.get(folder)
  if (known instanceof BuildFailure) throw known
  if (known) return known
  try {
    const kustomization = kustomizationIn(run, folder)
    if (!kustomization) throw new BuildFailure(folder, 'there is no kustomization')
    const built = accumulate(run, kustomization, { all: NOTHING, above })
    run.built.set(folder, built)
    return built
  } catch (error) {
    if (error instanceof BuildFailure) run.built.set(folder, error)
    throw error
  }
}

type From = {
  /** What there is already: a component works on the objects of those who use it. */
  readonly all: Accumulated
  /** The folders that are being built. */
  readonly above: readonly string[]
}

function accumulate(run: Run, kustomization: Kustomization, { all: before, above }: From): Accumulated {
  const { folder, source, changes, adds, isComponent } = kustomization
  if (above.includes(folder)) throw new BuildFailure(source.file, 'it builds on itself')
  rejectDeepBase(above, source.file)
  if (changes[0] !== undefined) throw new BuildFailure(source.file, `"${changes[0]}" is not followed`)
  const folders = [...above, folder]
  const added: Accumulated[] = []
  for (const name of ['resources', 'bases'])
    for (const { text } of stringsIn(kustomization, name)) added.push(resourceAt(run, text, { kustomization, folders }))
  for (const name of adds) added.push(gap(source, `"${name}" is not followed`))
  let all = joined(before, added, kustomization)
  const context: BuildContext = {
    allowsMissing: all.isPartial || (isComponent && above.length === 0),
    file: (from, path) => fileAt(run, from, path),
    inline: (from, at, text) => inlineAt(run, from, at, text),
  }
  all = { ...all, config: mergeConfigs(all.config, readConfig(kustomization, context)) }
  all = { ...all, resources: applyGenerators(all.resources, kustomization) }
  for (const { text } of stringsIn(kustomization, 'components')) {
    const component = isRemote(text) ? undefined : kustomizationIn(run, joinPath(folder, text))
    if (!component) throw new BuildFailure(source.file, `the component "${text}" is not followed`)
    if (!component.isComponent) throw new BuildFailure(component.source.file, 'expected "kind: Component"')
    const before = new Set(all.resources)
    const { resources, ...rest } = accumulate(run, component, { all, above: folders })
    all = { ...rest, resources: resources.map((one) => (before.has(one) ? one : touchedBy(one, source))) }
  }
  return { ...all, resources: transform(all, kustomization, context) }
}

function inlineAt(
  { inlines, texts }: Run,
  { source: { file } }: Kustomization,
  { pointer }: Place,
  text: string,
): TextFile {
  const key = `${file}#${pointer}`
  const inline = inlines.get(key) ?? textFile({ file, text }, texts)
  inlines.set(key, inline)
  return inline
}

function fileAt({ read }: Run, { source, folder }: Kustomization, path: string): TextFile {
  const found = isRemote(path) ? undefined : read(joinPath(folder, path))
  if (!found) throw new BuildFailure(source.file, `"${path}" ${isRemote(path) ? 'is not followed' : 'does not exist'}`)
  return found
}

const gap = ({ file }: TextFile, reason: string): Accumulated => ({
  ...NOTHING,
  isPartial: true,
  notes: [{ file, reason }],
})

type Adding = { readonly kustomization: Kustomization; readonly folders: readonly string[] }

/** What a resource adds: a file, or a folder with a kustomization. What is missing leaves a gap. */
function resourceAt(run: Run, path: string, { kustomization, folders }: Adding): Accumulated {
  const { source, folder } = kustomization
  if (isRemote(path)) return gap(source, `the remote resource "${path}" is not followed`)
  const at = joinPath(folder, path)
  const file = run.read(at)
  if (file) {
    try {
      const resources = readObjects(file).map((root) => createResource(root, [file, source]))
      return { ...NOTHING, resources }
    } catch (error) {
      if (error instanceof BuildFailure) return gap(file, `cannot be read: ${error.message}`)
      throw error
    }
  }
  const base = kustomizationIn(run, at)
  if (!base) return gap(source, `the resource "${path}" does not exist`)
  if (base.isComponent) throw new BuildFailure(source.file, `"${path}" is a component, not a resource`)
  const built = accumulateFolder(run, at, folders)
  return { ...built, resources: built.resources.map((one) => touchedBy(one, source)) }
}

/** What there was with all that is added, in this order. What is defined twice is noted. */
function joined(before: Accumulated, added: readonly Accumulated[], { source }: Kustomization): Accumulated {
  if (added.length === 0) return before
  const [resources, notes] = [[...before.resources], [...before.notes]]
  let { config, isPartial } = before
  const known = new Set(resources.map((resource) => idKey(currentId(resource))))
  for (const more of added) {
    for (const note of more.notes) notes.push(note)
    for (const resource of more.resources) {
      const id = currentId(resource)
      if (known.has(idKey(id)) && id.name !== '')
        notes.push({ file: source.file, reason: `${describeId(id)} is defined twice` })
      known.add(idKey(id))
      resources.push(resource)
    }
    if (more.config !== NO_CONFIG) config = mergeConfigs(config, more.config)
    isPartial ||= more.isPartial
  }
  return { resources, config, notes, isPartial }
}

/** The transformers, in kustomize's order. */
function transform(
  { resources, config }: Accumulated,
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  let all = resources
  all = applyStrategicMerges(all, kustomization, context)
  all = applyPatches(all, kustomization, context)
  all = applyNamespace(all, kustomization, config)
  all = applyAffixes(all, kustomization, config)
  all = applyLabels(all, kustomization, config)
  all = applyAnnotations(all, kustomization, config)
  all = applyJsonPatches(all, kustomization, context)
  return applyReplacements(all, kustomization, context)
}

function finish({ resources, config, notes, isPartial }: Accumulated): Build {
  const named = updateNameReferences(resources, config)
  const objects = named.filter((one) => one.isExact && !one.isGenerated && !isLocal(one)).map(builtObject)
  return { objects, isPartial, notes }
}

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
