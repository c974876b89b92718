/**
 * Builds kustomizations as `kubectl kustomize` does, with the place of every value. Pure: it reads through a function.
 * Source: kustomize 5.5 (kubectl 1.32), api/internal/target/kusttarget.go.
 */
import { isObject, type JsonObject } from '../json/member.ts'
import { createTexts, type Texts } from '../yaml/documents.ts'
import { rejectDeepBase } from './bounds.ts'
import { checkOrder, checkReplicas, checkVariable, readVariables, sameVariables, type Variable } from './checks.ts'
import { mergeConfigs, NO_CONFIG, readConfig, type TransformerConfig } from './config.ts'
import type { BuildContext } from './context.ts'
import { BuildFailure, type GapCode, type Refusal, refused } from './failure.ts'
import { isEmptyMap } from './field-specs.ts'
import { applyGenerators } from './generators.ts'
import {
  isRemote,
  isWithin,
  joinPath,
  KUSTOMIZATION_FILES,
  type Kustomization,
  readKustomization,
  startOf,
  stringsIn,
} from './kustomization.ts'
import { updateNameReferences } from './name-references.ts'
import { applyJsonPatches, applyPatches, applyStrategicMerges } from './patches.ts'
import { readFirst, readObjects, textFile } from './read.ts'
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
export type BuildNote = {
  readonly file: string
  readonly reason: string
  readonly code: GapCode
  /** For what kustomize certainly refuses: where, and what. */
  readonly refusal?: Refusal
}

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

/** Whether a file of data exists, which may be no text. */
type HasData = (path: string) => boolean

/** Creates a builder. A base that several kustomizations build on is built once. By default, all data exist. */
export function createBuilder(
  readFile: ReadFile,
  texts: Texts = createTexts(),
  hasData: HasData = () => true,
): Builder {
  const files = new Map<ReturnType<ReadFile>, TextFile>()
  const read = (path: string) => {
    const given = readFile(path)
    const file = given && (files.get(given) ?? textFile(given, texts))
    if (file) files.set(given, file)
    return file
  }
  const run: Run = { read, texts, hasData, built: new Map(), kustomizations: new Map(), inlines: new Map() }
  return {
    build(folder) {
      const at = joinPath('', folder)
      const accumulated = accumulateFolder(run, at, [])
      if (!accumulated) {
        const notes = [{ file: at, code: 'kustomization' as const, reason: 'there is no kustomization' }]
        return { objects: [], isPartial: true, notes }
      }
      return finish(accumulated, run.kustomizations.get(at))
    },
  }
}

type Run = {
  readonly texts: Texts
  readonly hasData: HasData
  readonly read: (path: string) => TextFile | undefined
  /** By folder. */
  readonly built: Map<string, Accumulated>
  readonly kustomizations: Map<string, Kustomization | BuildFailure | undefined>
  /** The texts of inline patches, by file and pointer. */
  readonly inlines: Map<string, TextFile>
}

/** What a kustomization and all below it have gathered. */
type Accumulated = {
  readonly resources: readonly Resource[]
  readonly config: TransformerConfig
  readonly variables: readonly Variable[]
  readonly notes: readonly BuildNote[]
  readonly isPartial: boolean
  /** Where a step fails: its objects are those before it, unless it is not known what the step would make of them. */
  readonly stopped?: 'refused' | 'unknown'
}

const NOTHING: Accumulated = { resources: [], config: NO_CONFIG, variables: [], notes: [], isPartial: false }

const noteOf = ({ file, message: reason, refusal, code }: BuildFailure): BuildNote => ({
  file,
  reason,
  code,
  ...(refusal ? { refusal } : {}),
})

/** What is left of a step that fails: `all` is what there was before. */
function stoppedBy(error: unknown, all: Accumulated = NOTHING): Accumulated {
  if (!(error instanceof BuildFailure)) throw error
  return {
    ...all,
    resources: error.before ?? all.resources,
    notes: [...all.notes, noteOf(error)],
    isPartial: true,
    stopped: all.stopped === 'unknown' || !error.refusal ? 'unknown' : 'refused',
  }
}

/** That of a folder; a failure stands for one that cannot be read. */
function kustomizationIn({ read, kustomizations }: Run, folder: string): Kustomization | BuildFailure | undefined {
  if (kustomizations.has(folder)) return kustomizations.get(folder)
  const kustomization = readFolder(
    folder,
    KUSTOMIZATION_FILES.flatMap((name) => read(joinPath(folder, name)) ?? []),
  )
  kustomizations.set(folder, kustomization)
  return kustomization
}

