/** The patches of a kustomization. Source: kustomize, api/internal/builtins: three transformers. */
import { isObject } from '../json/member.ts'
import { type Collection, createCollection } from './collection.ts'
import type { BuildContext } from './context.ts'
import { attempt, BuildFailure, refused } from './failure.ts'
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
  type Place,
  stringAt,
  type TextFile,
  type Traced,
  textsOf,
  withMember,
  withTypes,
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
    const source = isInline ? context.inline(kustomization, at, text) : context.file(kustomization, text, at)
    const patches = readObjects(source, isInline ? at : undefined)
    if (patches.length === 0) throw refused('patch', at, 'the patch is empty')
    for (const patch of patches) attempt(() => mergeWithOwn(patched, patch, kustomization, merging), patched.all)
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
  for (const entry of listIn(kustomization, 'patches'))
    attempt(() => applyEntry(patched, entry, kustomization, context), patched.all)
  return patched.all()
}

function applyEntry(all: Collection, entry: Traced, kustomization: Kustomization, context: BuildContext): void {
  const patch = readPatch(entry, kustomization, context)
  const target = memberOf(entry, 'target')
  const selector = target && target.value !== null ? readSelector(target) : undefined
  const merging = { allowsMissing: context.allowsMissing, options: readOptions(memberOf(entry, 'options')) }
  if (patch.operations) {
    if (!selector) throw refused('patch', entry.at, 'a JSON patch needs a target')
    patchWithJson(all, patch, { selector, kustomization, remembers: true })
    return
  }
  if (!selector) {
    if (patch.objects.length === 0) throw refused('patch', entry.at, 'the patch is empty')
    for (const own of patch.objects) mergeWithOwn(all, own, kustomization, { ...merging, keepsText: false })
    return
  }
  const [merged, other] = patch.objects
  if (other) throw refused('patch', other.at, 'several patches in an entry with a target')
  const selected = selectResources(all.all(), selector)
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
  for (const entry of listIn(kustomization, 'patchesJson6902'))
    attempt(() => applyJsonEntry(patched, entry, kustomization, context), patched.all)
  return patched.all()
}

function applyJsonEntry(all: Collection, entry: Traced, kustomization: Kustomization, context: BuildContext): void {
  const target = memberOf(entry, 'target')
  if (!target || !stringAt(target, 'name'))
    throw refused('patch', (target ?? entry).at, 'patchesJson6902: a target needs a name')
  const selector = readSelector(target)
  const patch = readPatch(entry, kustomization, context)
  if (!patch.operations) throw refused('patch', entry.at, 'patchesJson6902: expected a JSON patch')
  patchWithJson(all, patch, { selector, kustomization, remembers: false })
}

/** A patch of either kind. */
type Patch =
  | { readonly source: TextFile; readonly operations: readonly Traced[]; readonly objects?: undefined }
  | { readonly source: TextFile; readonly operations?: undefined; readonly objects: readonly Traced[] }

/** Reads the patch of an entry: the text of `patch`, or the file of `path`. */
function readPatch(entry: Traced, kustomization: Kustomization, context: BuildContext): Patch {
  const [text, path] = [stringAt(entry, 'patch')?.trim(), stringAt(entry, 'path')]
  if (!text === !path)
    throw refused('patch', entry.at, `a patch needs either "patch" or "path"${path ? ', not both' : ''}`)
  const written = memberOf(entry, path ? 'path' : 'patch') ?? entry
  const inline = path ? undefined : written.at
  const source = inline
    ? context.inline(kustomization, inline, String(written.value))
    : context.file(kustomization, path ?? '', written.at)
  return patchIn(source, written, inline)
}

function patchIn(source: TextFile, { at }: Traced, inline: Place | undefined): Patch {
  const first = readFirst(source, inline)
  if (!first || first.value === null) {
    if (source.text !== '') throw refused('patch', at, 'the patch is empty')
    return { source, operations: [] }
  }
  if (!isList(first.value)) return { source, objects: readObjects(source, inline) }
  if ((inline ? source.text.trim() : source.text).startsWith('[') && !isJsonText(source.text))
    throw refused('patch', at, 'a patch that begins with "[" must be JSON')
  return { source, operations: operationsIn(first, at) }
}

