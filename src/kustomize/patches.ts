/** The patches of a kustomization. Source: kustomize, api/internal/builtins: three transformers. */
import { isObject } from '../json/member.ts'
import { type Collection, createCollection } from './collection.ts'
import type { BuildContext } from './context.ts'
import { BuildFailure } from './failure.ts'
import { applyJsonPatch } from './json-patch.ts'
import { type Kustomization, listIn, stringsIn } from './kustomization.ts'
import { mergePatch } from './merge.ts'
import { readFirst, readObjects } from './read.ts'
import { currentId, describeId, type Resource, touchedBy, withMetadata, withPreviousId, withRoot } from './resource.ts'
import { readSelector, type Selector, selectResources } from './select.ts'
import {
  isList,
  itemsOf,
  madeAt,
  memberOf,
  namesOf,
  stringAt,
  type TextFile,
  type Traced,
  textsOf,
  withMember,
} from './traced.ts'

/** Applies `patchesStrategicMerge`: paths, or the patches themselves. */
export function applyStrategicMerges(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  const merging = { allowsMissing: context.allowsMissing, keepsText: true, options: NO_OPTIONS }
  const patched = createCollection(resources)
  for (const { text, at } of stringsIn(kustomization, 'patchesStrategicMerge')) {
    const isInline = text.includes('\n') || text.trimStart().startsWith('{')
    const source = isInline ? context.inline(kustomization, at, text) : context.file(kustomization, text)
    for (const patch of readObjects(source, isInline ? at : undefined))
      mergeWithOwn(patched, patch, kustomization, merging)
  }
  return patched.all()
}

/** Applies `patches`: of either kind, inline or in a file. */
export function applyPatches(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  const patched = createCollection(resources)
  for (const entry of listIn(kustomization, 'patches')) {
    if (!isObject(entry.value)) throw new BuildFailure(kustomization.source.file, 'patches: expected objects')
    applyEntry(patched, entry, kustomization, context)
  }
  return patched.all()
}

function applyEntry(all: Collection, entry: Traced, kustomization: Kustomization, context: BuildContext): void {
  const { source } = kustomization
  const patch = readPatch(entry, kustomization, context)
  const target = memberOf(entry, 'target')
  const selector = target && target.value !== null ? readSelector(target, source) : undefined
  const merging = { allowsMissing: context.allowsMissing, options: readOptions(memberOf(entry, 'options')) }
  if (patch.operations) {
    if (!selector) throw new BuildFailure(source.file, 'a JSON patch needs a target')
    patchWithJson(all, patch, { selector, kustomization, remembers: true })
    return
  }
  if (!selector) {
    for (const own of patch.objects) mergeWithOwn(all, own, kustomization, { ...merging, keepsText: false })
    return
  }
  const [merged, other] = patch.objects
  if (other) throw new BuildFailure(source.file, 'several patches in an entry with a target')
  const selected = selectResources(all.all(), selector, source)
  if (!merged) return
  for (const resource of selected)
    all.replace(resource, mergedWith(resource, merged, kustomization, { ...merging, keepsText: true }))
}

/** Applies `patchesJson6902`. */
export function applyJsonPatches(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  const patched = createCollection(resources)
  for (const entry of listIn(kustomization, 'patchesJson6902')) {
    const target = memberOf(entry, 'target')
    if (!target || !stringAt(target, 'name'))
      throw new BuildFailure(kustomization.source.file, 'patchesJson6902: a target needs a name')
    const selector = readSelector(target, kustomization.source)
    const patch = readPatch(entry, kustomization, context)
    if (!patch.operations) throw new BuildFailure(kustomization.source.file, 'patchesJson6902: expected a JSON patch')
    patchWithJson(patched, patch, { selector, kustomization, remembers: false })
  }
  return patched.all()
}

/** A patch of either kind. */
type Patch =
  | { readonly source: TextFile; readonly operations: readonly Traced[]; readonly objects?: undefined }
  | { readonly source: TextFile; readonly operations?: undefined; readonly objects: readonly Traced[] }

/** Reads the patch of an entry: the text of `patch`, or the file of `path`. */
function readPatch(entry: Traced, kustomization: Kustomization, context: BuildContext): Patch {
  const [text, path] = [stringAt(entry, 'patch')?.trim(), stringAt(entry, 'path')]
  if (!text === !path) throw new BuildFailure(kustomization.source.file, 'a patch needs either "patch" or "path"')
  const own = path ? undefined : memberOf(entry, 'patch')
  const source = own
    ? context.inline(kustomization, own.at, String(own.value))
    : context.file(kustomization, path ?? '')
  const inline = own?.at
  const first = readFirst(source)
  if (!first || !isList(first.value)) return { source, objects: readObjects(source, inline) }
  const at = { ...first.at, part: { ...first.at.part, ...(inline ? { inline } : {}) } }
  return { source, operations: itemsOf({ ...first, at }) ?? [] }
}