function readFolder(folder: string, [source, other]: readonly TextFile[]): Kustomization | BuildFailure | undefined {
  try {
    if (source && other) throw refused('several-files', startOf(other), `${source.file} is a kustomization, too`)
    return source && readKustomization(source, folder)
  } catch (error) {
    if (error instanceof BuildFailure) return error
    throw error
  }
}

/** Builds that of a folder; undefined where there is none. */
function accumulateFolder(run: Run, folder: string, above: readonly string[]): Accumulated | undefined {
  const known = run.built.get(folder)
  if (known) return known
  const kustomization = kustomizationIn(run, folder)
  if (!kustomization) return undefined
  const built =
    kustomization instanceof BuildFailure
      ? stoppedBy(kustomization)
      : accumulate(run, kustomization, { all: NOTHING, above })
  run.built.set(folder, built)
  return built
}

type From = {
  /** What there is already: a component works on the objects of those who use it. */
  readonly all: Accumulated
  /** The folders that are being built. */
  readonly above: readonly string[]
}

function accumulate(run: Run, kustomization: Kustomization, { all: before, above }: From): Accumulated {
  const { folder, source, changes, adds, isComponent } = kustomization
  const folders = [...above, folder]
  const notes: BuildNote[] = []
  let all = before
  try {
    rejectDeepBase(above, source.file)
    const added = ['resources', 'bases'].flatMap((name) =>
      stringsIn(kustomization, name).map((item) => ({
        at: item.at,
        ...resourceAt(run, item, { kustomization, folders }),
      })),
    )
    for (const name of adds) added.push({ at: kustomization.root.at, ...gap(notFollowed(source, name)) })
    all = joined(before, added)
    checkPlugins(run, kustomization)
    if (changes[0] !== undefined) throw notFollowed(source, changes[0])
    if (all.stopped) return all
    const context: BuildContext = {
      allowsMissing: all.isPartial || (isComponent && above.length === 0),
      file: (from, path, at) => fileAt(run, { from, path, at }, (note) => notes.push(note)),
      data: (from, path, at) => dataAt(run, { from, path, at }, (note) => notes.push(note)),
      inline: (from, at, text) => inlineAt(run, from, at, text),
    }
    const config = readConfig(kustomization, context)
    all = { ...all, config: mergeConfigs(all.config, config, kustomization.root.at) }
    checkDefinitions(kustomization, context)
    all = { ...all, resources: applyGenerators(all.resources, kustomization, context) }
    for (const item of stringsIn(kustomization, 'components')) {
      all = withComponent(run, item, { all, kustomization, folders })
      if (all.stopped) return all
    }
    all = { ...all, resources: transform(all, kustomization, context) }
    const { allowsMissing } = context
    const variables = [...all.variables, ...readVariables(kustomization, { resources: all.resources, allowsMissing })]
    const same = sameVariables(variables).slice(sameVariables(all.variables).length)
    return { ...all, variables, notes: [...all.notes, ...notes, ...same.map(noteOf)] }
  } catch (error) {
    return stoppedBy(error, { ...all, notes: [...all.notes, ...notes] })
  }
}

/** What is not followed, and names files. */
const PLUGINS: readonly string[] = ['generators', 'transformers', 'validators']

/** Throws {@link BuildFailure} where a file of what is not followed does not exist. */
function checkPlugins({ read, hasData }: Run, kustomization: Kustomization): void {
  const { folder, root } = kustomization
  const openapi = memberOf(root, 'openapi')
  const schema = openapi && memberOf(openapi, 'path')
  const files = [...PLUGINS.flatMap((name) => stringsIn(kustomization, name)), ...stringsOf(schema)]
  for (const { text, at } of files) {
    const target = joinPath(folder, text)
    if (isRemote(text) || !/^[^{}\n]+\.(?:ya?ml|json)$/.test(text) || read(target) || hasData(target)) continue
    throw refused('missing', at, `"${text}" does not exist`)
  }
}

const stringsOf = (written: Traced | undefined): readonly Written[] =>
  written && typeof written.value === 'string' && written.value !== '' ? [{ text: written.value, at: written.at }] : []

