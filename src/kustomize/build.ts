/**
 * Builds kustomizations as `kubectl kustomize` does, with the place of every value. Pure: it reads through a function.
 * Source: kustomize 5.5 (kubectl 1.32), api/internal/target/kusttarget.go.
 */
import { createTexts, type Texts } from '../yaml/documents.ts'
import { rejectDeepBase } from './bounds.ts'
import { type BuiltObject, objectsOf } from './built-object.ts'
import {
  checkDefinitions,
  checkOrder,
  checkPlugins,
  checkReplicas,
  checkVariable,
  readVariables,
  sameVariables,
  type Variable,
} from './checks.ts'
import { mergeConfigs, NO_CONFIG, readConfig, type TransformerConfig } from './config.ts'
import type { BuildContext } from './context.ts'
import { type Deployment, deployedKustomization, deployingObject, withVariables } from './deployment.ts'
import { BuildFailure, type BuildNote, noteOf, notFollowed, outOfReach, refused } from './failure.ts'
import {
  type BuildFiles,
  dataAt,
  type FilesAround,
  fileAt,
  inlineAt,
  kustomizationIn,
  meantPath,
  missing,
  type ReadFile,
  type Written,
  whyOutside,
} from './files.ts'
import { applyGenerators } from './generators.ts'
import { isRemote, isWithin, joinPath, type Kustomization, stringsIn } from './kustomization.ts'
import { updateNameReferences } from './name-references.ts'
import { applyJsonPatches, applyPatches, applyStrategicMerges } from './patches.ts'
import { readObjects, textFile } from './read.ts'
import { applyReplacements } from './replacements.ts'
import { createResource, currentId, describeId, idKey, type Resource, touchedBy } from './resource.ts'
import { type Place, type TextFile, tracedAt } from './traced.ts'
import { applyAffixes, applyAnnotations, applyLabels, applyNamespace } from './transform.ts'

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
  /** Builds that of a folder, as it is deployed. Never throws: what cannot be built is noted. */
  build(folder: string, deployment?: Deployment): Build
}

type Run = BuildFiles & {
  /** By folder. */
  readonly built: Map<string, Accumulated>
}

/** Creates a builder. A base that several kustomizations build on is built once. */
export function createBuilder(readFile: ReadFile, texts: Texts = createTexts(), around: FilesAround = {}): Builder {
  const { hasData = () => true, namesIn = () => [] } = around
  const files = new Map<ReturnType<ReadFile>, TextFile>()
  const read = (path: string) => {
    const given = readFile(path)
    const file = given && (files.get(given) ?? textFile(given, texts))
    if (file) files.set(given, file)
    return file
  }
  const run = (outside: Run['outside']): Run => ({
    read,
    texts,
    hasData,
    namesIn,
    outside,
    built: new Map(),
    ...shared,
  })
  const shared = { kustomizations: new Map(), inlines: new Map() }
  const runs = { kubectl: run('refused'), flux: run('allowed'), argo: run('unknown') }
  return {
    build(folder, deployment) {
      const at = joinPath('', folder)
      if (deployment) return deploy(runs[deployment.product], at, deployment)
      const run = runs.kubectl
      const accumulated = accumulateFolder(run, at, [])
      if (!accumulated) {
        const notes = [{ file: at, code: 'kustomization' as const, reason: 'there is no kustomization' }]
        return { objects: [], isPartial: true, notes }
      }
      return finish(accumulated, run.kustomizations.get(at))
    },
  }
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
    const own = readVariables(kustomization, { resources: all.resources, allowsMissing })
    const same = sameVariables(all.variables, own)
    const variables = [...all.variables, ...own]
    return { ...all, variables, notes: [...all.notes, ...notes, ...same.map(noteOf)] }
  } catch (error) {
    return stoppedBy(error, { ...all, notes: [...all.notes, ...notes] })
  }
}

type Using = Adding & { readonly all: Accumulated }

