/** What a kustomization sets on all of its objects: namespace, names, labels, annotations. */

import { isSameValue } from '../json/patch.ts'
import type { TransformerConfig } from './config.ts'
import { refused, withoutCertainty } from './failure.ts'
import {
  changeFields,
  type FieldChange,
  type FieldSpec,
  mergeFieldSpecs,
  readFieldSpecs,
  withPairs,
} from './field-specs.ts'
import { type Kustomization, listIn, pairsOf, textIn } from './kustomization.ts'
import {
  currentId,
  describeId,
  gvkOf,
  idKey,
  isClusterScoped,
  isSelected,
  originalId,
  type Resource,
  touchedBy,
  withMetadata,
  withPreviousId,
  withRoot,
} from './resource.ts'
import { madeAt, memberOf, type Place, type Traced } from './traced.ts'

/** Sets `namespace`. */
export function applyNamespace(
  resources: readonly Resource[],
  kustomization: Kustomization,
  { namespace: specs }: TransformerConfig,
): readonly Resource[] {
  const namespace = textIn(kustomization, 'namespace')
  if (!namespace) return resources
  const value = madeAt(namespace.text, namespace.at)
  const placed = resources.map((resource) => {
    const before = withPreviousId(resource)
    const { group, kind } = gvkOf(resource.root)
    let root = isClusterScoped(gvkOf(resource.root)) ? resource.root : withMetadata(resource.root, 'namespace', value)
    if (group === '' && kind === 'Namespace') root = withMetadata(root, 'name', value)
    for (const spec of specs)
      if (spec.path !== 'metadata/namespace' && spec.path !== 'metadata/name')
        root = changed({ ...resource, root }, spec, { set: () => value, created: '', at: namespace.at })
    return touchedBy(withRoot(before, root), kustomization.source)
  })
  failOnDuplicates(placed, resources, namespace.at)
  return placed
}

/** Fails where a namespace makes one id of two. Those that had one id before are noted where they come together. */
function failOnDuplicates(placed: readonly Resource[], resources: readonly Resource[], at: Place): void {
  const idsBefore = new Map<string, string>()
  for (const [index, resource] of resources.entries()) {
    if (!resource.isIdentified) continue
    const before = idKey(currentId(resource))
    const id = currentId(placed[index] ?? resource)
    const other = idsBefore.get(idKey(id)) ?? before
    if (other !== before) throw refused('twice', at, `two objects become ${describeId(id)}`)
    idsBefore.set(idKey(id), before)
  }
}

/** Kinds whose names stay. */
const KEEP_NAME = [
  { kind: 'CustomResourceDefinition' },
  { group: 'apiregistration.k8s.io', kind: 'APIService' },
  { kind: 'Namespace' },
]

/** Adds `namePrefix` and `nameSuffix`. */
export function applyAffixes(
  resources: readonly Resource[],
  kustomization: Kustomization,
  config: TransformerConfig,
): readonly Resource[] {
  const prefix = textIn(kustomization, 'namePrefix')
  const suffix = textIn(kustomization, 'nameSuffix')
  const prefixed = prefix
    ? resources.map((resource) =>
        withAffix(resource, config.namePrefix, prefix, {
          text: (name) => prefix.text + name,
          note: (named) => ({ ...named, prefixes: [...named.prefixes, prefix.text] }),
          kustomization,
        }),
      )
    : resources
  return suffix
    ? prefixed.map((resource) =>
        withAffix(resource, config.nameSuffix, suffix, {
          text: (name) => name + suffix.text,
          note: (named) => ({ ...named, suffixes: [...named.suffixes, suffix.text] }),
          kustomization,
        }),
      )
    : prefixed
}

type Affixing = {
  text(name: string): string
  note(resource: Resource): Resource
  readonly kustomization: Kustomization
}

function withAffix(
  resource: Resource,
  specs: readonly FieldSpec[],
  { at }: { readonly at: Place },
  { text, note, kustomization }: Affixing,
): Resource {
  const id = originalId(resource)
  if (KEEP_NAME.some((selector) => isSelected(id, selector))) return resource
  let named = resource
  for (const spec of specs) {
    if (!isSelected(id, spec)) continue
    if (spec.path === 'metadata/name') named = withPreviousId(note(named))
    // The name itself stays where it is written.
    const set = (field: Traced): Traced => ({ ...field, value: text(String(field.value ?? '')) })
    named = withRoot(named, changed(named, spec, { set, created: '', at }))
  }
  return touchedBy(named, kustomization.source)
}

/** Sets `labels`, then `commonLabels`. */
export function applyLabels(
  resources: readonly Resource[],
  kustomization: Kustomization,
  config: TransformerConfig,
): readonly Resource[] {
  let labelled = resources
  for (const labels of readLabels(kustomization, config)) labelled = applyPairs(labelled, labels, kustomization)
  return labelled
}

/** Labels (or annotations) and the fields that they are set in. */
type Pairs = {
  readonly specs: readonly FieldSpec[]
  /** By name. */
  readonly pairs: ReadonlyMap<string, Traced>
  /** Where created mappings come from. */
  readonly at: Place
}

const LABELS: FieldSpec = { path: 'metadata/labels', create: true }

/** The entries of `labels`, then `commonLabels`. Neighbours for the same fields are one, which objects get at once. */
function readLabels(kustomization: Kustomization, config: TransformerConfig): readonly Pairs[] {
  const { root } = kustomization
  const merged: { specs: readonly FieldSpec[]; pairs: Map<string, Traced>; at: Place }[] = []
  const add = (written: Traced | undefined, specs: readonly FieldSpec[]): void => {
    const pairs = pairsOf(written)
    if (!written || pairs.size === 0) return
    const last = merged.at(-1)
    if (last && isSameValue(last.specs, specs)) for (const [name, text] of pairs) last.pairs.set(name, text)
    else merged.push({ specs, pairs: new Map(pairs), at: written.at })
  }
  for (const entry of listIn(kustomization, 'labels')) {
    const fields = mergeFieldSpecs(readFieldSpecs(memberOf(entry, 'fields')), config.labels, entry.at)
    const isForSelectors = memberOf(entry, 'includeSelectors')?.value === true
    const own = isForSelectors ? config.commonLabels : [LABELS]
    add(memberOf(entry, 'pairs'), mergeFieldSpecs(fields, own, entry.at))
  }
  add(memberOf(root, 'commonLabels'), config.commonLabels)
  return merged
}

/** Sets `commonAnnotations`. */
export const applyAnnotations = (
  resources: readonly Resource[],
  kustomization: Kustomization,
  config: TransformerConfig,
): readonly Resource[] => {
  const written = memberOf(kustomization.root, 'commonAnnotations')
  const pairs = pairsOf(written)
  if (!written || pairs.size === 0) return resources
  return applyPairs(resources, { specs: config.commonAnnotations, pairs, at: written.at }, kustomization)
}

/** Changes fields. Of an object that is not followed in all its values, no failure is certain. */
const changed = ({ root, isExact }: Resource, spec: FieldSpec, change: FieldChange): Traced =>
  isExact ? changeFields(root, spec, change) : withoutCertainty(() => changeFields(root, spec, change))

function applyPairs(
  resources: readonly Resource[],
  { specs, pairs, at }: Pairs,
  { source }: Kustomization,
): readonly Resource[] {
  const set = (map: Traced) => withPairs(map, pairs)
  return resources.map((resource) => {
    let { root } = resource
    for (const spec of specs) root = changed({ ...resource, root }, spec, { set, created: {}, at })
    return root === resource.root ? resource : touchedBy(withRoot(resource, root), source)
  })
}