/** Throws {@link BuildFailure} for a file of `crds` that kustomize cannot read. */
function checkDefinitions(kustomization: Kustomization, context: BuildContext): void {
  for (const { text, at } of stringsIn(kustomization, 'crds')) {
    const root = readFirst(context.file(kustomization, text, at))
    if (!root) throw refused('value', at, `"${text}" is empty`)
    if (!isObject(root.value)) throw refused('value', root.at, 'expected definitions by name')
  }
}

type Written = { readonly text: string; readonly at: Place }

type Using = Adding & { readonly all: Accumulated }

function withComponent(run: Run, { text, at }: Written, { all, kustomization, folders }: Using): Accumulated {
  const { folder, source } = kustomization
  if (isRemote(text)) throw outOfReach(source, `the component "${text}"`)
  const component = text === '' ? undefined : kustomizationIn(run, joinPath(folder, text))
  if (!component) throw refused('missing', at, `the component "${text}" does not exist`)
  rejectCycle(joinPath(folder, text), folders, at)
  if (component instanceof BuildFailure) throw component
  if (!component.isComponent)
    throw refused('component', at, `"${text}" is no component: expected "kind: Component" in ${component.source.file}`)
  const before = new Set(all.resources)
  const { resources, ...rest } = accumulate(run, component, { all, above: folders })
  return { ...rest, resources: resources.map((one) => (before.has(one) ? one : touchedBy(one, source))) }
}