type Options = { readonly allowNameChange: boolean; readonly allowKindChange: boolean }
const NO_OPTIONS: Options = { allowNameChange: false, allowKindChange: false }

function readOptions(options: Traced | undefined): Options {
  const isSet = (name: string) => options !== undefined && memberOf(options, name)?.value === true
  return { allowNameChange: isSet('allowNameChange'), allowKindChange: isSet('allowKindChange') }
}

type Merging = {
  /** True where the target may be an object that is not known. */
  readonly allowsMissing: boolean
  /** Labels and annotations of the patch are texts first: null becomes "null". */
  readonly keepsText: boolean
  readonly options: Options
}

/** Merges a patch into the one resource that has its identity. */
function mergeWithOwn(all: Collection, patch: Traced, kustomization: Kustomization, merging: Merging): void {
  const id = currentId({ root: patch })
  if (id.name === '') throw new BuildFailure(patch.at.part.source.file, 'a patch without metadata.name')
  const [target, other] = all.find(id)
  if (!target && merging.allowsMissing) return
  if (!target || other)
    throw new BuildFailure(
      patch.at.part.source.file,
      `${other ? 'several objects match' : 'no object matches'} the patch of ${describeId(id)}`,
    )
  all.replace(target, mergedWith(target, patch, kustomization, merging))
}

/** The resource with a patch; undefined where the patch deletes it. Kind, name and namespace stay. */
function mergedWith(
  resource: Resource,
  patch: Traced,
  { source }: Kustomization,
  { keepsText, options }: Merging,
): Resource | undefined {
  const { root } = resource
  // kustomize makes a new object of a patch that replaces, and then keeps the old one.
  if (!resource.isExact || stringAt(patch, '$patch') === 'replace') return resource
  const files = [source, patch.at.part.inline ? source : patch.at.part.source]
  const before = options.allowKindChange || options.allowNameChange ? withPreviousId(resource) : resource
  const own = keepsText ? withTexts(withApiVersionOf(patch, root)) : patch
  const merged = mergePatch(root, own)
  if (!merged || namesOf(merged).length === 0) return undefined
  let kept = merged
  const kind = memberOf(root, 'kind')
  if (kind && !options.allowKindChange) kept = withMember(kept, 'kind', kind)
  const metadata = memberOf(root, 'metadata')
  if (metadata && !options.allowNameChange) kept = withMetadata(kept, 'name', memberOf(metadata, 'name'))
  if (metadata) kept = withMetadata(kept, 'namespace', memberOf(metadata, 'namespace'))
  return touchedBy(withRoot(before, kept), ...files)
}

/** With a target, the patch may name any apiVersion. */
function withApiVersionOf(patch: Traced, root: Traced): Traced {
  const own = memberOf(root, 'apiVersion')
  return own ? withMember(patch, 'apiVersion', own) : patch
}

/** Labels and annotations as texts. */
function withTexts(patch: Traced): Traced {
  let changed = patch
  const metadata = memberOf(patch, 'metadata')
  for (const name of ['labels', 'annotations']) {
    const map = metadata && memberOf(metadata, name)
    if (map && isObject(map.value)) changed = withMetadata(changed, name, textsOf(map))
  }
  return changed
}

type JsonPatching = {
  readonly selector: Selector
  readonly kustomization: Kustomization
  /** `patches` remembers the identity before, so that references follow a new name. */
  readonly remembers: boolean
}

function patchWithJson(
  all: Collection,
  { operations = [], source: patchSource }: Patch,
  { selector, kustomization, remembers }: JsonPatching,
): void {
  const { source } = kustomization
  const isInline = operations[0]?.at.part.inline !== undefined
  for (const resource of selectResources(all.all(), selector, source)) {
    if (!resource.isExact) continue
    const before = remembers ? withPreviousId(resource) : resource
    const root = before.previous.length > 0 ? withAnnotations(before.root, kustomization) : before.root
    const patched = applyJsonPatch(root, operations)
    all.replace(resource, touchedBy(withRoot(before, patched), source, isInline ? source : patchSource))
  }
}

/** kustomize keeps former identities in annotations, so that `metadata.annotations` is always there to be added to. */
function withAnnotations(root: Traced, { root: { at } }: Kustomization): Traced {
  const metadata = memberOf(root, 'metadata')
  if (!metadata || isObject(memberOf(metadata, 'annotations')?.value ?? null)) return root
  return withMetadata(root, 'annotations', madeAt({}, at))
}