function operationsIn(list: Traced, at: Place): readonly Traced[] {
  const operations = itemsOf(list) ?? []
  if (operations.length === 0) throw refused('patch', at, 'the patch is empty')
  const other = operations.find(({ value }) => value !== null && !isObject(value))
  if (other) throw refused('operation', other.at, 'expected an operation of a JSON patch')
  return operations
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
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
  const [target, other] = all.find(id)
  if (!target && (merging.allowsMissing || all.all().some(({ isIdentified }) => !isIdentified))) return
  if (!target || other) {
    const reason = `${other ? 'several objects match' : 'no object matches'} the patch of ${describeId(id)}`
    const metadata = memberOf(patch, 'metadata') ?? patch
    if (target?.isIdentified === false || other?.isIdentified === false || id.name === '')
      throw new BuildFailure(patch.at.part.source.file, reason)
    throw refused('patch-target', (memberOf(metadata, 'name') ?? metadata).at, reason)
  }
  all.replace(target, mergedWith(target, patch, kustomization, merging))
}

/** The resource with a patch; undefined where the patch deletes it. Kind, name and namespace stay. */
function mergedWith(
  resource: Resource,
  patch: Traced,
  { source }: Kustomization,
  { keepsText, options }: Merging,
): Resource | undefined {
  // A merge makes texts of scalars without a type.
  const root = resource.hasUntyped
    ? withTypes(resource.root, ({ untyped: _, ...scalar }, text) => ({ ...scalar, value: text }))
    : resource.root
  const mayMove = options.allowKindChange || options.allowNameChange
  if (!resource.isExact) return mayMove || memberOf(patch, '$patch') ? { ...resource, isIdentified: false } : resource
  // kustomize makes a new object of a patch that replaces, and then keeps the old one.
  if (stringAt(patch, '$patch') === 'replace') return resource
  const files = [source, patch.at.part.inline ? source : patch.at.part.source]
  const before = mayMove ? withPreviousId(resource) : resource
  const own = keepsText ? withTexts(withApiVersionOf(patch, root)) : patch
  const merged = mergePatch(root, own)
  if (!merged || namesOf(merged).length === 0) return undefined
  const kept = withIdentityOf(merged, root, options)
  return touchedBy({ ...withRoot(before, kept), isMerged: true, hasUntyped: false }, ...files)
}

function withIdentityOf(merged: Traced, root: Traced, options: Options): Traced {
  let kept = merged
  const kind = memberOf(root, 'kind')
  if (kind && !options.allowKindChange) kept = withMember(kept, 'kind', kind)
  const metadata = memberOf(root, 'metadata')
  if (metadata && !options.allowNameChange) kept = withMetadata(kept, 'name', memberOf(metadata, 'name'))
  if (metadata) kept = withMetadata(kept, 'namespace', memberOf(metadata, 'namespace'))
  return kept
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
  for (const resource of selectResources(all.all(), selector)) {
    if (!resource.isExact) {
      if (operations.some(changesIdentity)) all.replace(resource, { ...resource, isIdentified: false })
      continue
    }
    const typed = resource.hasUntyped ? withRoot(resource, withTypes(resource.root, asWritten)) : resource
    const before = remembers ? withPreviousId(typed) : typed
    const root = before.previous.length > 0 ? withAnnotations(before.root, kustomization) : before.root
    const patched = applyJsonPatch(root, operations)
    const changed = touchedBy(withRoot(before, patched), source, isInline ? source : patchSource)
    all.replace(resource, { ...changed, hasUntyped: false })
  }
}

const asWritten = ({ untyped: _, ...scalar }: Traced): Traced => scalar

const IDENTITY = /^[^/]*(?:\/(?:kind|apiVersion|metadata(?:\/(?:name|namespace))?))?$/

const changesIdentity = (operation: Traced): boolean =>
  ['path', 'from'].some((name) => IDENTITY.test(stringAt(operation, name) ?? '/-/-'))

/** kustomize keeps former identities in annotations, so that `metadata.annotations` is always there to be added to. */
function withAnnotations(root: Traced, { root: { at } }: Kustomization): Traced {
  const metadata = memberOf(root, 'metadata')
  if (!metadata || isObject(memberOf(metadata, 'annotations')?.value ?? null)) return root
  return withMetadata(root, 'annotations', madeAt({}, at))
}