/** Throws for a folder that is one of those being built, or holds one of them. */
function rejectCycle(folder: string, folders: readonly string[], at: Place): void {
  const visited = folders.find((one) => isWithin(one, folder))
  if (visited === undefined) return
  const what = visited === folder ? 'is being built already' : `holds ${visited || '.'}, which is being built`
  throw refused('cycle', at, `the folder ${folder || '.'} ${what}`)
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

type Reading = { readonly from: Kustomization; readonly path: string; readonly at: Place }

function fileAt({ read }: Run, { from, path, at }: Reading, note: (note: BuildNote) => void): TextFile {
  const { source, folder } = from
  if (isRemote(path)) throw outOfReach(source, `"${path}"`)
  const file = path === '' ? undefined : read(joinPath(folder, path))
  if (!file) throw refused('missing', at, `"${path}" does not exist`)
  const outside = whyOutside(path, folder, at)
  if (outside) note(outside)
  return file
}

function dataAt(
  { hasData, read }: Run,
  { from: { folder }, path, at }: Reading,
  note: (note: BuildNote) => void,
): string | undefined {
  if (isRemote(path)) return undefined
  const target = joinPath(folder, path)
  if (path === '' || !hasData(target)) throw refused('missing', at, `"${path}" does not exist`)
  const outside = whyOutside(path, folder, at)
  if (outside) note(outside)
  return read(target)?.text
}

/** kustomize reads no file outside of the folder of the kustomization. What is in it is known all the same. */
function whyOutside(path: string, folder: string, at: Place): BuildNote | undefined {
  const target = joinPath(folder, path)
  if (target.startsWith('/') !== folder.startsWith('/') || isWithin(target, folder)) return undefined
  return noteOf(refused('outside', at, `the file "${path}" is not in the folder of the kustomization`))
}

const outOfReach = ({ file }: TextFile, what: string): BuildFailure =>
  new BuildFailure(file, `${what} is not followed`, { code: 'remote-base' })

/** What is named by a member of a kustomization that is not followed. */
const notFollowed = ({ file }: TextFile, name: string): BuildFailure =>
  new BuildFailure(file, `"${name}" is not followed`, {
    code: name.startsWith('helm') ? 'helm' : PLUGINS.includes(name) ? 'plugin' : 'kustomization',
  })

/** What is missing leaves a gap. */
const gap = (failure: BuildFailure): Accumulated => ({ ...NOTHING, isPartial: true, notes: [noteOf(failure)] })

type Adding = { readonly kustomization: Kustomization; readonly folders: readonly string[] }

/** What a resource adds: a file, or a folder with a kustomization. What is missing leaves a gap. */
function resourceAt(run: Run, { text: path, at }: Written, { kustomization, folders }: Adding): Accumulated {
  const { source, folder } = kustomization
  if (isRemote(path)) return gap(outOfReach(source, `the remote resource "${path}"`))
  const target = joinPath(folder, path)
  const file = path === '' ? undefined : run.read(target)
  if (file) return resourcesIn(file, source, whyOutside(path, folder, at))
  const base = path === '' ? undefined : kustomizationIn(run, target)
  if (!base) return gap(refused('missing', at, `the resource "${path}" does not exist`))
  if (path.startsWith('/')) return gap(refused('outside', at, `the folder "${path}" is not a relative path`))
  try {
    rejectCycle(target, folders, at)
    if (!(base instanceof BuildFailure) && base.isComponent)
      throw refused('component', at, `"${path}" is a component, not a resource`)
  } catch (error) {
    return stoppedBy(error)
  }
  const built = accumulateFolder(run, target, folders) ?? NOTHING
  return { ...built, resources: built.resources.map((one) => touchedBy(one, source)) }
}

function resourcesIn(file: TextFile, source: TextFile, outside: BuildNote | undefined): Accumulated {
  const notes = outside ? [outside] : []
  try {
    const resources = readObjects(file).map((root) => createResource(root, [file, source]))
    return { ...NOTHING, resources, notes }
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error
    const reason = `cannot be read: ${error.message}`
    return { ...NOTHING, isPartial: true, notes: [{ ...noteOf(error), reason }, ...notes] }
  }
}

type Added = Accumulated & { readonly at: Place }

/** What there was with all that is added, in this order. What is defined twice is noted. */
function joined(before: Accumulated, added: readonly Added[]): Accumulated {
  if (added.length === 0) return before
  const resources = [...before.resources, ...added.flatMap((more) => more.resources)]
  const variables = [...before.variables, ...added.flatMap((more) => more.variables)]
  const notes = [...before.notes, ...added.flatMap((more) => more.notes), ...twice(before, added)]
  let { config, isPartial, stopped } = before
  for (const more of added) {
    if (more.config !== NO_CONFIG) config = mergeConfigs(config, more.config, more.at)
    isPartial ||= more.isPartial
    if (more.stopped && stopped !== 'unknown') stopped = more.stopped
  }
  for (const failure of sameVariables(variables)) notes.push(noteOf(failure))
  return { resources, config, variables, notes, isPartial, ...(stopped ? { stopped } : {}) }
}

/** Notes on what is added and is there already. */
function twice(before: Accumulated, added: readonly Added[]): readonly BuildNote[] {
  const known = new Map<string, Resource>()
  const notes: BuildNote[] = []
  for (const { resources, at } of [{ ...before, at: undefined }, ...added])
    for (const resource of resources.filter(({ isIdentified }) => isIdentified)) {
      const id = currentId(resource)
      const other = at && known.get(idKey(id))
      if (other)
        notes.push(noteOf(refused('twice', at, `${describeId(id)} is defined twice${whereOf(other, resource)}`)))
      known.set(idKey(id), resource)
    }
  return notes
}

/** `, in a.yaml and b.yaml`; nothing where both are in one file. */
function whereOf(one: Resource, other: Resource): string {
  const files = new Set([one, other].map(({ root }) => root.at.part.source.file))
  return files.size > 1 ? `, in ${[...files].join(' and ')}` : ''
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
  checkReplicas(kustomization, config, { resources: all, allowsMissing: context.allowsMissing })
  return applyReplacements(all, kustomization, context)
}

/** What a whole build comes to: names are followed and variables looked up at its end. */
function finish(all: Accumulated, kustomization: Kustomization | BuildFailure | undefined): Build {
  const { resources, config, variables, notes, isPartial, stopped } = all
  if (stopped === 'unknown') return { objects: [], isPartial, notes }
  if (stopped) return { objects: objectsOf(resources), isPartial, notes }
  try {
    const named = updateNameReferences(resources, config)
    for (const variable of variables) checkVariable(variable, named)
    for (const resource of named) rejectSameKeys(resource)
    if (kustomization && !(kustomization instanceof BuildFailure)) checkOrder(kustomization)
    return { objects: objectsOf(named), isPartial, notes }
  } catch (error) {
    return finish(stoppedBy(error, all), kustomization)
  }
}

/** A key that is written twice fails where kustomize writes the object, unless a patch has removed it. */
function rejectSameKeys({ root: { at }, isMerged }: Resource): void {
  const problem = at.part.document.problems.find(({ code }) => code === 'duplicate-key')
  if (!problem || isMerged) return
  const { start, end, reason } = problem
  throw refused('syntax', { ...at, range: { start, end } }, reason)
}

const objectsOf = (resources: readonly Resource[]): readonly BuiltObject[] =>
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