function withComponent(run: Run, { text, at }: Written, { all, kustomization, folders }: Using): Accumulated {
  const { folder, source } = kustomization
  if (isRemote(text)) throw outOfReach(source, `the component "${text}"`)
  const component = text === '' ? undefined : kustomizationIn(run, joinPath(folder, text))
  if (!component) throw missing(run, folder, { text, at }, 'the component ')
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

/** What is missing leaves a gap. */
const gap = (failure: BuildFailure): Accumulated => ({ ...NOTHING, isPartial: true, notes: [noteOf(failure)] })

type Adding = { readonly kustomization: Kustomization; readonly folders: readonly string[] }

/** What a resource adds: a file, or a folder with a kustomization. What is missing leaves a gap. */
function resourceAt(run: Run, { text: path, at }: Written, { kustomization, folders }: Adding): Accumulated {
  const { source, folder } = kustomization
  if (isRemote(path)) return gap(outOfReach(source, `the remote resource "${path}"`))
  const target = joinPath(folder, path)
  const file = path === '' ? undefined : run.read(target)
  if (file) return resourcesIn(file, source, whyOutside(run, path, folder, at))
  const base = path === '' ? undefined : kustomizationIn(run, target)
  if (!base) return gap(missing(run, folder, { text: path, at }, 'the resource '))
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
  for (const failure of sameVariables([], variables)) notes.push(noteOf(failure))
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

/** Builds that of a folder as Flux or Argo CD deploys it. */
function deploy(run: Run, folder: string, deployment: Deployment): Build {
  const file = run.read(deployment.path)
  if (!file) return finish(NOTHING, undefined)
  const { problem, isPlain = false, isOpen = false } = deployment
  const object = deployingObject(file, deployment)
  try {
    if (problem) {
      const at = tracedAt(object, problem.pointer) ?? object
      const path = problem.isWrong && typeof at.value === 'string' ? meantPath(at.value, '', run.namesIn) : undefined
      const reason = path === undefined ? problem.reason : `${problem.reason} (did you mean "${path}"?)`
      throw problem.isWrong
        ? refused('deployment', at.at, reason)
        : new BuildFailure(file.file, reason, { code: problem.code })
    }
    const own = deployment.resources ? undefined : kustomizationIn(run, folder)
    if (own instanceof BuildFailure) throw own
    const kustomization = deployedKustomization(deployment, object, { own, folder, file })
    const { notes, ...all } = accumulate(run, kustomization, { all: NOTHING, above: [] })
    const resources = all.resources.map((one) => touchedBy(one, file))
    // Objects one by one: what kustomize refuses is none of it.
    const kept = notes.flatMap(({ refusal, ...note }) =>
      isPlain ? (refusal?.cause === 'syntax' ? [note] : []) : [isOpen || !refusal ? note : { ...note, refusal }],
    )
    const post = deployment.product === 'flux' ? (some: readonly Resource[]) => withVariables(some, object) : undefined
    return finish({ ...all, resources, notes: kept }, kustomization, post)
  } catch (error) {
    return finish(stoppedBy(error), undefined)
  }
}

/** What a whole build comes to: names are followed and variables looked up at its end. */
function finish(
  all: Accumulated,
  kustomization: Kustomization | BuildFailure | undefined,
  post: (resources: readonly Resource[]) => readonly Resource[] = (resources) => resources,
): Build {
  const { resources, config, variables, notes, isPartial, stopped } = all
  if (stopped === 'unknown') return { objects: [], isPartial, notes }
  if (stopped) return { objects: objectsOf(resources), isPartial, notes }
  try {
    const named = updateNameReferences(resources, config)
    for (const variable of variables) checkVariable(variable, named)
    for (const resource of named) rejectSameKeys(resource)
    if (kustomization && !(kustomization instanceof BuildFailure)) checkOrder(kustomization)
    return { objects: objectsOf(post(named)), isPartial, notes }
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
