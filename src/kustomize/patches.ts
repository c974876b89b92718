/** The patches of a kustomization. Source: kustomize, api/internal/builtins: three transformers. */
import { isObject } from '../json/member.ts'
import type { BuildContext } from './context.ts'
import { BuildFailure } from './failure.ts'
import { applyJsonPatch } from './json-patch.ts'
import { type Kustomization, listIn, stringsIn } from './kustomization.ts'
import { mergePatch } from './merge.ts'
import { readFirst, readObjects } from './read.ts'
import {
  currentId,
  describeId,
  isSameId,
  previousIds,
  type Resource,
  touchedBy,
  withMetadata,
  withPreviousId,
  withRoot,
} from './resource.ts'
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
  const merging = { allowsMissing: context.allowsMissing }
  let patched = resources
  for (const { text, at } of stringsIn(kustomization, 'patchesStrategicMerge')) {
    const isInline = text.includes('\n') || text.trimStart().startsWith('{')
    const source = isInline ? context.inline(kustomization, at, text) : context.file(kustomization, text)
    for (const patch of readObjects(source, isInline ? at : undefined))
      patched = mergeWithOwn(patched, patch, kustomization, { ...merging, keepsText: true, options: NO_OPTIONS })
  }
  return patched
}

/** Applies `patches`: of either kind, inline or in a file. */
export function applyPatches(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  let patched = resources
  for (const entry of listIn(kustomization, 'patches')) {
    if (!isObject(entry.value)) throw new BuildFailure(kustomization.source.file, 'patches: expected objects')
    patched = applyEntry(patched, entry, kustomization, context)
  }
  return patched
}

function applyEntry(
  resources: readonly Resource[],
  entry: Traced,
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  const { source } = kustomization
  const patch = readPatch(entry, kustomization, context)
  const target = memberOf(entry, 'target')
  const selector = target && target.value !== null ? readSelector(target, source) : undefined
  const merging = { allowsMissing: context.allowsMissing, options: readOptions(memberOf(entry, 'options')) }
  if (patch.operations) {
    if (!selector) throw new BuildFailure(source.file, 'a JSON patch needs a target')
    return patchWithJson(resources, patch, { selector, kustomization, remembers: true })
  }
  if (!selector)
    return patch.objects.reduce(
      (patched, own) => mergeWithOwn(patched, own, kustomization, { ...merging, keepsText: false }),
      resources,
    )
  const [merged, other] = patch.objects
  if (other) throw new BuildFailure(source.file, 'several patches in an entry with a target')
  const selected = new Set(selectResources(resources, selector, source))
  return resources.flatMap((resource) =>
    merged && selected.has(resource)
      ? mergeInto(resource, merged, kustomization, { ...merging, keepsText: true })
      : [resource],
  )
}

/** Applies `patchesJson6902`. */
export function applyJsonPatches(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  let patched = resources
  for (const entry of listIn(kustomization, 'patchesJson6902')) {
    const target = memberOf(entry, 'target')
    if (!target || !stringAt(target, 'name'))
      throw new BuildFailure(kustomization.source.file, 'patchesJson6902: a target needs a name')
    const selector = readSelector(target, kustomization.source)
    const patch = readPatch(entry, kustomization, context)
    if (!patch.operations) throw new BuildFailure(kustomization.source.file, 'patchesJson6902: expected a JSON patch')
    patched = patchWithJson(patched, patch, { selector, kustomization, remembers: false })
  }
  return patched
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
function mergeWithOwn(
  resources: readonly Resource[],
  patch: Traced,
  kustomization: Kustomization,
  merging: Merging,
): readonly Resource[] {
  const id = currentId({ root: patch })
  if (id.name === '') throw new BuildFailure(patch.at.part.source.file, 'a patch without metadata.name')
  const found = resources.filter((resource) =>
    [...previousIds(resource), currentId(resource)].some((known) => isSameId(known, id)),
  )
  const [target, other] = found
  if (!target && merging.allowsMissing) return resources
  if (!target || other)
    throw new BuildFailure(
      patch.at.part.source.file,
      `${other ? 'several objects match' : 'no object matches'} the patch of ${describeId(id)}`,
    )
  return resources.flatMap((resource) =>
    resource === target ? mergeInto(resource, patch, kustomization, merging) : [resource],
  )
}

/** The resource with a patch; nothing where the patch deletes it. Kind, name and namespace stay. */
function mergeInto(
  resource: Resource,
  patch: Traced,
  { source }: Kustomization,
  { keepsText, options }: Merging,
): readonly Resource[] {
  const { root } = resource
  // kustomize makes a new object of a patch that replaces, and then keeps the old one.
  if (!resource.isExact || stringAt(patch, '$patch') === 'replace') return [resource]
  const files = [source, patch.at.part.inline ? source : patch.at.part.source]
  const before = options.allowKindChange || options.allowNameChange ? withPreviousId(resource) : resource
  const own = keepsText ? withTexts(withApiVersionOf(patch, root)) : patch
  const merged = mergePatch(root, own)
  if (!merged || namesOf(merged).length === 0) return []
  let kept = merged
  const kind = memberOf(root, 'kind')
  if (kind && !options.allowKindChange) kept = withMember(kept, 'kind', kind)
  const metadata = memberOf(root, 'metadata')
  if (metadata && !options.allowNameChange) kept = withMetadata(kept, 'name', memberOf(metadata, 'name'))
  if (metadata) kept = withMetadata(kept, 'namespace', memberOf(metadata, 'namespace'))
  return [touchedBy(withRoot(before, kept), ...files)]
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
  resources: readonly Resource[],
  { operations = [], source: patchSource }: Patch,
  { selector, kustomization, remembers }: JsonPatching,
): readonly Resource[] {
  const selected = new Set(selectResources(resources, selector, kustomization.source))
  const isInline = operations[0]?.at.part.inline !== undefined
  return resources.map((resource) => {
    if (!selected.has(resource) || !resource.isExact) return resource
    const before = remembers ? withPreviousId(resource) : resource
    const root = before.previous.length > 0 ? withAnnotations(before.root, kustomization) : before.root
    const patched = applyJsonPatch(root, operations)
    return touchedBy(withRoot(before, patched), kustomization.source, isInline ? kustomization.source : patchSource)
  })
}

/** kustomize keeps former identities in annotations, so that `metadata.annotations` is always there to be added to. */
function withAnnotations(root: Traced, { root: { at } }: Kustomization): Traced {
  const metadata = memberOf(root, 'metadata')
  if (!metadata || isObject(memberOf(metadata, 'annotations')?.value ?? null)) return root
  return withMetadata(root, 'annotations', madeAt({}, at))
}
