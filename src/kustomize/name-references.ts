/**
 * References to objects whose names have changed. kustomize follows those of Kubernetes' own kinds and those that
 * `configurations` name; of all others, such as the targets of a policy, it knows nothing and leaves them.
 * Source: kustomize, api/filters/nameref.
 */
import { isObject } from '../json/member.ts'
import type { NameReference, TransformerConfig } from './config.ts'
import { BuildFailure, refused } from './failure.ts'
import { changeFields } from './field-specs.ts'
import {
  currentId,
  effectiveNamespace,
  isClusterScoped,
  isSameNamespace,
  isSelected,
  originalId,
  previousIds,
  type Resource,
  withRoot,
} from './resource.ts'
import { isScalar, itemsOf, memberOf, stringAt, type Traced, withItems, withMember } from './traced.ts'

/** Updates the references that the configuration names. */
export function updateNameReferences(
  resources: readonly Resource[],
  { nameReference }: TransformerConfig,
): readonly Resource[] {
  if (nameReference.length === 0) return resources
  return resources.map((referrer) => {
    const original = originalId(referrer)
    const candidates = resources.filter((candidate) => isReachable(referrer, candidate))
    let { root } = referrer
    for (const { target, fields } of nameReference)
      for (const { group: _, version: __, kind: ___, ...spec } of fields.filter((field) => isSelected(original, field)))
        root = changeFields(root, spec, {
          set: (field) => updated(field, { referrer, candidates, target, path: spec.path }),
          created: '',
          at: root.at,
        })
    return root === referrer.root ? referrer : withRoot(referrer, root)
  })
}

/** An object can refer to those of its namespace and to those without one; one without a namespace to all. */
function isReachable(referrer: Resource, candidate: Resource): boolean {
  const [from, to] = [currentId(referrer), currentId(candidate)]
  return isClusterScoped(from) || isClusterScoped(to) || isSameNamespace(from, to)
}

type Reference = {
  readonly referrer: Resource
  readonly candidates: readonly Resource[]
  readonly target: NameReference['target']
  readonly path: string
}

function updated(field: Traced, reference: Reference): Traced {
  if (field.value === null) return field
  const items = itemsOf(field)
  if (items)
    return withItems(
      field,
      items.map((item) => updated(item, reference)),
    )
  if (isObject(field.value)) return updatedMapping(field, reference)
  const found = isScalar(field.value) ? findTarget(String(field.value), reference.candidates, reference) : undefined
  const name = found && nameOf(found).name
  return name === undefined || name === field.value ? field : { ...field, value: name }
}

/** A mapping with a `name` and perhaps a `namespace`. */
function updatedMapping(field: Traced, reference: Reference): Traced {
  const name = memberOf(field, 'name')
  if (!name) throw refused('transformer', field.at, `nameReference: "${reference.path}" has no name`)
  const namespace = stringAt(field, 'namespace')
  const found = findTarget(String(name.value), inNamespace(reference.candidates, namespace), reference)
  if (!found) return field
  const id = nameOf(found)
  const renamed = id.name === name.value ? field : withMember(field, 'name', { ...name, value: id.name })
  if (id.namespace === '') return renamed
  const own = memberOf(field, 'namespace') ?? name
  return withMember(renamed, 'namespace', { ...own, value: id.namespace })
}

/** The identity that a reference gets. That of a generated object ends in a hash of its content. */
function nameOf(found: Resource) {
  const id = currentId(found)
  if (found.isGenerated) throw new BuildFailure(found.root.at.part.source.file, `the name of ${id.name} is generated`)
  return id
}

function inNamespace(candidates: readonly Resource[], namespace: string | undefined): readonly Resource[] {
  if (namespace === undefined) return candidates
  const original = candidates.filter((candidate) => effectiveNamespace(originalId(candidate)) === namespace)
  return original.length > 0
    ? original
    : candidates.filter((candidate) => effectiveNamespace(currentId(candidate)) === namespace)
}

function findTarget(name: string, all: readonly Resource[], { referrer, target }: Reference): Resource | undefined {
  const named = all.filter((candidate) => {
    const ids = previousIds(candidate)
    return ids.some((id) => id.name === name) && ids.some((id) => isSelected(id, target))
  })
  if (named.length <= 1) return named[0]
  const similar = named.filter((candidate) => hasSameAffixes(candidate, referrer, true))
  const same = similar.length > 1 ? similar.filter((candidate) => hasSameAffixes(candidate, referrer, false)) : similar
  const names = new Set(same.map((candidate) => currentId(candidate).name))
  if (names.size > 1)
    throw new BuildFailure(referrer.root.at.part.source.file, `several objects may be meant by "${name}"`)
  return same[0]
}

function hasSameAffixes(a: Resource, b: Resource, allowsNone: boolean): boolean {
  const isSame = (one: readonly string[], other: readonly string[]) =>
    (allowsNone && (one.length === 0 || other.length === 0)) || endsAlike(one, other)
  return isSame(a.prefixes, b.prefixes) && isSame(a.suffixes, b.suffixes)
}

/** Whether the shorter list is the end of the longer one. */
function endsAlike(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length)
  if (length === 0) return a.length === b.length
  return a.slice(a.length - length).every((text, index) => text === b[b.length - length + index])
}
