/** What a kustomization sets on all of its objects: namespace, names, labels, annotations. */

import type { TransformerConfig } from './config.ts'
import { BuildFailure } from './failure.ts'
import { changeFields, type FieldSpec, mergeFieldSpecs, readFieldSpecs, withPairs } from './field-specs.ts'
import { type Kustomization, listIn, pairsOf, textIn } from './kustomization.ts'
import {
  currentId,
  describeId,
  gvkOf,
  type Id,
  isClusterScoped,
  isSameId,
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
        root = changeFields(root, spec, { set: () => value, created: '', at: namespace.at })
    return touchedBy(withRoot(before, root), kustomization.source)
  })
  failOnDuplicates(placed, resources, kustomization)
  return placed
}

/** Fails where a namespace makes one id of two. Those that had one id before are noted where they come together. */
function failOnDuplicates(
  placed: readonly Resource[],
  resources: readonly Resource[],
  { source }: Kustomization,
): void {
  const seen = new Map<string, { readonly id: Id; readonly before: Id }[]>()
  for (const [index, resource] of resources.entries()) {
    const before = currentId(resource)
    const id = currentId(placed[index] ?? resource)
    const key = `${id.kind}/${id.name}`
    const others = seen.get(key) ?? []
    if (others.some((other) => isSameId(other.id, id) && !isSameId(other.before, before)))
      throw new BuildFailure(source.file, `two objects become ${describeId(id)}`)
    seen.set(key, [...others, { id, before }])
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
    named = withRoot(named, changeFields(named.root, spec, { set, created: '', at }))
  }
  return touchedBy(named, kustomization.source)
}

/** Sets `labels`, then `commonLabels`. */
export function applyLabels(
  resources: readonly Resource[],
  kustomization: Kustomization,
  config: TransformerConfig,
): readonly Resource[] {
  const { root, source } = kustomization
  let labelled = resources
  for (const entry of listIn(kustomization, 'labels')) {
    const fields = mergeFieldSpecs(readFieldSpecs(memberOf(entry, 'fields'), source), config.labels)
    const isForSelectors = memberOf(entry, 'includeSelectors')?.value === true
    const specs = mergeFieldSpecs(fields, isForSelectors ? config.commonLabels : [LABELS])
    labelled = applyPairs(labelled, memberOf(entry, 'pairs'), specs, kustomization)
  }
  const common = memberOf(root, 'commonLabels')
  return common ? applyPairs(labelled, common, config.commonLabels, kustomization) : labelled
}

const LABELS: FieldSpec = { path: 'metadata/labels', create: true }

/** Sets `commonAnnotations`. */
export const applyAnnotations = (
  resources: readonly Resource[],
  kustomization: Kustomization,
  config: TransformerConfig,
): readonly Resource[] =>
  applyPairs(resources, memberOf(kustomization.root, 'commonAnnotations'), config.commonAnnotations, kustomization)

function applyPairs(
  resources: readonly Resource[],
  written: Traced | undefined,
  specs: readonly FieldSpec[],
  { source }: Kustomization,
): readonly Resource[] {
  const pairs = pairsOf(written, source)
  if (!written || pairs.length === 0) return resources
  const set = (map: Traced) => withPairs(map, pairs)
  return resources.map((resource) => {
    let { root } = resource
    for (const spec of specs) root = changeFields(root, spec, { set, created: {}, at: written.at })
    return root === resource.root ? resource : touchedBy(withRoot(resource, root), source)
  })
}
